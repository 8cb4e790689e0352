/** What becomes of a context that is too long, in few and calm lines. */

import type { AgentEvent, CompactionEvent } from "@pith/agent";
import { costTold, counted, secondsTold, tokensTold } from "./amounts.ts";
import { clipped } from "./clipped.ts";

type Progressing = Extract<AgentEvent, { type: "compaction_progress" | "branch_summary_progress" }>;

/** Null where it is nothing to tell. */
export function noteOnCompaction(event: CompactionEvent): string | null {
  switch (event.type) {
    case "compaction_start":
      return `· compacting: ${reasons[event.reason]}`;
    case "compaction_progress":
      return noteOnProgress(event);
    case "compaction_end":
      return outcomeOf(event);
    case "compaction_failed":
      return null;
    case "compaction_skipped":
      // Who asked for it is answered.
      return event.reason === "manual" ? null : `· not compacted: ${event.note}`;
    case "compaction_undone":
      return "· the compaction was undone; /redo takes that back";
    case "compaction_redone":
      return "· the compaction counts again";
    case "compaction_soft_threshold":
      return softNote(event);
    case "compaction_quality":
      return `  worth knowing: ${event.findings.map(({ note }) => clipped(note, LONG)).join("; ")}`;
  }
}

/** Of all that is done, what takes long or goes wrong. */
export function noteOnProgress(progress: Progressing): string | null {
  switch (progress.step) {
    case "asking": {
      const part = progress.part === undefined ? "" : `, part ${progress.part} of ${progress.parts}`;
      return `  ${progress.model} tells it in short${part} …`;
    }
    case "writing":
      return progress.tokens % EVERY < STEP ? `  ${tokensTold(progress.tokens)} tokens so far …` : null;
    case "repairing":
      return `  the log does not bear it out (${counted(progress.flaws, "place")}); it is asked to correct that …`;
    case "falling-back":
      return `  ${clipped(progress.why)}`;
    default:
      return null;
  }
}

/** Of the tokens of a summary: so many from one line to the next, told in steps of so many. */
const EVERY = 2_000;
const STEP = 200;

const LONG = 300;

const reasons = {
  manual: "as asked for",
  threshold: "the context is full",
  overflow: "the context was too long for the provider",
} as const;

/** What was not done says so itself, behind it. */
function outcomeOf(event: Extract<AgentEvent, { type: "compaction_end" }>): string | null {
  const { compaction, errorMessage, usage, durationMs = 0 } = event;
  if (compaction.type === "nothing-to-do" || compaction.type === "postponed") return null;
  if (compaction.type !== "compacted") return `  ${clipped(errorMessage ?? compaction.type.replaceAll("-", " "))}`;
  const { tokens, by } = compaction.receipt;
  const cost = usage && usage.cost.total > 0 ? [costTold(usage.cost.total)] : [];
  const time = durationMs >= 1_000 ? [secondsTold(durationMs)] : [];
  return `  ${[`${tokens.before} → ${tokens.after} tokens`, `told by ${by ?? "code"}`, ...cost, ...time].join(", ")}`;
}

function softNote({ tokens, limit }: Extract<AgentEvent, { type: "compaction_soft_threshold" }>): string {
  const full = Math.floor((tokens / limit) * 100);
  return `· the context is ${full} % full (${tokensTold(tokens)} of ${tokensTold(limit)} tokens)`;
}
