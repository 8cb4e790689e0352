/** Compacts a recorded session with the built program at the recorded positions, over RPC and HTTP. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RpcClient } from "@pith/client";
import { buildSessionContext, convertToLlm, type LoadedBranch, type NewEntry, Session } from "@pith/context";
import { readSummaryPartTexts } from "@pith/context/host";
import { createStore, nodeRuntime, openStore } from "@pith/context/node";
import { type Script, startServer, type TestServer } from "@pith/testkit";
import type { ContextFront } from "./measure-front.ts";
import {
  contentText,
  listMessageTexts,
  type RecordedMessage,
  type RecordedRow,
  type Recording,
  type RequestBody,
  requestText,
  type SummaryDraft,
  toNewEntry,
} from "./recording.ts";
import { findHandles, type HandleMap, type TranslationOptions, translateDraft } from "./translate-draft.ts";

export interface PithCompaction extends ContextFront {
  readonly firstKeptEntryId: string;
  /** The branch right after the compaction. */
  readonly branch: LoadedBranch;
  /** The entry id of each number in the session, such as `#12`, before the compaction. */
  readonly liveNumbers: HandleMap;
  /** The number of requests to the model. */
  readonly calls: number;
  readonly untranslated: readonly string[];
  /** The first request, and the draft that was its reply. */
  readonly request: RequestBody;
  readonly draft: string;
  /** The corrections that later requests asked for. They get the same draft as reply. */
  readonly corrections: readonly string[];
}

export interface PlayOptions {
  /** The file that starts the program. */
  readonly program: string;
  readonly summaries: readonly SummaryDraft[];
  /**
   * Whether the replies report that they were read from a cache. The program then asks for summaries after its last request. Without
   * this option, the replies report what was recorded, and the program may choose.
   */
  readonly isCached?: boolean;
}

/** Returns the file that starts the built program. It is built if a source has changed. */
export function findBuiltProgram(): string {
  const script = join(import.meta.dirname, "../../../scripts/built-program.ts");
  return execFileSync(process.execPath, [script], { encoding: "utf8" }).trim();
}

export async function playPith(recording: Recording, options: PlayOptions): Promise<readonly PithCompaction[]> {
  const folder = mkdtempSync(join(tmpdir(), "pith-played-"));
  const { isCached } = options;
  const replies = new DraftReplies(recording, options.summaries);
  const server = await startServer({ script: replies.script });
  try {
    const folders = createFolders(folder);
    const compactions: PithCompaction[] = [];
    for (const rows of recording.segments) {
      await appendRows(folders.session, isCached ? rows.map(withCachedUsage) : rows, recording.compactions);
      const liveNumbers = readNumbers(folders.session);
      replies.startCompaction(liveNumbers);
      await requestCompaction(folders, { program: options.program, server });
      if (isCached !== undefined && replies.isSamePrefix !== isCached)
        throw new Error(`the summary was requested ${isCached ? "with" : "without"} a transcript`);
      compactions.push({ ...(await readFront(folders.session)), ...replies.endCompaction(), liveNumbers });
    }
    return compactions;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
}

function withCachedUsage(row: RecordedRow): RecordedRow {
  const { usage, ...message } = (row.message ?? {}) as RecordedRow["message"] & {
    readonly usage?: { readonly input: number };
  };
  return usage
    ? { ...row, message: { ...message, usage: { ...usage, input: 0, cacheRead: usage.input } } as RecordedMessage }
    : row;
}

interface PlayFolders {
  readonly home: string;
  readonly user: string;
  readonly work: string;
  readonly session: string;
}

function createFolders(folder: string): PlayFolders {
  const folders = { home: join(folder, "home"), user: join(folder, "user"), work: join(folder, "work") };
  for (const each of Object.values(folders)) mkdirSync(each);
  writeFileSync(join(folders.home, "settings.json"), JSON.stringify(PITH_SETTINGS));
  return { ...folders, session: join(folder, "session.jsonl") };
}

const PITH_SETTINGS = { contextWindow: 24_000, compaction: { reserveTokens: 6_000, keepRecentTokens: 4_800 } };

/** Appends rows with their ids after the leaf, or at the entry that the recording went back to. */
export async function appendRows(
  path: string,
  rows: readonly RecordedRow[],
  compactions: readonly string[],
): Promise<void> {
  const origin = { cwd: join(path, "../work") };
  const opened = await (rows[0]?.parentId === null ? createStore(path, origin) : openStore(path));
  if (opened.type !== "opened") throw new Error(`${path} could not be opened: ${JSON.stringify(opened)}`);
  const session = await Session.open(opened.store, nodeRuntime);
  for (const { target, drafts } of listEntryRuns(rows, compactions)) {
    const outcome = await (target === null ? session.append(...drafts) : session.move(target, { newEntries: drafts }));
    if (outcome.type !== "appended") throw new Error(`the recorded entries were not appended: ${outcome.type}`);
  }
  await opened.store.close();
}

interface EntryRun {
  /** The entry to append to, or null for the leaf. */
  readonly target: string | null;
  readonly drafts: NewEntry[];
}

/** Groups consecutive rows, each group with the entry it is appended to. */
export function listEntryRuns(rows: readonly RecordedRow[], compactions: readonly string[]): readonly EntryRun[] {
  const runs: EntryRun[] = [];
  let leaf: string | null = null;
  for (const row of rows) {
    const isNext = row.parentId === leaf || compactions.includes(row.parentId ?? "");
    if (!isNext || runs.length === 0) runs.push({ target: isNext ? null : row.parentId, drafts: [] });
    runs.at(-1)?.drafts.push(toNewEntry(row));
    leaf = row.id;
  }
  return runs;
}

/** Reads the entry id of each number in a session file, such as `#12`. */
function readNumbers(path: string): HandleMap {
  const rows = readFileSync(path, "utf8").trim().split("\n").slice(1);
  return mapNumbers(rows.map((row): RecordedRow => JSON.parse(row)));
}

function mapNumbers(rows: readonly RecordedRow[]): HandleMap {
  return new Map(rows.flatMap(({ id, number }) => (number === undefined ? [] : [[`#${number}`, id] as const])));
}

async function requestCompaction(
  { home, user, work, session }: PlayFolders,
  { program, server }: { readonly program: string; readonly server: TestServer },
): Promise<void> {
  const flags = ["--model", "anthropic/claude-sonnet-4-5", "--permission-mode", "all", "--sandbox", "off"];
  let stderr = "";
  const client = RpcClient.start({
    command: process.execPath,
    args: [program, "--mode", "rpc", "--session", session, ...flags],
    cwd: work,
    env: {
      PATH: process.env.PATH,
      HOME: user,
      PITH_HOME: home,
      ANTHROPIC_API_KEY: "any",
      ANTHROPIC_BASE_URL: server.url,
    },
    onStderr: (text) => {
      stderr += text;
    },
  });
  const answer = await client.send({ type: "compact" });
  await client.close();
  if (!answer.success) throw new Error(`the program did not compact: ${answer.error}\n${stderr}`);
}

/** Reads the context with which the next request of the program would begin. */
async function readFront(path: string): Promise<ContextFront & Pick<PithCompaction, "firstKeptEntryId" | "branch">> {
  const opened = await openStore(path, { mode: "follower" });
  if (opened.type !== "opened") throw new Error(`${path} could not be opened: ${JSON.stringify(opened)}`);
  const { branch } = await Session.open(opened.store, nodeRuntime);
  await opened.store.close();
  const compaction = branch.entries[branch.compactionIndex];
  if (compaction?.type !== "compaction") throw new Error(`${path} has no compaction`);
  const messages = convertToLlm(buildSessionContext(branch).messages).filter(({ role }) => role !== "system");
  const [front = [], ...tail] = messages.map(({ content }) => collectTexts(content));
  const summary = readSummaryPartTexts(compaction).filter(({ part }) => part.kind === "story" || part.kind === "notes");
  return {
    text: front.join(""),
    summary: summary.map(({ text }) => text).join("\n"),
    tail: tail.flat().join("\n"),
    firstKeptEntryId: compaction.firstKeptEntryId,
    branch,
  };
}

function collectTexts(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: { type: string; text?: string; arguments?: unknown }) =>
    block.type === "toolCall" ? collectStrings(block.arguments) : [block.text ?? ""],
  );
}

function collectStrings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(collectStrings) : [];
}

const USER_LIST_TITLE = "The user's messages to summarize, by number:";

/** Finds the user's messages that are listed with their numbers at the end of a request. */
function findListedHandles(request: string, rows: readonly RecordedRow[]): HandleMap {
  const list = request.slice(request.lastIndexOf(USER_LIST_TITLE));
  const userRows = rows.filter(({ message }) => message?.role === "user");
  const handles = [...list.matchAll(/^\[(#\d+)\] “(.{1,30})/gmu)].flatMap(([, handle = "", start = ""]) => {
    const row = userRows.find(
      ({ message }) => message && toLine(contentText(message)).startsWith(start.replace(/”$/, "")),
    );
    return row ? [[handle, row.id] as const] : [];
  });
  return new Map(handles);
}

function toLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Replies to each summary request with the draft of its compaction, translated to the handles of that request. */
class DraftReplies {
  readonly #rows: readonly RecordedRow[];
  readonly #summaries: readonly SummaryDraft[];
  /** Handles that are valid for the whole session, such as `#12`, of the drafts' requests and of the live ones. */
  readonly #sessionHandles = { written: new Map<string, string>(), live: new Map<string, string>() };
  readonly #shownIds = new Set<string>();
  #compaction = -1;
  /** The entry of each number in the live session. */
  #liveNumbers: HandleMap = new Map();
  /** Whether the last request repeats a request of the session. */
  isSamePrefix = false;
  #requests: { readonly request: RequestBody; readonly draft: string; readonly untranslated: readonly string[] }[] = [];

  constructor({ segments }: Recording, summaries: readonly SummaryDraft[]) {
    this.#rows = segments.flat();
    this.#summaries = summaries;
  }

  startCompaction(liveNumbers: HandleMap): void {
    this.#compaction += 1;
    this.#liveNumbers = liveNumbers;
    this.#requests = [];
  }

  readonly script: Script = ({ body }) => {
    const summary = this.#summaries[this.#compaction];
    if (!summary) throw new Error(`no draft for compaction ${this.#compaction + 1}`);
    const request = requestText(body);
    this.isSamePrefix = request.includes(USER_LIST_TITLE);
    const { text, untranslated } = translateDraft(
      summary.draft,
      summary.request ? this.#matchHandles(summary.request, request) : this.#matchNumbers(),
    );
    const { system, messages, max_tokens } = body;
    this.#requests.push({ request: { system, messages, max_tokens }, draft: text, untranslated });
    return text;
  };

  /** Finds the handles by the text of their entries in both requests. */
  #matchHandles(draftRequest: RequestBody, request: string): TranslationOptions {
    const live = this.isSamePrefix
      ? findListedHandles(request, this.#rows)
      : this.#findHandles(request, this.#sessionHandles.live);
    const written = this.#findHandles(requestText(draftRequest), this.#sessionHandles.written);
    const shownBefore: ReadonlySet<string> = this.isSamePrefix ? new Set() : new Set(this.#shownIds);
    for (const id of live.values()) this.#shownIds.add(id);
    return { written, live, shownBefore };
  }

  #matchNumbers(): TranslationOptions {
    return { written: mapNumbers(this.#rows), live: this.#liveNumbers, shownBefore: new Set() };
  }

  endCompaction(): Omit<PithCompaction, keyof ContextFront | "firstKeptEntryId" | "branch" | "liveNumbers"> {
    const [first, ...later] = this.#requests;
    if (!first) throw new Error("the program compacted without a request to its model");
    const corrections = later.map(({ request }) => listMessageTexts(request).at(-1) ?? "");
    return { calls: this.#requests.length, ...first, corrections };
  }

  #findHandles(request: string, sessionHandles: Map<string, string>): HandleMap {
    const requestHandles = findHandles(request, this.#rows);
    for (const [handle, id] of requestHandles) if (handle.startsWith("#")) sessionHandles.set(handle, id);
    return new Map([...sessionHandles, ...requestHandles]);
  }
}
