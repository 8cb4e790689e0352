/** A word of progress as an event: what is waited for has pi's names, the rest has ours. */

import type { Progress } from "@pith/context";
import type { AgentEvent, SummarySource } from "../../events.ts";

export function progressEvent(progress: Progress, about: SummarySource): AgentEvent {
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
