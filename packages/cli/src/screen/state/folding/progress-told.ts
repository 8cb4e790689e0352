/** How far a summary is, in a few words for the line that tells what is under way. Pure. */

import type { AgentEvent } from "@pith/agent";
import { secondsTold, tokensTold } from "../../../printing/amounts.ts";
import { clipped } from "../../../printing/clipped.ts";

type Progressing = Extract<AgentEvent, { type: "compaction_progress" | "branch_summary_progress" }>;

/** Null where it changes nothing that people see. */
export function progressTold(progress: Progressing): string | null {
  switch (progress.step) {
    case "planning":
      return "looks what can go";
    case "asking": {
      const part = progress.part === undefined ? "" : `, part ${progress.part} of ${progress.parts}`;
      return `${progress.model} tells it in short${part}`;
    }
    case "writing":
      return `tells it in short, ${tokensTold(progress.tokens)} tokens so far`;
    case "waiting":
      return `${clipped(progress.errorMessage, SHORT)}; asks again in ${secondsTold(progress.delayMs)}`;
    case "asking-again":
      return "asks again";
    case "answered":
      return null;
    case "auditing":
      return "holds it against the log";
    case "repairing":
      return `has ${progress.flaws} ${progress.flaws === 1 ? "place" : "places"} corrected`;
    case "falling-back":
      return clipped(progress.why, SHORT);
  }
}

const SHORT = 60;
