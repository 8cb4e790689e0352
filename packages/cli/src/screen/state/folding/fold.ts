/** What happened changes what is shown: one event after the other, live or read from the log. Pure. */

import type { AgentEvent } from "@pith/agent";
import type { ScreenState } from "../screen-state.ts";
import { foldDelta } from "./fold-delta.ts";
import { foldEntry } from "./fold-entry.ts";
import { foldTool } from "./fold-tool.ts";
import { foldWork } from "./fold-work.ts";

/** `now` in milliseconds. */
export function fold(state: ScreenState, event: AgentEvent, now: number): ScreenState {
  const next = foldWork(state, event, now);
  switch (event.type) {
    case "message_update":
      return foldDelta(next, event.delta);
    case "entry_appended":
      return foldEntry(next, event.entry);
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end":
      return foldTool(next, event, now);
    case "queue_update":
      return { ...next, queue: { steering: event.steering, followUp: event.followUp } };
    default:
      return next;
  }
}
