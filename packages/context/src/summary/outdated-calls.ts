/** Finds reads and writes of files that a later call has made outdated, so that a transcript can name them in one line. */

import { latestEdit } from "../context/build-context.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { isObject } from "../format/read-line.ts";
import { callMeaning, callResults, callsIn, type ToolRoles } from "../ledger/touched-files.ts";
import type { AgentMessage, ToolCallBlock, ToolResultMessage } from "../message.ts";
import { entryReference } from "../references.ts";

export interface OutdatedCalls {
  /** The line in place of the result of a read. */
  readonly results: ReadonlyMap<ToolResultMessage, string>;
  /** The arguments of a write, with a line in place of the text. */
  readonly arguments: ReadonlyMap<ToolCallBlock, Readonly<Record<string, unknown>>>;
}

export const noneOutdated: OutdatedCalls = { results: new Map(), arguments: new Map() };

export interface OutdatedParts {
  /** What an edit has changed makes nothing outdated: it may no longer be shown. */
  readonly edits: readonly ContextEditEntry[];
  readonly tools: ToolRoles;
}

/**
 * A read is outdated when the same read is done again later, or the whole file is written; a write, when the whole file is written again.
 * Calls that failed make nothing outdated, and a change of a part does not either: it says nothing of the rest.
 */
export function findOutdatedCalls(entries: readonly Entry[], { edits, tools }: OutdatedParts): OutdatedCalls {
  const results = new Map<ToolResultMessage, string>();
  const changed = new Map<ToolCallBlock, Readonly<Record<string, unknown>>>();
  /** By what is written or read: the reference of the newest call that does. */
  const newest = new Map<string, string>();
  const unedited = entries.filter((entry) => !latestEdit(edits, entry));
  for (const { call, result, reference } of fileCalls(unedited, tools).toReversed()) {
    const { reads, writes } = fileUse(call, tools);
    const path = writes?.path ?? reads[0];
    if (path === undefined) continue;
    const key = writes
      ? `write ${path}`
      : `read ${call.name} ${JSON.stringify(Object.entries(call.arguments).toSorted())}`;
    const written = newest.get(`write ${path}`);
    const again = newest.get(key);
    if (writes && again)
      changed.set(call, { ...call.arguments, [writes.name]: `(outdated: written again in ${again})` });
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
function fileCalls(entries: readonly Entry[], tools: ToolRoles): readonly FileCall[] {
  const references = new Map<AgentMessage, string>();
  for (const entry of entries)
    if (entry.type === "message" && isObject(entry.message)) references.set(entry.message, entryReference(entry));
  const results = callResults([...references.keys()]);
  return [...references].flatMap(([message, reference]) =>
    (message.role === "assistant" ? callsIn(message) : []).flatMap((call) => {
      const result = results.get(call);
      if (!result || result.isError || !isObject(call.arguments)) return [];
      const shownAt = fileUse(call, tools).writes ? reference : (references.get(result) ?? reference);
      return [{ call, result, reference: shownAt }];
    }),
  );
}

interface FileUse {
  readonly reads: readonly string[];
  /** The file that is written as a whole, and the argument that holds its text. */
  readonly writes: { readonly path: string; readonly name: string } | null;
}

function fileUse(call: ToolCallBlock, tools: ToolRoles): FileUse {
  const { reads, modifies } = callMeaning(call, tools);
  const [path, ...others] = modifies;
  const name = Object.keys(call.arguments).find((each) => WHOLE_TEXT.test(each.replace(/[_-]/g, "").toLowerCase()));
  const isWhole = path !== undefined && others.length === 0 && typeof call.arguments[name ?? ""] === "string";
  const writes = isWhole && name !== undefined ? { path, name } : null;
  return { reads: modifies.length === 0 && reads.length === 1 ? reads : [], writes };
}

const WHOLE_TEXT = /^(?:contents?|filetext)$/;
