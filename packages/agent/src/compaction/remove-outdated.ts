/** Removes outdated tool results from the context inside a run, in one batch that an undo reverses. */

import type { Budget, Session } from "@pith/context";
import { measureWithPauses, planOutdatedRemoval } from "@pith/context/host";
import { assertAppended } from "../append-entries.ts";
import type { AgentEvent } from "../events.ts";

export interface RemovalRequest {
  readonly budget: Budget;
  /** Whether results are removed only if no compaction is needed then. */
  readonly onlyIfEnough?: boolean;
}

/** Returns whether results were removed. */
export async function* removeOutdatedInRun(
  { session, signal }: { readonly session: Session; readonly signal: AbortSignal },
  { budget, onlyIfEnough = false }: RemovalRequest,
): AsyncGenerator<AgentEvent, boolean> {
  await session.loadState();
  const { leaf, branch } = session;
  if (budget.limits.outdated.enabled) await measureWithPauses(branch, session.runtime);
  const plan = planOutdatedRemoval(branch, budget);
  if (!plan || (onlyIfEnough && !plan.isEnough)) return false;
  const { newEntries, count, tokens } = plan;
  const outcome = await session.appendAtLeaf(leaf, newEntries, { signal });
  // A message that was queued meanwhile moved the leaf. The next request tries again.
  if (outcome.type === "aborted" || outcome.type === "leaf-moved") return false;
  assertAppended(outcome);
  const removal = session.branch.entries.at(-newEntries.length);
  yield { type: "outdated_results_removed", removalId: removal?.id ?? "", count, tokens };
  return true;
}
