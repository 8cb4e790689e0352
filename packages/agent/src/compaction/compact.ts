/** Runs one compaction inside a run. It must not change the model, the thinking level, the tools or the system prompt. */

import type { Receipt } from "@pith/context";
import { type Budget, type CompactionOutcome, compact, type Entry, modelSummarizer } from "@pith/context";
import { mergeSystemMessages, type SummaryProgress } from "@pith/context/host";
import { appended } from "../append.ts";
import { during } from "../async.ts";
import type { AgentEvent, Compacted, SummarySource } from "../events.ts";
import { budgetOf, type RunParts } from "../loop/run-context.ts";
import { reattachSkills } from "../prompt/attach-skills.ts";
import { endEvents, REASONS } from "./outcome-events.ts";

type CompactionTrigger = Receipt["reason"];

export function progressEvent(progress: SummaryProgress, about: SummarySource): AgentEvent {
  switch (progress.step) {
    case "waiting": {
      const { attempt, delayMs, errorMessage } = progress;
      return { type: "summarization_retry_scheduled", ...about, attempt, delayMs, errorMessage };
    }
    case "asking-again":
      return { type: "summarization_retry_attempt_start", ...about };
    case "answered":
      return { type: "summarization_retry_finished", ...about };
    default:
      return about.source === "compaction"
        ? { type: "compaction_progress", reason: about.reason, ...progress }
        : { type: "branch_summary_progress", ...progress };
  }
}

export interface Compacting {
  readonly reason: CompactionTrigger;
  /** Refusals of the same request before this one: each compaction begins a rung further down. */
  readonly attempt?: number;
  readonly instructions?: string;
  /** For whom it must fit; who speaks now, unless said. */
  readonly budget?: Budget;
}

export async function* compaction(parts: RunParts, need: Compacting): AsyncGenerator<AgentEvent, Compacted> {
  const { session, model, hooks, ports, signal } = parts;
  const writers = parts.writers ?? [modelSummarizer(model, { runtime: ports })];
  const reason = REASONS[need.reason];
  // RUN14: the session counts as compacting from `compaction_start` on.
  const free = session.markBusy("compacting");
  try {
    yield { type: "compaction_start", reason };
    await session.loadState();
  } finally {
    free();
  }
  const { leaf } = session;
  const before = standing(parts);
  const circumstances = { hasWriters: writers.length > 0, isAgain: session.branch.compactionIndex >= 0 };
  const begun = ports.now();
  const written: Entry[] = [];
  const release = session.watch((entries) => void written.push(...entries));
  const result = yield* during<AgentEvent, CompactionOutcome>((tell) =>
    compact({
      session,
      summarizers: writers,
      hooks,
      runtime: ports,
      signal,
      budget: budgetOf(parts),
      ...need,
      ...focus(parts, need),
      progress: (progress) => tell(progressEvent(progress, { source: "compaction", reason })),
    }).finally(release),
  );
  const compacted = withEntry(result, parts);
  // FIT3: nobody becomes somebody else because something was forgotten.
  if (standing(parts) !== before && !isChangedBeside(parts, leaf))
    throw new Error("a compaction changed who works here, or with what");
  parts.notices.free();
  const durationMs = Math.max(0, ports.now() - begun);
  // EVT5: told before anything else is written, which may fail.
  yield* endEvents(compacted, { ...circumstances, reason: need.reason, durationMs, written, compaction: result });
  if (compacted.type !== "compacted") return compacted;
  await remindOfWork(parts);
  await reattachSkills(parts, need);
  return compacted;
}

/** What is asked for with this one stands behind what holds for all. */
function focus(
  { instructions: always, session }: RunParts,
  { instructions: asked }: Compacting,
): Pick<Compacting, "instructions"> {
  const said = [always, asked].filter((text) => text !== undefined && text.trim() !== "");
  return said.length === 0 ? {} : { instructions: session.redact(said.join("\n\n")) };
}

/** Who works here and with what, as the log has it; what is permitted is no part of it, and out of a compaction's reach. */
function standing({ session }: RunParts): string {
  const { model, thinkingLevel, activeTools } = session.branch.state;
  const { content, sections, toolsAdded } = mergeSystemMessages(session.branch) ?? {};
  return JSON.stringify([model, thinkingLevel, activeTools, content, sections, toolsAdded]);
}

/** Whether somebody else has changed it meanwhile, as a host may. */
function isChangedBeside({ session }: RunParts, since: string | null): boolean {
  const { entries, compactionIndex: compactionAt } = session.branch;
  const seen = entries.findLastIndex(({ id }) => id === since);
  return entries.slice((seen >= 0 ? seen : compactionAt) + 1).some(({ type }) => STANDING.includes(type));
}

const STANDING: readonly Entry["type"][] = ["model_change", "thinking_level_change", "active_tools_change"];

function withEntry(result: CompactionOutcome, { session }: RunParts): Compacted {
  if (result.type !== "compacted") return result;
  const entry = session.branch.entries.find(({ id }) => id === result.id);
  if (entry?.type !== "compaction") throw new Error(`the compaction ${result.id} is not where it was written`);
  const { summary, firstKeptEntryId, tokensBefore, details } = entry;
  const estimatedTokensAfter = result.receipt.tokens.after;
  const told = { summary, firstKeptEntryId, tokensBefore, estimatedTokensAfter };
  return { ...result, ...told, ...(details !== undefined && { details }) };
}

/** What runs by itself goes on while a model forgets that it started it. */
async function remindOfWork({ session, tools }: RunParts): Promise<void> {
  const lines = tools.flatMap((tool) => tool.ongoing?.() ?? []);
  if (lines.length === 0) return;
  const content = `Still going on:\n${lines.join("\n")}`;
  await appended(session, { type: "custom_message", customType: ONGOING, content, display: false });
}

const ONGOING = "pith.ongoing";
