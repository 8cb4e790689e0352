/** Finds reads and writes of files that a later call made stale, so that a transcript shows one line instead of their text. */

import { latestEdit } from "../context/build-context.ts";
import { type ContextEditEntry, type Entry, entryReference } from "../entry.ts";
import { isObject } from "../json.ts";
import { completeToolCalls, pairCallResults } from "../ledger/touched-files.ts";
import type { AgentMessage, ToolCallBlock, ToolResultMessage } from "../message.ts";

/** The stale calls of a transcript, and what replaces their text. */
export interface StaleCalls {
  /** The line that replaces the result of a stale read. */
  readonly results: ReadonlyMap<ToolResultMessage, string>;
  /** The arguments of a stale write, with a line in place of the content. */
  readonly arguments: ReadonlyMap<ToolCallBlock, Readonly<Record<string, unknown>>>;
}

export const noStaleCalls: StaleCalls = { results: new Map(), arguments: new Map() };

/**
 * Finds stale calls. A read is stale if the same read is repeated later or the file is written as a whole; a write is stale if
 * the file is written as a whole again. Failed calls and partial edits make nothing stale.
 */
export function findStaleCalls(entries: readonly Entry[], edits: readonly ContextEditEntry[]): StaleCalls {
  const results = new Map<ToolResultMessage, string>();
  const changedArguments = new Map<ToolCallBlock, Readonly<Record<string, unknown>>>();
  /** The reference of the newest call, by what it reads or writes. */
  const newestReferences = new Map<string, string>();
  // An entry with a context edit makes nothing stale, because its text may no longer be shown.
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
  /** The entry that shows the text: the call for a write, the result for a read. */
  readonly reference: string;
}

/** Returns the successful calls, in order. */
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
  /** The path of a file that is written as a whole. */
  readonly writePath: string | null;
}

/** Recognises the tools of pi and Pith by name. The arguments of other tools do not say what they do with a path. */
function parseFileUse({ name, arguments: args }: ToolCallBlock): FileUse {
  const path = typeof args.path === "string" ? args.path : args.file_path;
  if (typeof path !== "string") return { readPath: null, writePath: null };
  return {
    readPath: name === "read" ? path : null,
    writePath: name === "write" && typeof args.content === "string" ? path : null,
  };
}
