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
import { during } from "../async.ts";
import { progressEvent } from "../compaction/compact.ts";
import type { AgentEvent } from "../events.ts";
import { enqueue, forgetSaid } from "../loop/queue.ts";
import { budgetOf, type RunParts } from "../loop/run-context.ts";
import { type Crossing, type PlannedFile, planRewind, type RewindParts, type Rewound, rewindFiles } from "./rewind.ts";

/** What a move in the tree would do to the files that the session changed. No file is touched. */
export async function filesOnTheWay(
  target: string | null,
  session: Session,
  rewind: RewindParts,
): Promise<readonly PlannedFile[]> {
  const { store, leaf } = session;
  const parting = await store.commonAncestor(leaf, target);
  const left = loaded(session, parting) ?? (await stretch(leaf, parting, store));
  const crossing: Crossing = { left, reached: await stretch(target, parting, store) };
  return planRewind(crossing, rewind);
}

/** Behind this entry to the leaf, from what is loaded already; null where that does not reach so far. */
function loaded({ branch: { entries }, leaf }: Session, first: string | null): readonly Entry[] | null {
  const upwards: Entry[] = [];
  let wanted = leaf;
  for (let at = entries.length - 1; at >= 0 && wanted !== first; at--) {
    const entry = entries[at];
    // Where something was lost they do not follow each other.
    if (entry?.id !== wanted) return null;
    upwards.push(entry);
    wanted = entry.parentId;
  }
  return wanted === first ? upwards.reverse() : null;
}

/** Behind the first to the last, and nothing of what lies before: a session may be long. */
async function stretch(last: string | null, first: string | null, store: Session["store"]): Promise<readonly Entry[]> {
  const upwards: Entry[] = [];
  for (let id = last; id !== null && id !== first; ) {
    const entry = await store.entry(id);
    if (!entry) break;
    upwards.push(entry);
    id = entry.parentId;
    // Others work in between.
    if (upwards.length % BREATH === 0) await new Promise(setImmediate);
  }
  return upwards.reverse();
}

const BREATH = 100;

/** Queued messages belong to their author, not to a branch: they move along. */
export async function takeAlong(queue: readonly QueuedMessage[], session: Session): Promise<void> {
  await forgetSaid(session);
  const here = new Set(session.branch.state.queue.map(({ id }) => id));
  for (const queued of queue)
    if (!here.has(queued.id) && !(await session.store.entry(queued.id))) await enqueue(session, queued);
}

/** In pi's names. */
export interface Destination {
  /** Whether what is left is told there. */
  readonly summarize?: boolean;
  readonly customInstructions?: string;
  /** Whether these take the place of our own task. */
  readonly replaceInstructions?: boolean;
  readonly label?: string;
  /** Whether files that the session changed on the way are put back as they were there; of a list only those, by their paths. */
  readonly restoreFiles?: boolean | readonly string[];
}

export type Navigated =
  | (MoveResult & { readonly files?: Rewound })
  /** Somebody else changed these since, or their bytes were not kept; nobody has moved. */
  | { readonly type: "files-in-the-way"; readonly files: readonly PlannedFile[] };

export interface Navigating {
  readonly parts: RunParts;
  /** Without it no file is ever put back. */
  readonly rewind: RewindParts | undefined;
}

export async function* navigate(
  target: string | null,
  wish: Destination,
  { parts, rewind }: Navigating,
): AsyncGenerator<AgentEvent, Navigated> {
  const { restoreFiles = false } = wish;
  const isWanted = Array.isArray(restoreFiles) ? restoreFiles.length > 0 : restoreFiles;
  const changed = isWanted && rewind ? await filesOnTheWay(target, parts.session, rewind) : [];
  const plan = Array.isArray(restoreFiles) ? changed.filter(({ path }) => restoreFiles.includes(path)) : changed;
  const inTheWay = plan.filter(({ type }) => type === "conflict" || type === "lost");
  if (inTheWay.length > 0) return { type: "files-in-the-way", files: inTheWay };
  const { queue } = parts.session.branch.state;
  const moved = yield* move(target, wish, parts);
  if (moved.type !== "moved") return moved;
  await takeAlong(queue, parts.session);
  if (!rewind || plan.length === 0) return moved;
  return { ...moved, files: await rewindFiles(plan, rewind) };
}

async function* move(
  target: string | null,
  wish: Destination,
  parts: RunParts,
): AsyncGenerator<AgentEvent, MoveResult> {
  const { session, model, hooks, ports, signal } = parts;
  const { summarize = false, customInstructions, replaceInstructions, label } = wish;
  const summary = {
    models: [model],
    ...(customInstructions !== undefined && { instructions: session.redact(customInstructions) }),
    ...(replaceInstructions !== undefined && { replaceInstructions }),
  };
  const wanted = { [summarize ? "summary" : "summaryForHooks"]: summary, ...(label !== undefined && { label }) };
  const oldLeafId = session.leaf;
  const moved = yield* during<AgentEvent, MoveResult>((tell) =>
    moveTo({
      session,
      target,
      budget: budgetOf(parts),
      hooks,
      runtime: ports,
      signal,
      ...wanted,
      progress: (progress) => tell(progressEvent(progress, { source: "branchSummary" })),
    }),
  );
  if (moved.type !== "moved") return moved;
  const { leaf: newLeafId, summary: summaryEntry } = moved;
  yield { type: "session_tree", newLeafId, oldLeafId, ...(summaryEntry && { summaryEntry }) };
  return moved;
}

export async function* stepBack(step: "undo" | "redo", { session }: RunParts): AsyncGenerator<AgentEvent, UndoResult> {
  const { queue } = session.branch.state;
  const undoes = compactionAt(session);
  const undone = await (step === "undo" ? undoCompaction(session) : redoCompaction(session));
  if (undone.type !== "undone" && undone.type !== "redone") return undone;
  await takeAlong(queue, session);
  const { type, leaf: leafId } = undone;
  const compactionId = (type === "undone" ? undoes : compactionAt(session)) ?? "";
  yield { type: `compaction_${type}`, compactionId, leafId };
  return undone;
}

function compactionAt({ branch: { entries, compactionIndex: at } }: Session): string | undefined {
  return entries[at]?.id;
}
