/** What a batch must keep to before it may be appended. Throws a sentence that names the entry: a caller's mistake, not an outcome. */

import type { CompactionEntry, ContextEditEntry, Entry } from "../entry.ts";

/** What a store answers about what it holds. */
export interface Holdings {
  /** From the parent of the batch's first entry up to its root. */
  readonly above: () => Iterable<Entry>;
  readonly has: (id: string) => boolean;
}

/** Throws a sentence that names the entry where a batch may not be appended; a store asks it before it writes. */
export function checkBatch(batch: readonly Entry[], { above, has }: Holdings): void {
  const own = new Set<string>();
  for (const [at, entry] of batch.entries()) {
    const before = (id: string): boolean => own.has(id) || has(id);
    const onBranch = (id: string): Entry | undefined => onBranchOf(batch.slice(0, at), above(), id);
    checkPlace(entry, batch[at - 1], before);
    if (entry.type === "compaction") checkFirstKept(entry, onBranch);
    if (entry.type === "context_edit") checkEdit(entry, onBranch);
    if (entry.type === "label" && !before(entry.targetId)) throw absent(entry, "labels", entry.targetId);
    own.add(entry.id);
  }
}

// TREE1, TREE2
function checkPlace(entry: Entry, previous: Entry | undefined, before: (id: string) => boolean): void {
  if (entry.type === "gap") throw new Error(`entry ${entry.id} is a gap; gaps are found when reading, never written`);
  if (entry.id === "") throw new Error("an entry needs an id");
  if (before(entry.id)) throw new Error(`entry ${entry.id} is in this session already, with other content`);
  if (previous && entry.parentId !== previous.id)
    throw new Error(`entry ${entry.id} must follow ${previous.id}, the entry before it in its batch`);
  if (entry.parentId !== null && !before(entry.parentId)) throw absent(entry, "follows", entry.parentId);
}

// TREE6
function checkFirstKept(entry: CompactionEntry, onBranch: (id: string) => Entry | undefined): void {
  if (entry.firstKeptEntryId === entry.id) return;
  const kept = onBranch(entry.firstKeptEntryId);
  if (!kept)
    throw new Error(
      `compaction ${entry.id} keeps ${entry.firstKeptEntryId}, which is not before it on its branch; to keep nothing it names itself`,
    );
  if (isToolResult(kept)) throw new Error(`compaction ${entry.id} would keep tool result ${kept.id} without its call`);
}

function checkEdit(entry: ContextEditEntry, onBranch: (id: string) => Entry | undefined): void {
  const target = onBranch(entry.targetId);
  if (!target)
    throw new Error(`context edit ${entry.id} changes ${entry.targetId}, which is not before it on its branch`);
  if (!isEditable(target))
    throw new Error(`context edit ${entry.id} changes ${target.id}, which has no content to edit`);
}

function onBranchOf(earlier: readonly Entry[], above: Iterable<Entry>, id: string): Entry | undefined {
  const own = earlier.find((entry) => entry.id === id);
  if (own) return own;
  for (const entry of above) if (entry.id === id) return entry;
  return undefined;
}

function isToolResult(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "toolResult";
}

/** Whether an edit can change what it gives to the context (TREE7). */
export function isEditable(entry: Entry): boolean {
  if (entry.type === "custom_message") return true;
  return entry.type === "message" && ["user", "assistant", "toolResult"].includes(entry.message.role);
}

function absent(entry: Entry, verb: string, id: string): Error {
  return new Error(`entry ${entry.id} ${verb} ${id}, which is not in this session`);
}
