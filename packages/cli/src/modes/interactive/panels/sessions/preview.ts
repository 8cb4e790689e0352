/** Reads the preview of a session: model, goal and last messages. Of a session over 2 MB only the last 256 KB are read. */

import { open } from "node:fs/promises";
import type { Entry, Redaction } from "@pith/context";
import { entryText, removeCitations, sanitizeLine } from "@pith/context/host";
import { type JsonlStore, readSessionTotals, type SessionItem } from "@pith/context/node";
import { entryDisplayText } from "../../../../sessions/entries.ts";
import { looked } from "../../../../sessions/find-session.ts";
import { branchesOf } from "../../../../sessions/tree-lines.ts";
import type { About, Change, SessionSource } from "./state.ts";

/** Null where the summary has no sections that say it. */
export function gistOf(summary: string): string | null {
  const goal = itemsUnder("Goal", summary)[0] ?? latestRequest(summary);
  const next = itemsUnder("In Progress", summary)[0] ?? itemsUnder("Next Steps", summary)[0];
  const sentences = [goal, next === undefined ? undefined : `Next: ${next}`].flatMap((words) =>
    words === undefined ? [] : [ended(words)],
  );
  return sentences.length === 0 ? null : sentences.join(" ");
}

/** A summary that code wrote has no goal, but ends with the request where that is no longer shown. */
function latestRequest(summary: string): string | undefined {
  const [, words] = /^# The user's latest request[^\n]*\n([^\n]+)/m.exec(summary) ?? [];
  return words && sanitizeLine(words, MAX_GIST_CHARS);
}

/** The lines of a section, without their marks and without the numbers of what they rest on. */
function itemsUnder(title: string, summary: string): readonly string[] {
  const heading = new RegExp(`^#{2,3} ${title}[ \\t]*\\n([\\s\\S]*?)(?=^#{1,3} |(?![\\s\\S]))`, "m");
  const [, section = ""] = heading.exec(summary) ?? [];
  return section
    .split("\n")
    .map((line) => cleaned(line))
    .filter((line) => line !== "" && line !== "(none)");
}

function cleaned(line: string): string {
  const words = removeCitations(line.replace(/^\s*(?:[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?/, "")).replaceAll("**", "");
  return sanitizeLine(words, MAX_GIST_CHARS);
}

const MAX_GIST_CHARS = 160;

function ended(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** In file order, on whatever branch they stand; none where the file cannot be read. */
export async function tailEntries(path: string): Promise<readonly Entry[]> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const bytes = Buffer.alloc(Math.min(size, TAIL));
      await file.read(bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8").split("\n").slice(1).flatMap(entryOn);
    } finally {
      await file.close();
    }
  } catch {
    // A look that cannot be had shows nothing; whoever opens the session hears why.
    return [];
  }
}

const TAIL = 256 * 1024;

function entryOn(line: string): readonly Entry[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof Object(value).type === "string" ? [value as Entry] : [];
  } catch {
    // Cut, or damaged: the others tell enough.
    return [];
  }
}

/** One that cannot be opened tells nothing. */
export async function lookInto({ path, size }: SessionItem): Promise<About> {
  if (size > LONG) return toldBy(await tailEntries(path));
  const read = await looked(path, async (store) => ({ type: "read" as const, about: await seenIn(store, size) }));
  if (read.type !== "read") return nothing;
  const counted = size <= COUNTED ? await readSessionTotals(path) : null;
  if (counted?.type !== "counted") return read.about;
  const { entries, usage } = counted.totals;
  return { ...read.about, entries, cost: usage.cost.total };
}

/** Bytes: of what is longer and was never compacted, all would have to be read. */
const LONG = 2 * 1024 * 1024;
/** Bytes that are read in a moment. */
const COUNTED = 512 * 1024;

const nothing: About = { gist: null, model: null, isForeign: false, lastSaid: "", lastAnswer: "" };

async function seenIn(store: JsonlStore, size: number): Promise<About> {
  const leaf = await store.leaf();
  const { entries, state } = await store.loadBranch(leaf);
  const branches = size <= COUNTED ? await branchesOf({ store, leaf }) : null;
  return {
    ...toldBy(entries),
    model: state.model?.modelId ?? null,
    isForeign: store.header.pith?.format === undefined,
    ...(branches !== null && { branches }),
  };
}

/** Files are not checked field by field: what is of another shape tells nothing. */
function toldBy(entries: readonly Entry[]): About {
  try {
    const compaction = entries.findLast((entry) => entry.type === "compaction");
    const reply = entries.findLast((entry) => isOf(entry, "assistant"));
    return {
      ...nothing,
      gist: compaction?.type === "compaction" ? gistOf(compaction.summary) : null,
      model: reply?.type === "message" && reply.message.role === "assistant" ? reply.message.model : null,
      lastSaid: lastWords(entries, "user"),
      lastAnswer: lastWords(entries, "assistant"),
    };
  } catch {
    return nothing;
  }
}

function lastWords(entries: readonly Entry[], role: "user" | "assistant"): string {
  const entry = entries.findLast((each) => isOf(each, role) && entryText(each).trim() !== "");
  return entry ? sanitizeLine(entryDisplayText(entry), LETTERS) : "";
}

function isOf(entry: Entry, role: "user" | "assistant"): boolean {
  return entry.type === "message" && entry.message.role === role;
}

const LETTERS = 400;

/** Reads each session once; a new call ends the one before it, so that the visible rows come first. */
export function looker(
  redaction: () => Promise<Redaction>,
  into: (item: SessionItem) => Promise<About> = lookInto,
): SessionSource["look"] {
  let newest = 0;
  const looked = new Map<string, Promise<About>>();
  const once = (item: SessionItem): Promise<About> => {
    const about = looked.get(item.path) ?? redaction().then(async ({ redact: redacted }) => redacted(await into(item)));
    looked.set(item.path, about);
    return about;
  };
  return async (items, signal) => {
    newest += 1;
    const own = newest;
    const seen = new Map<string, About>();
    for (const item of items) {
      // Whoever has gone on looks at others now.
      if (signal.aborted || own !== newest) break;
      seen.set(item.path, await once(item));
    }
    return known(seen);
  };
}

function known(seen: ReadonlyMap<string, About>): Change {
  return (state) => ({ ...state, abouts: new Map([...state.abouts, ...seen]) });
}
