/** What a tool does, from its start to its end. Pure. */

import type { AgentEvent } from "@pith/agent";
import type { Called } from "../block.ts";
import type { ScreenState } from "../screen-state.ts";
import { withResult } from "./fold-entry.ts";

type ToolEvent = Extract<AgentEvent, { readonly toolCallId: string }>;

export function foldTool(state: ScreenState, event: ToolEvent, now: number): ScreenState {
  return {
    ...state,
    blocks: state.blocks.map((block) =>
      block.kind === "called" && block.id === event.toolCallId ? changed(block, event, now) : block,
    ),
  };
}

function changed(block: Called, event: ToolEvent, now: number): Called {
  switch (event.type) {
    case "tool_execution_start":
      return { ...block, state: "running", since: now };
    case "tool_execution_update":
      return { ...block, output: event.partialResult };
    case "tool_execution_end":
      return { ...withResult(block, event.result), ...(block.since !== undefined && { tookMs: now - block.since }) };
  }
}
