/** What a tool does, from its start to its end. Pure. */

import type { AgentEvent } from "@pith/agent";
import { type Block, type Called, isFinished } from "../block.ts";
import type { ScreenState } from "../screen-state.ts";
import { withResult } from "./fold-entry.ts";

type ToolEvent = Extract<AgentEvent, { readonly toolCallId: string }>;

export function foldTool(state: ScreenState, event: ToolEvent, now: number): ScreenState {
  return onCalls(state, (block) => (block.id === event.toolCallId ? changed(block, event, now) : block));
}

/** When a run is over, what it called and never came back to is not waited for. */
export function withoutOpenCalls(state: ScreenState): ScreenState {
  return onCalls(state, (block) => (isFinished(block) ? block : { ...block, state: "broken-off" }));
}

function onCalls(state: ScreenState, change: (block: Called) => Called): ScreenState {
  return { ...state, blocks: state.blocks.map((block): Block => (block.kind === "called" ? change(block) : block)) };
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
