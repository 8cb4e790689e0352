/** Moves in the session tree, with a branch summary and restored files on request, and undoes or redoes a compaction. */

import {
  type Entry,
  type MoveResult,
  moveTo,
  redoCompaction,
  type Session,
  type UndoResult,
  undoCompaction,
} from "@pith/context";
import type { QueuedMessage } from "@pith/context/host";
import { runWithEvents } from "../async.ts";
import { progressEvent } from "../compaction/compact.ts";
import type { AgentEvent } from "../events.ts";
import { enqueue, removeDelivered } from "../loop/message-queue.ts";
import {
  type MovePath,
  type PlannedFile,
  planRewind,
  type RewindOptions,
  type RewindResult,
  rewindFiles,
} from "../rewind-files.ts";
import type { RunContext } from "../run-context.ts";

/** What a move in the tree would do to the files that the session changed. No file is touched. */
export async function planFileRestore(
  target: string | null,
  session: Session,
  rewind: RewindOptions,
): Promise<readonly PlannedFile[]> {
  const { store, leaf } = session;
  const ancestorId = await store.commonAncestor(leaf, target);
  const leftEntries = listEntriesAfter(session, ancestorId) ?? (await readEntriesBetween(leaf, ancestorId, store));
  const path: MovePath = { leftEntries, reachedEntries: await readEntriesBetween(target, ancestorId, store) };
  return planRewind(path, rewind);
}

/** The entries after the ancestor up to the leaf, from the loaded branch; null if the ancestor is before its start. */
function listEntriesAfter({ branch: { entries }, leaf }: Session, ancestorId: string | null): readonly Entry[] | null {
  const reversed: Entry[] = [];
  let expectedId = leaf;
  for (let index = entries.length - 1; index >= 0 && expectedId !== ancestorId; index--) {
    const entry = entries[index];
    // In a damaged session, neighbours in the list may not be parent and child.
    if (entry?.id !== expectedId) return null;
    reversed.push(entry);
    expectedId = entry.parentId;
  }
  return expectedId === ancestorId ? reversed.reverse() : null;
}

/** The entries after the ancestor up to the last one. Does not read earlier entries, because a session may be long. */
async function readEntriesBetween(
  lastId: string | null,
  ancestorId: string | null,
  store: Session["store"],
): Promise<readonly Entry[]> {
  const reversed: Entry[] = [];
  for (let id = lastId; id !== null && id !== ancestorId; ) {
    const entry = await store.entry(id);
    if (!entry) break;
    reversed.push(entry);
    id = entry.parentId;
    // Lets other work run in between.
    if (reversed.length % YIELD_INTERVAL === 0) await new Promise(setImmediate);
  }
  return reversed.reverse();
}

const YIELD_INTERVAL = 100;

/** Queued messages follow the user to the new branch. */
async function moveQueue(queue: readonly QueuedMessage[], session: Session): Promise<void> {
  await removeDelivered(session);
  const queuedIds = new Set(session.branch.state.queue.map(({ id }) => id));
  for (const queued of queue)
    if (!queuedIds.has(queued.id) && !(await session.store.entry(queued.id))) await enqueue(session, queued);
}

/** The names are pi's. */
export interface NavigateOptions {
  /** Whether to append a summary of the branch that is left. */
  readonly summarize?: boolean;
  readonly customInstructions?: string;
  /** Whether the custom instructions replace the default ones. */
  readonly replaceInstructions?: boolean;
  readonly label?: string;
  /** Whether to restore files that the session changed between the two places; a list restores only these paths. */
  readonly restoreFiles?: boolean | readonly string[];
}

/** The result of a move in the session tree. */
export type NavigateResult =
  | (MoveResult & { readonly files?: RewindResult })
  /** These files were changed by others since, or their bytes were not kept. The leaf has not moved. */
  | { readonly type: "files-in-the-way"; readonly files: readonly PlannedFile[] };

type MoveContext = Pick<RunContext, "session" | "model" | "hooks" | "runtime" | "signal" | "rewind" | "getBudget">;

export async function* navigate(
  target: string | null,
  options: NavigateOptions,
  run: MoveContext,
): AsyncGenerator<AgentEvent, NavigateResult> {
  const { session, rewind } = run;
  const { restoreFiles = false } = options;
  const shouldRestore = Array.isArray(restoreFiles) ? restoreFiles.length > 0 : restoreFiles;
  const changed = shouldRestore && rewind ? await planFileRestore(target, session, rewind) : [];
  const plan = Array.isArray(restoreFiles) ? changed.filter(({ path }) => restoreFiles.includes(path)) : changed;
  const conflicts = plan.filter(({ type }) => type === "conflict" || type === "lost");
  if (conflicts.length > 0) return { type: "files-in-the-way", files: conflicts };
  const { queue } = session.branch.state;
  const result = yield* move(target, options, run);
  if (result.type !== "moved") return result;
  await moveQueue(queue, session);
  if (!rewind || plan.length === 0) return result;
  return { ...result, files: await rewindFiles(plan, rewind) };
}

async function* move(
  target: string | null,
  options: NavigateOptions,
  run: MoveContext,
): AsyncGenerator<AgentEvent, MoveResult> {
  const { session, model, hooks, runtime, signal } = run;
  const { summarize = false, customInstructions, replaceInstructions, label } = options;
  const summary = {
    models: [model],
    ...(customInstructions !== undefined && { instructions: session.redact(customInstructions) }),
    ...(replaceInstructions !== undefined && { replaceInstructions }),
  };
  const moveOptions = { [summarize ? "summary" : "summaryForHooks"]: summary, ...(label !== undefined && { label }) };
  const oldLeafId = session.leaf;
  const result = yield* runWithEvents<AgentEvent, MoveResult>((emit) =>
    moveTo({
      session,
      target,
      budget: run.getBudget(),
      hooks,
      runtime,
      signal,
      ...moveOptions,
      progress: (progress) => emit(progressEvent(progress, { source: "branchSummary" })),
    }),
  );
  if (result.type !== "moved") return result;
  const { leaf: newLeafId, summary: summaryEntry } = result;
  yield { type: "session_tree", newLeafId, oldLeafId, ...(summaryEntry && { summaryEntry }) };
  return result;
}

export async function* undoOrRedoCompaction(
  step: "undo" | "redo",
  { session }: Pick<RunContext, "session">,
): AsyncGenerator<AgentEvent, UndoResult> {
  const { queue } = session.branch.state;
  const result = await (step === "undo" ? undoCompaction(session) : redoCompaction(session));
  if (result.type !== "undone" && result.type !== "redone") return result;
  await moveQueue(queue, session);
  const { type, leaf: leafId, change, entryId } = result;
  if (change === "compaction") yield { type: `compaction_${type}`, compactionId: entryId, leafId };
  else yield await outdatedResultsEvent(type, entryId, session);
  return result;
}

async function outdatedResultsEvent(
  type: "undone" | "redone",
  removalId: string,
  { store }: Session,
): Promise<AgentEvent> {
  const entry = await store.entry(removalId);
  const { removed, tokens } = Object(entry?.type === "custom" ? entry.data : null) as Readonly<Record<string, unknown>>;
  const toCount = (value: unknown): number => (typeof value === "number" ? value : 0);
  const figures = { removalId, count: toCount(removed), tokens: toCount(tokens) };
  return { type: type === "undone" ? "outdated_results_restored" : "outdated_results_removed", ...figures };
}
