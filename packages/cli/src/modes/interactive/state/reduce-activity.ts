/** Reduces agent events to the current activity: idle, running, retrying, compacting or summarising. Pure. */

import type { AgentEvent } from "@pith/agent";
import { counted, minutesTold, secondsTold, tokensTold } from "../../../text/format.ts";
import { clipped } from "../../../text/safe-text.ts";
import type { ScreenState, Work } from "./screen-state.ts";

export function foldWork(state: ScreenState, event: AgentEvent, now: number): ScreenState {
  const work = workAfter(state.work, event, now);
  return work === state.work ? state : { ...state, work };
}

function workAfter(work: Work, event: AgentEvent, now: number): Work {
  const since = work.type === "idle" ? now : work.since;
  switch (event.type) {
    case "agent_start":
    case "turn_start":
    case "auto_retry_end":
      return { type: "running", since, doing: "thinking", letters: 0 };
    case "message_update":
      return { type: "running", since, ...pieces(work, event.delta) };
    case "tool_execution_start":
      return { type: "running", since, doing: "working", letters: 0 };
    case "auto_retry_start":
      return { type: "retrying", since, why: event.errorMessage, at: now + event.delayMs };
    case "compaction_start":
      return {
        type: "compacting",
        since: now,
        reason: event.reason,
        step: "",
        ...(isRun(work) && { isWithinRun: true }),
      };
    case "compaction_progress":
      return {
        ...{ type: "compacting", since, reason: event.reason, step: progressTold(event) ?? stepOf(work) },
        ...(isRun(work) && { isWithinRun: true }),
      };
    case "compaction_end":
      // A model with a smaller window, or a person, may want one while nothing else is under way.
      return isRun(work) ? { type: "running", since: now, doing: "thinking", letters: 0 } : { type: "idle" };
    case "branch_summary_progress":
      return { type: "summarising", since, step: progressTold(event) ?? stepOf(work) };
    case "summarization_retry_scheduled":
      return atStep(work, `${clipped(event.errorMessage, SHORT)}; asks again in ${secondsTold(event.delayMs)}`);
    case "summarization_retry_attempt_start":
      return atStep(work, "asks again");
    case "session_tree":
      return work.type === "summarising" ? { type: "idle" } : work;
    case "agent_settled":
      return { type: "idle" };
    default:
      return work;
  }
}

type Delta = Extract<AgentEvent, { type: "message_update" }>["delta"];

function pieces(work: Work, delta: Delta): { readonly doing: "thinking" | "answering"; readonly letters: number } {
  const text = delta.type === "tool-call-delta" ? delta.json : delta.text;
  const letters = (work.type === "running" ? work.letters : 0) + text.length;
  return { doing: delta.type === "text-delta" ? "answering" : "thinking", letters };
}

function isRun(work: Work): boolean {
  return (
    work.type === "running" || work.type === "retrying" || (work.type === "compacting" && work.isWithinRun === true)
  );
}

function atStep(work: Work, step: string): Work {
  return work.type === "compacting" || work.type === "summarising" ? { ...work, step } : work;
}

function stepOf(work: Work): string {
  return work.type === "compacting" || work.type === "summarising" ? work.step : "";
}

type Progressing = Extract<AgentEvent, { type: "compaction_progress" | "branch_summary_progress" }>;

/** How far a summary is, in a few words. Null where it changes nothing that people see. */
function progressTold(progress: Progressing): string | null {
  switch (progress.step) {
    case "planning":
      return "looks what can go";
    case "asking": {
      const part = progress.part === undefined ? "" : `, part ${progress.part} of ${progress.parts}`;
      return `${progress.model} tells it in short${part}`;
    }
    case "awaiting-first-token":
      return `no answer yet after ${minutesTold(progress.elapsedMs)}, waits up to ${minutesTold(progress.limitMs)}`;
    case "writing":
      return `tells it in short, ${tokensTold(progress.tokens)} tokens so far`;
    // Told by events of their own.
    case "waiting":
    case "asking-again":
    case "answered":
      return null;
    case "auditing":
      return "holds it against the log";
    case "repairing":
      return `has ${counted(progress.flaws, "place")} corrected`;
    case "falling-back":
      return clipped(progress.why, SHORT);
  }
}

const SHORT = 60;
