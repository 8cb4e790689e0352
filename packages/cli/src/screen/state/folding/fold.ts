/** What happened changes what is shown: one event after the other, live or read from the log. Pure. */

import type { AgentEvent } from "@pith/agent";
import { queuedWords } from "../queued-words.ts";
import type { ScreenState } from "../screen-state.ts";
import { foldDelta } from "./fold-delta.ts";
import { foldEntry } from "./fold-entry.ts";
import { foldFitting } from "./fold-fitting.ts";
import { withoutDrafts } from "./fold-reply.ts";
import { foldTool, withoutOpenCalls } from "./fold-tool.ts";
import { foldWork } from "./fold-work.ts";
import { noted } from "./noted.ts";

/** `now` in milliseconds. */
export function fold(state: ScreenState, event: AgentEvent, now: number): ScreenState {
  return noted(foldBlocks(foldWork(state, event, now), event, now), event);
}

function foldBlocks(state: ScreenState, event: AgentEvent, now: number): ScreenState {
  switch (event.type) {
    case "message_start":
      return event.message.role === "assistant" ? withoutDrafts(state) : state;
    case "message_update":
      return foldDelta(state, event.delta, now);
    case "auto_retry_start":
      return withoutDrafts(state);
    case "entry_appended":
      return foldEntry(state, event.entry);
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end":
      return foldTool(state, event, now);
    case "queue_update":
      return { ...state, queue: { steering: queuedWords(event.steering), followUp: queuedWords(event.followUp) } };
    case "compaction_quality":
    case "compaction_undone":
    case "compaction_redone":
    case "session_tree":
      return foldFitting(state, event);
    case "agent_end":
      return withoutOpenCalls(withoutDrafts(state));
    default:
      return state;
  }
}
