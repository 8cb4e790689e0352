/** What is under way, from event to event; and what goes wrong or is worth knowing becomes a note. Pure. */

import type { AgentEvent } from "@pith/agent";
import type { Block } from "../block.ts";
import type { ScreenState, Work } from "../screen-state.ts";
import { noted } from "./noted.ts";

export function foldWork(state: ScreenState, event: AgentEvent, now: number): ScreenState {
  const work = workAfter(state.work, event, now);
  const next = work === state.work ? state : { ...state, work };
  return noted(next, event);
}

function workAfter(work: Work, event: AgentEvent, now: number): Work {
  const since = work.type === "idle" ? now : work.since;
  switch (event.type) {
    case "agent_start":
    case "turn_start":
      return { type: "running", since, doing: "thinking", letters: 0 };
    case "message_update": {
      const doing = event.delta.type === "text-delta" ? "answering" : "thinking";
      const text = event.delta.type === "tool-call-delta" ? event.delta.json : event.delta.text;
      const letters = (work.type === "running" ? work.letters : 0) + text.length;
      return { type: "running", since, doing, letters };
    }
    case "tool_execution_start":
      return { type: "running", since, doing: "working", letters: 0 };
    case "auto_retry_start":
      return { type: "retrying", since, why: event.errorMessage, at: now + event.delayMs };
    case "compaction_start":
      return { type: "compacting", since: now, reason: event.reason, step: "" };
    case "compaction_end":
      return event.reason === "manual"
        ? { type: "idle" }
        : { type: "running", since: now, doing: "thinking", letters: 0 };
    case "agent_settled":
      return { type: "idle" };
    default:
      return work;
  }
}

export function note(id: string, text: string, tone: Extract<Block, { kind: "note" }>["tone"] = "plain"): Block {
  return { kind: "note", id, tone, text };
}
