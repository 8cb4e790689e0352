/** A piece of a reply, as it comes: it belongs to the block that is still being written, or begins one. Pure. */

import type { Delta } from "@pith/agent";
import type { Answered, Block, Called, Thought } from "../block.ts";
import type { ScreenState } from "../screen-state.ts";

export function foldDelta(state: ScreenState, delta: Delta): ScreenState {
  switch (delta.type) {
    case "text-delta":
      return onLast(state, (last) => (last?.kind === "answered" && last.isOpen ? last : newAnswer(state)), delta.text);
    case "thinking-delta":
      return onLast(state, (last) => (last?.kind === "thought" && last.isOpen ? last : newThought(state)), delta.text);
    case "tool-call-delta":
      return delta.call ? withCall(state, delta.call) : state;
  }
}

/** What is still being written and is not yet an entry. */
export function isDraft({ id }: Block): boolean {
  return id.startsWith(DRAFT);
}

const DRAFT = "draft:";

function onLast(state: ScreenState, pick: (last: Block | undefined) => Answered | Thought, text: string): ScreenState {
  const last = state.blocks.at(-1);
  const block = pick(last);
  const before = block === last ? state.blocks.slice(0, -1) : closed(state.blocks);
  return { ...state, blocks: [...before, { ...block, text: block.text + text }] };
}

/** Whoever begins to answer has thought enough. */
function closed(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block) => (block.kind === "thought" && block.isOpen ? { ...block, isOpen: false } : block));
}

function newAnswer({ blocks }: ScreenState): Answered {
  return { kind: "answered", id: `${DRAFT}${blocks.length}`, text: "", isOpen: true, printed: 0 };
}

function newThought({ blocks }: ScreenState): Thought {
  return { kind: "thought", id: `${DRAFT}${blocks.length}`, text: "", isOpen: true };
}

function withCall(state: ScreenState, { id, name }: { readonly id: string; readonly name: string }): ScreenState {
  if (state.blocks.some((block) => block.kind === "called" && block.id === `${DRAFT}${id}`)) return state;
  const called: Called = {
    ...{ kind: "called", id: `${DRAFT}${id}`, tool: name, arguments: {}, state: "writing", output: "", images: [] },
  };
  return { ...state, blocks: [...closed(state.blocks), called] };
}
