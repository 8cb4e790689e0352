/** Finds the files that the model used on a branch, and those whose current text it still sees. */

import type { AssistantMessage, Entry, LoadedBranch } from "@pith/context";
import { entryReference, isBlobHash } from "@pith/context/host";
import { readFileDetails } from "../session/rewind-files.ts";
import { type LineRange, type RereadFile, readLineRange, readRereadFiles } from "../tools/file-access.ts";
import type { ToolArguments } from "../tools/tool-io.ts";

/** The last use of a file. */
export interface FileUse extends Pick<RereadFile, "path" | "name" | "lines"> {
  /** The content that the model knows; null if it changed a file that it had not seen. */
  readonly hash: string | null;
  /** The entry of the use, such as `#41`. */
  readonly reference: string;
}

/** The files that were read, written or edited, most recently used first. Files that the user took out of the context are left out, and so are skills. */
export function collectFileUses(branch: Pick<LoadedBranch, "entries" | "edits">): readonly FileUse[] {
  const uses = new Map<string, FileUse>();
  const toolUses = readToolUses(branch.entries);
  const removedIds = new Set(branch.edits.flatMap(({ targetId, pith }) => (pith ? [] : targetId)));
  for (const entry of branch.entries)
    for (const use of toolUses.get(entry.id) ?? readRereadUses(entry)) {
      const lines = use.lines ?? uses.get(use.path)?.lines;
      uses.delete(use.path);
      if (!removedIds.has(entry.id)) uses.set(use.path, { ...use, ...(lines && { lines }) });
    }
  return [...uses.values()].toReversed();
}

/**
 * The hashes of the files whose text the newest compaction kept: read or written as a whole, and brought up to date by the kept edits.
 * A result or a call that was shortened does not count.
 */
export function findVisibleFiles({ entries, compactionIndex, edits }: LoadedBranch): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  const editedIds = new Set(edits.map(({ targetId }) => targetId));
  for (const use of [...readToolUses(entries.slice(0, Math.max(0, compactionIndex))).values()].flat()) {
    const isIntact = ![use.entryId, use.callEntryId].some((id) => editedIds.has(id));
    const isUpToDate = use.tool !== "edit" || (use.before !== null && hashes.get(use.path) === use.before);
    const isWhole = use.tool !== "read" || use.lines === undefined;
    if (isIntact && isUpToDate && isWhole && use.after !== null) hashes.set(use.path, use.after);
  }
  return hashes;
}

interface ToolUse extends FileUse {
  readonly tool: string;
  readonly entryId: string;
  readonly callEntryId: string;
  /** The content before an edit. */
  readonly before: string | null;
  /** The content that was read or written. */
  readonly after: string | null;
}

/** The successful calls of the file tools, by the entry of the result. */
function readToolUses(entries: readonly Entry[]): ReadonlyMap<string, readonly ToolUse[]> {
  const calls = new Map<string, { readonly args: ToolArguments; readonly entryId: string }>();
  const uses = new Map<string, readonly ToolUse[]>();
  for (const entry of entries) {
    if (entry.type !== "message") continue;
    if (entry.message.role === "assistant")
      for (const { id, args } of readCalls(entry.message)) calls.set(id, { args, entryId: entry.id });
    if (entry.message.role !== "toolResult") continue;
    const { toolCallId, toolName } = entry.message;
    const { args = {}, entryId = "" } = calls.get(toolCallId) ?? {};
    const use = readToolUse(entry, args);
    if (use) uses.set(entry.id, [{ ...use, tool: toolName, entryId: entry.id, callEntryId: entryId }]);
  }
  return uses;
}

function readCalls({ content }: AssistantMessage): readonly { readonly id: string; readonly args: ToolArguments }[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) =>
    block?.type === "toolCall" ? [{ id: block.id, args: Object(block.arguments) as ToolArguments }] : [],
  );
}

function readToolUse(entry: Entry, args: ToolArguments): Omit<ToolUse, "tool" | "entryId" | "callEntryId"> | null {
  const { path, hash, before, after = hash, isStale, reference: skill } = readFileDetails(entry) ?? {};
  if (typeof path !== "string" || !isBlobHash(after) || skill !== undefined) return null;
  const name = typeof args.path === "string" ? args.path : path;
  const lines = readGivenLines(args);
  return {
    path,
    name,
    hash: isStale === true ? null : after,
    reference: entryReference(entry),
    before: isBlobHash(before) ? before : null,
    after,
    ...(lines && { lines }),
  };
}

/** Null if the call names no lines. */
function readGivenLines(args: ToolArguments): LineRange | null {
  const lines = readLineRange(args);
  if (lines.type === "invalid" || (lines.value.offset === 1 && lines.value.limit === undefined)) return null;
  return lines.value;
}

/** The last used first is the order of the entry; here the last used comes last. */
function readRereadUses(entry: Entry): readonly FileUse[] {
  return readRereadFiles(entry)
    .toReversed()
    .map(({ path, name, hash, lines }) => ({
      path,
      name,
      hash,
      reference: entryReference(entry),
      ...(lines && { lines }),
    }));
}
