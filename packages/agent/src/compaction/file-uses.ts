/** Finds the files that the model is working with after a compaction, and which of them the kept messages already show. */

import type { AssistantMessage, Entry, LoadedBranch } from "@pith/context";
import { entryReference, isBlobHash, splitContent } from "@pith/context/host";
import { findPendingWork, wasStoppedByUser } from "../pending-work.ts";
import { readFileDetails } from "../rewind-files.ts";
import type { RereadFile } from "../tools/file-access.ts";
import type { ToolArguments } from "../tools/tool-io.ts";

/** The last use of a file. */
export interface FileUse extends Pick<RereadFile, "path" | "name" | "hash"> {
  /** The entry of the use, such as `#41`. */
  readonly reference: string;
  /** The position of the entry on the branch. */
  readonly index: number;
}

/**
 * RST10: the files that the latest request names, then those that were used in the run that continues, most recently used first. Files that
 * the user took out of the context are left out, and so are skills.
 */
export function findFilesInUse({ entries, edits }: Pick<LoadedBranch, "entries" | "edits">): readonly FileUse[] {
  const removedIds = new Set(edits.flatMap(({ targetId, pith }) => (pith ? [] : targetId)));
  const uses = new Map<string, FileUse>();
  for (const use of readToolUses(entries)) {
    uses.delete(use.path);
    if (!removedIds.has(use.entryId)) uses.set(use.path, use);
  }
  const isNamed = createNameLookup(entries);
  const runStart = findRunStart(entries);
  const recentUses = [...uses.values()].toReversed();
  const named = recentUses.filter(({ path }) => isNamed(path));
  return [...named, ...recentUses.filter((use) => use.index >= runStart && !named.includes(use))];
}

/** Where the run began that continues after the compaction; infinite if the model has answered, or the user has stopped it. */
function findRunStart(entries: readonly Entry[]): number {
  const pending = findPendingWork(entries);
  if (pending === null || pending.type === "nothing" || wasStoppedByUser(entries)) return Number.POSITIVE_INFINITY;
  let start = 0;
  let previousRole = "";
  for (const [index, entry] of entries.entries()) {
    if (entry.type !== "message") continue;
    const { role } = entry.message;
    // A message after a tool result steers the run and does not begin another one.
    if (role === "user" && previousRole !== "toolResult") start = index;
    previousRole = role;
  }
  return start;
}

/** Whether the latest request names a file: by its path or the end of it, such as `cli.ts` or `src/cli.ts` for `/work/src/cli.ts`. */
function createNameLookup(entries: readonly Entry[]): (path: string) => boolean {
  const request = entries.findLast((entry) => entry.type === "message" && entry.message.role === "user");
  if (request?.type !== "message" || request.message.role !== "user") return () => false;
  const { typed } = splitContent(request.message.content);
  const names = typed.split(/[\s"'`()[\]{}<>,;:!?|*=]+/u).map((word) => word.replace(/^(?:\.?\/)+|\.+$/g, ""));
  const namedPaths = new Set(names.filter((name) => name !== ""));
  return (path) => {
    const parts = path.split(/[\\/]/);
    return parts.some((_, index) => namedPaths.has(parts.slice(index).join("/")));
  };
}

/** Whether the kept messages show a file as it is on disk. */
export type IsFileShown = (file: Pick<RereadFile, "path" | "hash"> & { readonly text: string }) => boolean;

/**
 * RST2: a file is shown if it was read or written as a whole and brought up to date by the kept edits, or if the kept messages contain its
 * lines, for example as the output of a command.
 */
export function createShownFileLookup(branch: LoadedBranch): IsFileShown {
  const { entries, compactionIndex, edits } = branch;
  const editedIds = new Set(edits.map(({ targetId }) => targetId));
  const kept = entries.slice(0, Math.max(0, compactionIndex));
  const hashes = findKnownHashes(kept, editedIds);
  const shownTexts = kept.filter(({ id }) => !editedIds.has(id)).flatMap((entry) => collectTexts(entry).map(toLines));
  return ({ path, hash, text }) => hashes.get(path) === hash || containsAllLines(shownTexts, toLines(text));
}

/** A result or a call that was shortened does not count. */
function findKnownHashes(kept: readonly Entry[], editedIds: ReadonlySet<string>): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  for (const use of readToolUses(kept)) {
    const isIntact = ![use.entryId, use.callEntryId].some((id) => editedIds.has(id));
    const isUpToDate = use.tool !== "edit" || (use.before !== null && hashes.get(use.path) === use.before);
    if (isIntact && isUpToDate && !(use.tool === "read" && use.isPart)) hashes.set(use.path, use.hash);
  }
  return hashes;
}

function collectTexts(entry: Entry): readonly string[] {
  if (entry.type !== "message") return [];
  const { message } = entry;
  if (message.role === "bashExecution") return [message.output];
  return "content" in message ? collectStrings(message.content) : [];
}

/** The texts of blocks, and the arguments of calls. Reasoning and images are left out. */
function collectStrings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  const { type } = value as { readonly type?: unknown };
  return type === "thinking" || type === "image" ? [] : Object.values(value).flatMap(collectStrings);
}

/** Blank lines and spaces at the end of a line say nothing about where a text comes from. */
function toLines(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : line.trimEnd()));
}

/** Whether texts contain all lines, in parts of several lines each. A line may have a prefix, such as a number or a `+`. */
function containsAllLines(texts: readonly (readonly string[])[], lines: readonly string[]): boolean {
  if (lines.length === 0) return false;
  for (let start = 0; start < lines.length; ) {
    const remaining = lines.slice(start);
    const count = Math.max(0, ...texts.map((text) => countCommonLines(text, remaining)));
    if (count < Math.min(MIN_PART_LINES, remaining.length)) return false;
    start += count;
  }
  return true;
}

/** Fewer lines, such as imports or closing brackets, may come from another file. */
const MIN_PART_LINES = 5;

/** The largest number of first lines that follow each other in a text. */
function countCommonLines(text: readonly string[], lines: readonly string[]): number {
  let longest = 0;
  for (let index = 0; index < text.length && longest < lines.length; index++) {
    let count = 0;
    while (count < lines.length && text[index + count]?.endsWith(lines[count] ?? "")) count++;
    longest = Math.max(longest, count);
  }
  return longest;
}

interface ToolUse extends FileUse {
  readonly tool: string;
  readonly entryId: string;
  readonly callEntryId: string;
  /** The content before an edit. */
  readonly before: string | null;
  /** Whether the call names lines. */
  readonly isPart: boolean;
}

/** The successful calls of the file tools, in order. */
function readToolUses(entries: readonly Entry[]): readonly ToolUse[] {
  const calls = new Map<string, { readonly args: ToolArguments; readonly entryId: string }>();
  return entries.flatMap((entry, index) => {
    if (entry.type !== "message") return [];
    if (entry.message.role === "assistant")
      for (const { id, args } of readCalls(entry.message)) calls.set(id, { args, entryId: entry.id });
    if (entry.message.role !== "toolResult") return [];
    const { args = {}, entryId = "" } = calls.get(entry.message.toolCallId) ?? {};
    const { path, hash, before, after = hash, reference: skill } = readFileDetails(entry) ?? {};
    if (typeof path !== "string" || !isBlobHash(after) || skill !== undefined) return [];
    return {
      path,
      name: typeof args.path === "string" ? args.path : path,
      hash: after,
      reference: entryReference(entry),
      index,
      tool: entry.message.toolName,
      entryId: entry.id,
      callEntryId: entryId,
      before: isBlobHash(before) ? before : null,
      isPart: args.limit !== undefined || (args.offset ?? 1) !== 1,
    };
  });
}

function readCalls({ content }: AssistantMessage): readonly { readonly id: string; readonly args: ToolArguments }[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) =>
    block?.type === "toolCall" ? [{ id: block.id, args: Object(block.arguments) as ToolArguments }] : [],
  );
}
