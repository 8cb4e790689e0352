/** To another place in the tree, as a host asks for it: with what is left told there, and with the files as they were. */

import {
  type Moved,
  moveTo,
  type Queued,
  redoCompaction,
  type Session,
  type Undone,
  undoCompaction,
} from "@pith/context";
import type { AgentEvent } from "./events.ts";
import { enqueue, forgetSaid } from "./loop/deliver.ts";
import { during } from "./loop/during.ts";
import { budgetOf } from "./loop/fitting/budget-of.ts";
import type { RunParts } from "./loop/run-parts.ts";
import { type PlannedFile, planRewind, type RewindParts } from "./rewind/plan-rewind.ts";
import { type Rewound, rewindFiles } from "./rewind/rewind-files.ts";
import type { Crossing } from "./rewind/wanted-files.ts";

/** In pi's names. */
export interface Destination {
  /** Whether what is left is told there. */
  readonly summarize?: boolean;
  readonly customInstructions?: string;
  /** Whether these take the place of our own task. */
  readonly replaceInstructions?: boolean;
  readonly label?: string;
  /** Whether files that the session changed on the way are put back as they were there. */
  readonly restoreFiles?: boolean;
}

export type Navigated =
  | (Moved & { readonly files?: Rewound })
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
  const plan = wish.restoreFiles && rewind ? await filesOnTheWay(target, parts.session, rewind) : [];
  const inTheWay = plan.filter(({ type }) => type === "conflict" || type === "lost");
  if (inTheWay.length > 0) return { type: "files-in-the-way", files: inTheWay };
  const { queue } = parts.session.window.state;
  const moved = yield* move(target, wish, parts);
  if (moved.type !== "moved") return moved;
  await takeAlong(queue, parts.session);
  if (!rewind || plan.length === 0) return moved;
  return { ...moved, files: await rewindFiles(plan, rewind) };
}

/** The newest compaction is undone, or the last undo taken back. */
export async function* steppedBack(step: "undo" | "redo", { session }: RunParts): AsyncGenerator<AgentEvent, Undone> {
  const { queue } = session.window.state;
  const undone = yield* during<AgentEvent, Undone>(() =>
    step === "undo" ? undoCompaction(session) : redoCompaction(session),
  );
  if (undone.type === "undone" || undone.type === "redone") await takeAlong(queue, session);
  return undone;
}

/** What waits to be said waits for whoever said it, not for a branch. */
async function takeAlong(queue: readonly Queued[], session: Session): Promise<void> {
  await forgetSaid(session);
  const here = new Set(session.window.state.queue.map(({ id }) => id));
  for (const queued of queue)
    if (!here.has(queued.id) && !(await session.store.entry(queued.id))) await enqueue(session, queued);
}

/** What a move would do to the files; nothing is touched. */
export async function filesOnTheWay(
  target: string | null,
  { store, leaf }: Session,
  rewind: RewindParts,
): Promise<readonly PlannedFile[]> {
  const [from, to] = [await store.branch(leaf), await store.branch(target)];
  const parting = to.findIndex(({ id }, at) => from[at]?.id !== id);
  const shared = parting === -1 ? to.length : parting;
  const crossing: Crossing = { left: from.slice(shared), reached: to.slice(shared) };
  return planRewind(crossing, rewind);
}

async function* move(target: string | null, wish: Destination, parts: RunParts): AsyncGenerator<AgentEvent, Moved> {
  const { session, model, hooks, ports, signal } = parts;
  const { summarize = false, customInstructions, replaceInstructions, label } = wish;
  const summary = {
    models: [model],
    ...(customInstructions !== undefined && { instructions: customInstructions }),
    ...(replaceInstructions !== undefined && { replaceInstructions }),
  };
  const wanted = { ...(summarize && { summary }), ...(label !== undefined && { label }) };
  return yield* during<AgentEvent, Moved>(() =>
    moveTo({ session, target, budget: budgetOf(parts), hooks, ports, signal, ...wanted }),
  );
}
