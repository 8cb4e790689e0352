/** Has the built program compact the recorded session at the recorded places, over RPC and over HTTP. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RpcClient } from "@pith/client";
import { buildSessionContext, convertToLlm, type NewEntry, Session } from "@pith/context";
import { readSummaryPartTexts } from "@pith/context/host";
import { createStore, nodeRuntime, openStore } from "@pith/context/node";
import { type Script, startServer, type TestServer } from "@pith/testkit";
import type { Front } from "./measure-front.ts";
import { type Body, messageTexts, type Recording, type Row, requestText, type Summary, toDraft } from "./recording.ts";
import { findHandles, type Handles, translateDraft } from "./translate-draft.ts";

export interface PithCompaction extends Front {
  readonly firstKeptEntryId: string;
  /** Requests to the model. */
  readonly calls: number;
  readonly untranslated: readonly string[];
  /** The first request, and the draft that answered it. */
  readonly request: Body;
  readonly draft: string;
  /** What the requests after it asked to be corrected; they are answered with the same draft. */
  readonly corrections: readonly string[];
}

export interface PlayOptions {
  /** The file that starts the program. */
  readonly program: string;
  readonly summaries: readonly Summary[];
}

export async function playPith(recording: Recording, options: PlayOptions): Promise<readonly PithCompaction[]> {
  const folder = mkdtempSync(join(tmpdir(), "pith-played-"));
  const replies = new Replies(recording, options.summaries);
  const server = await startServer({ script: replies.script });
  try {
    const place = preparePlace(folder);
    const compactions: PithCompaction[] = [];
    for (const rows of recording.stretches) {
      await appendRows(place.session, rows, recording.compactions);
      replies.begin();
      await requestCompaction(place, { program: options.program, server });
      compactions.push({ ...(await readFront(place.session)), ...replies.end() });
    }
    return compactions;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
}

interface Place {
  readonly home: string;
  readonly user: string;
  readonly work: string;
  readonly session: string;
}

function preparePlace(folder: string): Place {
  const place = { home: join(folder, "home"), user: join(folder, "user"), work: join(folder, "work") };
  for (const each of Object.values(place)) mkdirSync(each);
  writeFileSync(join(place.home, "settings.json"), JSON.stringify(SETTINGS));
  return { ...place, session: join(folder, "session.jsonl") };
}

const SETTINGS = { contextWindow: 24_000, compaction: { reserveTokens: 6_000, keepRecentTokens: 4_800 } };

/** Behind the leaf, or where the recording went back to; ids are kept. */
async function appendRows(path: string, rows: readonly Row[], compactions: readonly string[]): Promise<void> {
  const origin = { cwd: join(path, "../work") };
  const opened = await (rows[0]?.parentId === null ? createStore(path, origin) : openStore(path));
  if (opened.type !== "opened") throw new Error(`${path} was not opened: ${JSON.stringify(opened)}`);
  const session = await Session.open(opened.store, nodeRuntime);
  for (const { target, drafts } of splitRuns(rows, compactions)) {
    const outcome = await (target === null ? session.append(...drafts) : session.move(target, { newEntries: drafts }));
    if (outcome.type !== "appended") throw new Error(`the recorded entries were not appended: ${outcome.type}`);
  }
  await opened.store.close();
}

interface Run {
  /** Null for the leaf. */
  readonly target: string | null;
  readonly drafts: NewEntry[];
}

/** Rows that follow each other, and where each such run begins. */
function splitRuns(rows: readonly Row[], compactions: readonly string[]): readonly Run[] {
  const runs: Run[] = [];
  let leaf: string | null = null;
  for (const row of rows) {
    const isNext = row.parentId === leaf || compactions.includes(row.parentId ?? "");
    if (!isNext || runs.length === 0) runs.push({ target: isNext ? null : row.parentId, drafts: [] });
    runs.at(-1)?.drafts.push(toDraft(row));
    leaf = row.id;
  }
  return runs;
}

async function requestCompaction(
  { home, user, work, session }: Place,
  { program, server }: { readonly program: string; readonly server: TestServer },
): Promise<void> {
  const flags = ["--model", "anthropic/claude-sonnet-4-5", "--permission-mode", "all", "--sandbox", "off"];
  let notes = "";
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
      notes += text;
    },
  });
  const answer = await client.send({ type: "compact" });
  await client.close();
  if (!answer.success) throw new Error(`the program did not compact: ${answer.error}\n${notes}`);
}

/** What the next request of the program would begin with. */
async function readFront(path: string): Promise<Front & Pick<PithCompaction, "firstKeptEntryId">> {
  const opened = await openStore(path, { mode: "follower" });
  if (opened.type !== "opened") throw new Error(`${path} was not opened: ${JSON.stringify(opened)}`);
  const { branch: window } = await Session.open(opened.store, nodeRuntime);
  await opened.store.close();
  const compaction = window.entries[window.compactionIndex];
  if (compaction?.type !== "compaction") throw new Error(`${path} has no compaction`);
  const messages = convertToLlm(buildSessionContext(window).messages).filter(({ role }) => role !== "system");
  const [front = [], ...tail] = messages.map(({ content }) => textsIn(content));
  const summary = readSummaryPartTexts(compaction).filter(({ part }) => part.kind === "story" || part.kind === "notes");
  return {
    text: front.join(""),
    summary: summary.map(({ text }) => text).join("\n"),
    tail: tail.flat().join("\n"),
    firstKeptEntryId: compaction.firstKeptEntryId,
  };
}

function textsIn(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: { type: string; text?: string; arguments?: unknown }) =>
    block.type === "toolCall" ? stringsIn(block.arguments) : [block.text ?? ""],
  );
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Answers each summary request with the draft for its compaction, in the handles of that request. */
class Replies {
  readonly #rows: readonly Row[];
  readonly #summaries: readonly Summary[];
  /** Handles that hold for the whole session, such as `#12`, of the drafts' requests and of the live ones. */
  readonly #lasting = { written: new Map<string, string>(), live: new Map<string, string>() };
  readonly #shown = new Set<string>();
  #compaction = -1;
  #served: { readonly request: Body; readonly draft: string; readonly untranslated: readonly string[] }[] = [];

  constructor({ stretches }: Recording, summaries: readonly Summary[]) {
    this.#rows = stretches.flat();
    this.#summaries = summaries;
  }

  begin(): void {
    this.#compaction += 1;
    this.#served = [];
  }

  readonly script: Script = ({ body }) => {
    const summary = this.#summaries[this.#compaction];
    if (!summary) throw new Error(`there is no draft for compaction ${this.#compaction + 1}`);
    const live = this.#handles(requestText(body), this.#lasting.live);
    const written = this.#handles(requestText(summary.request), this.#lasting.written);
    const { text, untranslated } = translateDraft(summary.draft, { written, live, shownBefore: this.#shown });
    const { system, messages, max_tokens } = body;
    this.#served.push({ request: { system, messages, max_tokens }, draft: text, untranslated });
    for (const id of live.values()) this.#shown.add(id);
    return text;
  };

  end(): Omit<PithCompaction, keyof Front | "firstKeptEntryId"> {
    const [first, ...later] = this.#served;
    if (!first) throw new Error("the program compacted without a request to its model");
    const corrections = later.map(({ request }) => messageTexts(request).at(-1) ?? "");
    return { calls: this.#served.length, ...first, corrections };
  }

  #handles(request: string, lasting: Map<string, string>): Handles {
    const found = findHandles(request, this.#rows);
    for (const [handle, id] of found) if (handle.startsWith("#")) lasting.set(handle, id);
    return new Map([...lasting, ...found]);
  }
}
