/** To another place in the tree, as a host asks for it: with what is left told there, and with the files as they were. */

import { type Moved, moveTo } from "@pith/context";
import type { AgentEvent } from "../events.ts";
import { budgetOf } from "../loop/fitting/budget-of.ts";
import { progressEvent } from "../loop/fitting/progress-event.ts";
import type { RunParts } from "../loop/run-parts.ts";
import type { PlannedFile, RewindParts } from "../rewind/plan-rewind.ts";
import { type Rewound, rewindFiles } from "../rewind/rewind-files.ts";
import { during } from "../waiting/during.ts";
import { filesOnTheWay } from "./files-on-the-way.ts";
import { takeAlong } from "./take-along.ts";

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
  const { restoreFiles = false } = wish;
  const isWanted = Array.isArray(restoreFiles) ? restoreFiles.length > 0 : restoreFiles;
  const changed = isWanted && rewind ? await filesOnTheWay(target, parts.session, rewind) : [];
  const plan = Array.isArray(restoreFiles) ? changed.filter(({ path }) => restoreFiles.includes(path)) : changed;
  const inTheWay = plan.filter(({ type }) => type === "conflict" || type === "lost");
  if (inTheWay.length > 0) return { type: "files-in-the-way", files: inTheWay };
  const { queue } = parts.session.window.state;
  const moved = yield* move(target, wish, parts);
  if (moved.type !== "moved") return moved;
  await takeAlong(queue, parts.session);
  if (!rewind || plan.length === 0) return moved;
  return { ...moved, files: await rewindFiles(plan, rewind) };
}

/** What of a branch is told at most, as B25 has it: a reserve takes a quarter of the window at most, here too. */
function roomFor({ branchReserve, model: { contextWindow }, limits, model }: RunParts): { readonly room?: number } {
  if (branchReserve === undefined || !(contextWindow > 0)) return {};
  const { largestReserve } = limits(model);
  return { room: Math.floor(contextWindow - Math.min(branchReserve, contextWindow * largestReserve)) };
}

async function* move(target: string | null, wish: Destination, parts: RunParts): AsyncGenerator<AgentEvent, Moved> {
  const { session, model, hooks, ports, signal } = parts;
  const { summarize = false, customInstructions, replaceInstructions, label } = wish;
  const summary = {
    models: [model],
    ...(customInstructions !== undefined && { instructions: session.redacted(customInstructions) }),
    ...(replaceInstructions !== undefined && { replaceInstructions }),
    ...roomFor(parts),
  };
  const wanted = { ...(summarize && { summary }), ...(label !== undefined && { label }) };
  const oldLeafId = session.leaf;
  const moved = yield* during<AgentEvent, Moved>((tell) =>
    moveTo({
      session,
      target,
      budget: budgetOf(parts),
      hooks,
      ports,
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
