/** Compacts a session if its context is too large for a model, with default limits and that model as the summarizer. */

import { createBudget } from "../compaction/budget.ts";
import type { CompactionOutcome } from "../compaction/compact.ts";
import { type CompactionDue, compactionDue } from "../compaction/should-compact.ts";
import type { Model } from "../model.ts";
import type { Session } from "../session/session.ts";
import { type CompactionLimits, compactionLimits } from "../settings.ts";
import { modelSummarizer } from "../summary-parts/model-summarizer.ts";
import { type CompactOptions, compact } from "./compaction.ts";

/** The options of `compactIfNeeded`. */
export interface CompactIfNeededOptions extends Pick<CompactOptions, "instructions" | "hooks" | "parts" | "signal"> {
  readonly limits?: CompactionLimits;
}

/** `not-due` if no compaction is needed or allowed; otherwise the outcome of the compaction. */
export type CompactIfNeededResult = Extract<CompactionDue, { type: "not-due" }> | CompactionOutcome;

/** Compacts the session if its context no longer fits the model, which writes the summary; expected failures are returned, not thrown. */
export async function compactIfNeeded(
  session: Session,
  model: Model,
  { limits = compactionLimits, ...options }: CompactIfNeededOptions = {},
): Promise<CompactIfNeededResult> {
  const { runtime } = session;
  const budget = createBudget(limits, { contextWindow: model.contextWindow, model });
  const due = compactionDue(session.branch, budget);
  if (due.type === "not-due") return due;
  const summarizers = [modelSummarizer(model, { runtime })];
  return compact({ ...options, session, budget, runtime, summarizers, reason: "due" });
}
