/** Reduces agent events to the current activity: idle, running, retrying, compacting or summarising. Pure. */

import type { AgentEvent } from "@pith/agent";
import { formatCount, formatMinutes, formatSeconds, formatTokens } from "../../../text/format.ts";
import { truncate } from "../../../text/safe-text.ts";
import type { Activity, ScreenState } from "./screen-state.ts";

export function reduceActivity(state: ScreenState, event: AgentEvent, now: number): ScreenState {
  const activity = nextActivity(state.activity, event, now);
  return activity === state.activity ? state : { ...state, activity };
}

function nextActivity(activity: Activity, event: AgentEvent, now: number): Activity {
  const startedAt = activity.type === "idle" ? now : activity.startedAt;
  switch (event.type) {
    case "agent_start":
    case "turn_start":
    case "auto_retry_end":
      return { type: "running", startedAt, phase: "thinking", chars: 0 };
    case "message_update":
      return { type: "running", startedAt, ...countDelta(activity, event.delta) };
    case "tool_execution_start":
      return { type: "running", startedAt, phase: "working", chars: 0 };
    case "auto_retry_start":
      return { type: "retrying", startedAt, errorMessage: event.errorMessage, retryAt: now + event.delayMs };
    case "compaction_start":
      return {
        type: "compacting",
        startedAt: now,
        reason: event.reason,
        step: "",
        ...(isDuringRun(activity) && { isWithinRun: true }),
      };
    case "compaction_progress":
      return {
        type: "compacting",
        startedAt,
        reason: event.reason,
        step: describeProgress(event) ?? getStep(activity),
        ...(isDuringRun(activity) && { isWithinRun: true }),
      };
    case "compaction_end":
      // A model with a smaller window, or a person, may want one while nothing else is under way.
      return isDuringRun(activity)
        ? { type: "running", startedAt: now, phase: "thinking", chars: 0 }
        : { type: "idle" };
    case "branch_summary_progress":
      return { type: "summarising", startedAt, step: describeProgress(event) ?? getStep(activity) };
    case "summarization_retry_scheduled":
      return withStep(
        activity,
        `${truncate(event.errorMessage, MAX_STEP_CHARS)}; asks again in ${formatSeconds(event.delayMs)}`,
      );
    case "summarization_retry_attempt_start":
      return withStep(activity, "asks again");
    case "session_tree":
      return activity.type === "summarising" ? { type: "idle" } : activity;
    case "agent_settled":
      return { type: "idle" };
    default:
      return activity;
  }
}

type Delta = Extract<AgentEvent, { type: "message_update" }>["delta"];

function countDelta(
  activity: Activity,
  delta: Delta,
): { readonly phase: "thinking" | "answering"; readonly chars: number } {
  const text = delta.type === "tool-call-delta" ? delta.json : delta.text;
  const chars = (activity.type === "running" ? activity.chars : 0) + text.length;
  return { phase: delta.type === "text-delta" ? "answering" : "thinking", chars };
}

function isDuringRun(activity: Activity): boolean {
  return (
    activity.type === "running" ||
    activity.type === "retrying" ||
    (activity.type === "compacting" && activity.isWithinRun === true)
  );
}

function withStep(activity: Activity, step: string): Activity {
  return activity.type === "compacting" || activity.type === "summarising" ? { ...activity, step } : activity;
}

function getStep(activity: Activity): string {
  return activity.type === "compacting" || activity.type === "summarising" ? activity.step : "";
}

type SummaryProgressEvent = Extract<AgentEvent, { type: "compaction_progress" | "branch_summary_progress" }>;

/** How far a summary is, in a few words. Null where it changes nothing that people see. */
function describeProgress(progress: SummaryProgressEvent): string | null {
  switch (progress.step) {
    case "planning":
      return "looks what can go";
    case "asking": {
      const part = progress.part === undefined ? "" : `, part ${progress.part} of ${progress.parts}`;
      return `${progress.model} tells it in short${part}`;
    }
    case "awaiting-first-token":
      return `no answer yet after ${formatMinutes(progress.elapsedMs)}, waits up to ${formatMinutes(progress.limitMs)}`;
    case "writing":
      return `tells it in short, ${formatTokens(progress.tokens)} tokens so far`;
    // Told by events of their own.
    case "waiting":
    case "asking-again":
    case "answered":
      return null;
    case "auditing":
      return "holds it against the log";
    case "repairing":
      return `has ${formatCount(progress.flaws, "place")} corrected`;
    case "falling-back":
      return truncate(progress.why, MAX_STEP_CHARS);
  }
}

const MAX_STEP_CHARS = 60;
