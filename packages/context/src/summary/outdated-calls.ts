/** Finds reads and writes of files that a later call has made outdated, so that a transcript can name them in one line. */

import { latestEdit } from "../context/build-context.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { isObject } from "../format/read-line.ts";
import { callResults, callsIn } from "../ledger/touched-files.ts";
import type { AgentMessage, ToolCallBlock, ToolResultMessage } from "../message.ts";
import { entryReference } from "../references.ts";

export interface OutdatedCalls {
  /** The line in place of the result of a read. */
  readonly results: ReadonlyMap<ToolResultMessage, string>;
  /** The arguments of a write, with a line in place of the text. */
  readonly arguments: ReadonlyMap<ToolCallBlock, Readonly<Record<string, unknown>>>;
}

export const noneOutdated: OutdatedCalls = { results: new Map(), arguments: new Map() };

/**
 * A read is outdated when the same read is done again later, or the whole file is written; a write, when the whole file is written again.
 * Calls that failed make nothing outdated, and a change of a part does not either: it says nothing of the rest.
 */
export function findOutdatedCalls(entries: readonly Entry[], edits: readonly ContextEditEntry[]): OutdatedCalls {
  const results = new Map<ToolResultMessage, string>();
  const changed = new Map<ToolCallBlock, Readonly<Record<string, unknown>>>();
  /** By what is written or read: the reference of the newest call that does. */
  const newest = new Map<string, string>();
  // What an edit has changed makes nothing outdated: it may no longer be shown.
  const unedited = entries.filter((entry) => !latestEdit(edits, entry));
  for (const { call, result, reference } of fileCalls(unedited).toReversed()) {
    const { reads, writes } = fileUse(call);
    const path = writes ?? reads;
    if (path === null) continue;
    const key = writes
      ? `write ${path}`
      : `read ${call.name} ${JSON.stringify(Object.entries(call.arguments).toSorted())}`;
    const written = newest.get(`write ${path}`);
    const again = newest.get(key);
    if (writes && again) changed.set(call, { ...call.arguments, content: `(outdated: written again in ${again})` });
    else if (written) results.set(result, `(outdated: the file was written in ${written})`);
    else if (again) results.set(result, `(outdated: read again in ${again})`);
    if (!again) newest.set(key, reference);
  }
  return { results, arguments: changed };
}

interface FileCall {
  readonly call: ToolCallBlock;
  readonly result: ToolResultMessage;
  /** Of the entry that shows the text: the call of a write, the result of a read. */
  readonly reference: string;
}

/** Calls that succeeded, in the order of the log. */
function fileCalls(entries: readonly Entry[]): readonly FileCall[] {
  const references = new Map<AgentMessage, string>();
  for (const entry of entries)
    if (entry.type === "message" && isObject(entry.message)) references.set(entry.message, entryReference(entry));
  const results = callResults([...references.keys()]);
  return [...references].flatMap(([message, reference]) =>
    (message.role === "assistant" ? callsIn(message) : []).flatMap((call) => {
      const result = results.get(call);
      if (!result || result.isError || !isObject(call.arguments)) return [];
      const shownAt = fileUse(call).writes ? reference : (references.get(result) ?? reference);
      return [{ call, result, reference: shownAt }];
    }),
  );
}

interface FileUse {
  readonly reads: string | null;
  /** The file that is written as a whole. */
  readonly writes: string | null;
}

/** By the names that pi and Pith give their tools. What another tool does with a path and a text, its arguments do not say. */
function fileUse({ name, arguments: all }: ToolCallBlock): FileUse {
  const path = typeof all.path === "string" ? all.path : all.file_path;
  if (typeof path !== "string") return { reads: null, writes: null };
  return {
    reads: name === "read" ? path : null,
    writes: name === "write" && typeof all.content === "string" ? path : null,
  };
}
