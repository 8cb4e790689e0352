/** Reads the preview of a session: model, goal and last messages. For a file over 2 MB, only the last 256 KB are read. */

import { open } from "node:fs/promises";
import type { Entry, Redaction } from "@pith/context";
import { entryText, removeCitations, sanitizeLine } from "@pith/context/host";
import { type JsonlStore, readSessionTotals, type SessionItem } from "@pith/context/node";
import { entryDisplayText } from "../../../../sessions/entries.ts";
import { readSession } from "../../../../sessions/find-session.ts";
import { countBranches } from "../../../../sessions/tree-lines.ts";
import type { SessionPreview, SessionSource } from "./state.ts";

/** Returns the goal and the next step of a summary. Null if it has neither. */
export function extractGist(summary: string): string | null {
  const goal = readSection("Goal", summary)[0] ?? findLatestRequest(summary);
  const next = readSection("In Progress", summary)[0] ?? readSection("Next Steps", summary)[0];
  const sentences = [goal, next === undefined ? undefined : `Next: ${next}`].flatMap((text) =>
    text === undefined ? [] : [endSentence(text)],
  );
  return sentences.length === 0 ? null : sentences.join(" ");
}

/** A summary built without a model has no goal. It ends with the latest request, if the request is no longer in the context. */
function findLatestRequest(summary: string): string | undefined {
  const [, text] = /^# The user's latest request[^\n]*\n([^\n]+)/m.exec(summary) ?? [];
  return text && sanitizeLine(text, MAX_GIST_CHARS);
}

/** Returns the lines of a section without list marks and citations. */
function readSection(title: string, summary: string): readonly string[] {
  const heading = new RegExp(`^#{2,3} ${title}[ \\t]*\\n([\\s\\S]*?)(?=^#{1,3} |(?![\\s\\S]))`, "m");
  const [, section = ""] = heading.exec(summary) ?? [];
  return section
    .split("\n")
    .map((line) => cleanLine(line))
    .filter((line) => line !== "" && line !== "(none)");
}

function cleanLine(line: string): string {
  const text = removeCitations(line.replace(/^\s*(?:[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?/, "")).replaceAll("**", "");
  return sanitizeLine(text, MAX_GIST_CHARS);
}

const MAX_GIST_CHARS = 160;

function endSentence(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Returns the last entries in file order, of any branch. Empty if the file cannot be read. */
async function readTailEntries(path: string): Promise<readonly Entry[]> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
      await file.read(bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8").split("\n").slice(1).flatMap(parseEntry);
    } finally {
      await file.close();
    }
  } catch {
    // The preview stays empty. The error is shown if the user opens the session.
    return [];
  }
}

const TAIL_BYTES = 256 * 1024;

function parseEntry(line: string): readonly Entry[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof Object(value).type === "string" ? [value as Entry] : [];
  } catch {
    // The line is cut or damaged; the other lines are enough for a preview.
    return [];
  }
}

/** Returns an empty preview if the session cannot be opened. */
export async function readPreview({ path, size }: SessionItem): Promise<SessionPreview> {
  if (size > MAX_FULL_READ_BYTES) return previewFromEntries(await readTailEntries(path));
  const read = await readSession(path, async (store) => ({
    type: "read" as const,
    preview: await previewFromStore(store, size),
  }));
  if (read.type !== "read") return emptyPreview;
  const totalsResult = size <= MAX_COUNTED_BYTES ? await readSessionTotals(path) : null;
  if (totalsResult?.type !== "counted") return read.preview;
  const { entries, usage } = totalsResult.totals;
  return { ...read.preview, entries, cost: usage.cost.total };
}

/** Opening a session without a compaction reads the whole file, so larger files are not opened. */
const MAX_FULL_READ_BYTES = 2 * 1024 * 1024;
/** Counting entries and branches reads the whole file, so larger files are not counted. */
const MAX_COUNTED_BYTES = 512 * 1024;

const emptyPreview: SessionPreview = { gist: null, model: null, isForeign: false, lastPrompt: "", lastReply: "" };

async function previewFromStore(store: JsonlStore, size: number): Promise<SessionPreview> {
  const leaf = await store.leaf();
  const { entries, state } = await store.loadBranch(leaf);
  const branches = size <= MAX_COUNTED_BYTES ? await countBranches({ store, leaf }) : null;
  return {
    ...previewFromEntries(entries),
    model: state.model?.modelId ?? null,
    isForeign: store.header.pith?.format === undefined,
    ...(branches !== null && { branches }),
  };
}

/** Entries are not validated, so an unexpected shape gives an empty preview. */
function previewFromEntries(entries: readonly Entry[]): SessionPreview {
  try {
    const compaction = entries.findLast((entry) => entry.type === "compaction");
    const reply = entries.findLast((entry) => hasRole(entry, "assistant"));
    return {
      ...emptyPreview,
      gist: compaction?.type === "compaction" ? extractGist(compaction.summary) : null,
      model: reply?.type === "message" && reply.message.role === "assistant" ? reply.message.model : null,
      lastPrompt: findLastText(entries, "user"),
      lastReply: findLastText(entries, "assistant"),
    };
  } catch {
    return emptyPreview;
  }
}

function findLastText(entries: readonly Entry[], role: "user" | "assistant"): string {
  const entry = entries.findLast((candidate) => hasRole(candidate, role) && entryText(candidate).trim() !== "");
  return entry ? sanitizeLine(entryDisplayText(entry), MAX_TEXT_CHARS) : "";
}

function hasRole(entry: Entry, role: "user" | "assistant"): boolean {
  return entry.type === "message" && entry.message.role === role;
}

const MAX_TEXT_CHARS = 400;

/** Reads each session once. A new call ends the previous one, so that the visible rows come first. */
export function createPreviewReader(
  redaction: () => Promise<Redaction>,
  read: (item: SessionItem) => Promise<SessionPreview> = readPreview,
): SessionSource["readPreviews"] {
  let latestCall = 0;
  const cache = new Map<string, Promise<SessionPreview>>();
  const readOnce = (item: SessionItem): Promise<SessionPreview> => {
    const preview = cache.get(item.path) ?? redaction().then(async ({ redact }) => redact(await read(item)));
    cache.set(item.path, preview);
    return preview;
  };
  return async (items, signal) => {
    latestCall += 1;
    const call = latestCall;
    const previews = new Map<string, SessionPreview>();
    for (const item of items) {
      // The user has moved on to other rows.
      if (signal.aborted || call !== latestCall) break;
      previews.set(item.path, await readOnce(item));
    }
    return (state) => ({ ...state, previews: new Map([...state.previews, ...previews]) });
  };
}
