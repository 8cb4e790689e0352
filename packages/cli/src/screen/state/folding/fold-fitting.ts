/** What is told of compactions and moves, on the blocks they belong to. Pure. */

import type { AgentEvent } from "@pith/agent";
import type { Block, Compacted } from "../block.ts";
import type { ScreenState } from "../screen-state.ts";
import { withNote } from "./added.ts";

type FittingEvent = Extract<
  AgentEvent,
  { type: "compaction_quality" | "compaction_undone" | "compaction_redone" | "session_tree" }
>;

export function foldFitting(state: ScreenState, event: FittingEvent): ScreenState {
  switch (event.type) {
    case "compaction_quality": {
      const warnings = event.findings.map(({ note }) => note);
      return onCompacted(state, event.compactionId, (block) => ({ ...block, warnings })) ?? warned(state, warnings);
    }
    case "compaction_undone":
    case "compaction_redone": {
      const isUndone = event.type === "compaction_undone";
      return onCompacted(state, event.compactionId, (block) => ({ ...block, isUndone })) ?? stepped(state, isUndone);
    }
    case "session_tree":
      return divided(state, event.summaryEntry?.id);
  }
}

/** Null where it was printed already, so that it cannot change any more. */
function onCompacted(state: ScreenState, id: string, change: (block: Compacted) => Compacted): ScreenState | null {
  const at = state.blocks.findIndex((block) => block.kind === "compacted" && block.id === id);
  const block = state.blocks[at];
  return block?.kind === "compacted" ? { ...state, blocks: state.blocks.with(at, change(block)) } : null;
}

function warned(state: ScreenState, warnings: readonly string[]): ScreenState {
  return warnings.reduce((before, text) => withNote(before, { tone: "warning", text }), state);
}

function stepped(state: ScreenState, isUndone: boolean): ScreenState {
  const text = isUndone ? "the compaction was undone; /redo takes that back" : "the compaction counts again";
  return withNote(state, { tone: "good", text });
}

/** The summary of what was left was written before one stood here, and yet belongs to this side of the line. */
function divided(state: ScreenState, summaryId: string | undefined): ScreenState {
  const isBehind = (block: Block): boolean => block.kind === "branch-told" && block.id === summaryId;
  const behind = state.blocks.filter(isBehind);
  // What a hint told was of the place that was left.
  const before = { ...state, hint: null, blocks: state.blocks.filter((block) => !isBehind(block)) };
  const { blocks, ...rest } = withNote(before, { tone: "plain", text: "moved in the tree", divides: true });
  return { ...rest, blocks: [...blocks, ...behind] };
}
