/** Compacts the recorded sessions where they were compacted, with their files on disk, and measures the files that are read again. */

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Agent, fileTools, ReadTracker, readRereadFiles, readRereadTokens } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import type { Figures } from "@pith/bench/suite";
import { compactionLimits, MemoryStore, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { scriptedModel } from "@pith/context/testing";
import { listEntryRuns } from "../played/play-pith.ts";
import {
  contentText,
  type RecordedContent,
  type RecordedRow,
  type Recording,
  readRecording,
} from "../played/recording.ts";

/** The tokens of the files that are read again, over all compactions of both recordings. */
export async function measureRereads(log: (text: string) => void): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const name of ["played", "played-rules"] as const) {
    const rereads = await playRereads(readRecording(name));
    for (const [index, { tokens, files }] of rereads.entries())
      log(`${name}, compaction ${index + 1}: ${tokens} tokens of files read again (${files.join(", ") || "none"})`);
    figures[`reread_tokens_${name.replace("-", "_")}`] = rereads.reduce((sum, { tokens }) => sum + tokens, 0);
  }
  return figures;
}

interface Reread {
  readonly tokens: number;
  readonly files: readonly string[];
}

async function playRereads(recording: Recording): Promise<readonly Reread[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pith-rereads-")));
  try {
    const files = new RecordedFiles(root);
    const agent = await createAgent(root);
    const rereads: Reread[] = [];
    for (const rows of recording.segments) {
      await appendRows(agent.session, rows, { recording, files });
      files.writeAll();
      const outcome = await agent.compact();
      if (outcome.type !== "compacted") throw new Error(`the session was not compacted: ${JSON.stringify(outcome)}`);
      const { entries, compactionIndex } = agent.session.branch;
      const added = entries.slice(compactionIndex).filter((entry) => readRereadFiles(entry).length > 0);
      rereads.push({
        tokens: added.reduce((sum, entry) => sum + readRereadTokens(entry), 0),
        files: added.flatMap(readRereadFiles).map(({ name }) => name),
      });
    }
    return rereads;
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function createAgent(root: string): Promise<Agent> {
  const files = nodeFiles({ root });
  const readTracker = new ReadTracker();
  return new Agent({
    session: await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime),
    model: { ...scriptedModel(), contextWindow: 24_000 },
    tools: fileTools({ files }, readTracker),
    summarizers: [],
    runtime: nodeRuntime,
    thinkingLevel: "off",
    limits: LIMITS,
    rereadFiles: { files, readTracker, checkPermission: async (path) => ({ type: "permitted", realPath: path }) },
  });
}

/** As in the recorded sessions, without the limits per hour. */
const LIMITS = {
  ...compactionLimits,
  thresholds: [{ reserve: { tokens: 6_000 } }],
  tail: { tokens: 4_800, share: 0.2 },
  hourly: { calls: Number.POSITIVE_INFINITY, cost: Number.POSITIVE_INFINITY },
};

interface AppendRowsOptions {
  readonly recording: Recording;
  readonly files: RecordedFiles;
}

/** Without what the recorded compactions added: this program adds its own. */
async function appendRows(session: Session, rows: readonly RecordedRow[], options: AppendRowsOptions): Promise<void> {
  const { recording, files } = options;
  const completed = rows.map((row) => files.applyRow(row));
  const isAdded = ({ type, customType }: RecordedRow): boolean =>
    type === "context_edit" || customType === "pith.state.files";
  const omitted = [...recording.compactions, ...completed.filter(isAdded).map(({ id }) => id)];
  const kept = completed.filter((row) => !isAdded(row));
  for (const { target, drafts } of listEntryRuns(kept, omitted)) {
    const outcome = await (target === null ? session.append(...drafts) : session.move(target, { newEntries: drafts }));
    if (outcome.type !== "appended") throw new Error(`the recorded entries were not appended: ${outcome.type}`);
  }
}

/** The files of a recorded session, as far as its entries show them. What commands changed is seen when a file is read next. */
class RecordedFiles {
  readonly #root: string;
  readonly #texts = new Map<string, string>();
  readonly #calls = new Map<string, RecordedContent>();

  constructor(root: string) {
    this.#root = root;
  }

  writeAll(): void {
    for (const [path, text] of this.#texts) {
      mkdirSync(dirname(join(this.#root, path)), { recursive: true });
      writeFileSync(join(this.#root, path), text);
    }
  }

  /** Follows the row, and returns it with the details that `read`, `write` and `edit` record about the file. */
  applyRow(row: RecordedRow): RecordedRow {
    const { message } = row;
    if (row.customType === "pith.state.files") this.#applyCopies(row.content as readonly RecordedContent[]);
    if (message?.role === "assistant" && Array.isArray(message.content))
      for (const block of message.content) if (block.type === "toolCall") this.#calls.set(String(block.id), block);
    if (message?.role !== "toolResult" || message.isError === true) return row;
    const call = this.#calls.get(String(message.toolCallId));
    const path = String(call?.arguments?.path ?? "");
    const before = this.#texts.get(path);
    if (!call || path === "" || path.startsWith("#") || !this.#apply(path, call, contentText(message))) return row;
    const hash = hashText(this.#texts.get(path) ?? "");
    const change =
      call.name === "read" ? { hash } : { before: before === undefined ? null : hashText(before), after: hash };
    return {
      ...row,
      message: { ...message, details: { pith: { path: join(this.#root, path), ...change } } },
    } as RecordedRow;
  }

  /** Whether the text of the file is known afterwards. */
  #apply(path: string, { name, arguments: args = {} }: RecordedContent, result: string): boolean {
    if (name === "write") this.#texts.set(path, String(args.content));
    if (name === "read" && args.offset === undefined && args.limit === undefined) this.#texts.set(path, result);
    if (name === "edit") {
      const edits = (args.edits ?? [args]) as readonly { readonly oldText: string; readonly newText: string }[];
      const text = edits.reduce(
        (each, { oldText, newText }) => each.replace(oldText, () => newText),
        this.#texts.get(path) ?? "",
      );
      this.#texts.set(path, text);
    }
    return ["read", "write", "edit"].includes(name ?? "") && this.#texts.has(path);
  }

  /** The recorded copies show what commands changed. */
  #applyCopies(blocks: readonly RecordedContent[]): void {
    for (const { text = "" } of blocks) {
      const [, path, copy] = /^(\S+) \(the whole file; .*\n`{3,}\n(.*)\n`{3,}$/s.exec(text) ?? [];
      if (path !== undefined && copy !== undefined) this.#texts.set(path, `${copy}\n`);
    }
  }
}

function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
