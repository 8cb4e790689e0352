/** Finds reads and writes of files that a later call has made outdated, so that a transcript can name them in one line. */

import { latestEdit } from "../context/build-context.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { isObject } from "../json.ts";
import { completeToolCalls, pairCallResults } from "../ledger/touched-files.ts";
import type { AgentMessage, ToolCallBlock, ToolResultMessage } from "../message.ts";
import { entryReference } from "../references.ts";

export interface StaleCalls {
  /** The line in place of the result of a read. */
  readonly results: ReadonlyMap<ToolResultMessage, string>;
  /** The arguments of a write, with a line in place of the text. */
  readonly arguments: ReadonlyMap<ToolCallBlock, Readonly<Record<string, unknown>>>;
}

export const noStaleCalls: StaleCalls = { results: new Map(), arguments: new Map() };

/**
 * A read is outdated when the same read is done again later, or the whole file is written; a write, when the whole file is written again.
 * Calls that failed make nothing outdated, and a change of a part does not either: it says nothing of the rest.
 */
export function findStaleCalls(entries: readonly Entry[], edits: readonly ContextEditEntry[]): StaleCalls {
  const results = new Map<ToolResultMessage, string>();
  const changedArguments = new Map<ToolCallBlock, Readonly<Record<string, unknown>>>();
  /** By what is written or read: the reference of the newest call that does. */
  const newestReferences = new Map<string, string>();
  // What an edit has changed makes nothing outdated: it may no longer be shown.
  const uneditedEntries = entries.filter((entry) => !latestEdit(edits, entry));
  for (const { call, result, reference } of findFileCalls(uneditedEntries).toReversed()) {
    const { readPath, writePath } = parseFileUse(call);
    const path = writePath ?? readPath;
    if (path === null) continue;
    const key = writePath
      ? `write ${path}`
      : `read ${call.name} ${JSON.stringify(Object.entries(call.arguments).toSorted())}`;
    const laterWrite = newestReferences.get(`write ${path}`);
    const laterCall = newestReferences.get(key);
    if (writePath && laterCall)
      changedArguments.set(call, { ...call.arguments, content: `(outdated: written again in ${laterCall})` });
    else if (laterWrite) results.set(result, `(outdated: the file was written in ${laterWrite})`);
    else if (laterCall) results.set(result, `(outdated: read again in ${laterCall})`);
    if (!laterCall) newestReferences.set(key, reference);
  }
  return { results, arguments: changedArguments };
}

interface FileCall {
  readonly call: ToolCallBlock;
  readonly result: ToolResultMessage;
  /** Of the entry that shows the text: the call of a write, the result of a read. */
  readonly reference: string;
}

/** Calls that succeeded, in the order of the log. */
function findFileCalls(entries: readonly Entry[]): readonly FileCall[] {
  const references = new Map<AgentMessage, string>();
  for (const entry of entries)
    if (entry.type === "message" && isObject(entry.message)) references.set(entry.message, entryReference(entry));
  const results = pairCallResults([...references.keys()]);
  return [...references].flatMap(([message, reference]) =>
    (message.role === "assistant" ? completeToolCalls(message) : []).flatMap((call) => {
      const result = results.get(call);
      if (!result || result.isError || !isObject(call.arguments)) return [];
      const shownReference = parseFileUse(call).writePath ? reference : (references.get(result) ?? reference);
      return [{ call, result, reference: shownReference }];
    }),
  );
}

interface FileUse {
  readonly readPath: string | null;
  /** The file that is written as a whole. */
  readonly writePath: string | null;
}

/** By the names that pi and Pith give their tools. What another tool does with a path and a text, its arguments do not say. */
function parseFileUse({ name, arguments: args }: ToolCallBlock): FileUse {
  const path = typeof args.path === "string" ? args.path : args.file_path;
  if (typeof path !== "string") return { readPath: null, writePath: null };
  return {
    readPath: name === "read" ? path : null,
    writePath: name === "write" && typeof args.content === "string" ? path : null,
  };
}
