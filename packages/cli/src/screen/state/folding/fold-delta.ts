/** A piece of a reply, as it comes: it belongs to the block that is still being written, or begins one. Pure. */

import type { Delta } from "@pith/agent";
import { type Answered, type Block, type Called, DRAFT, isDraft, type Thought } from "../block.ts";
import type { ScreenState } from "../screen-state.ts";
import { added, drafted } from "./added.ts";

/** `now` in milliseconds. */
export function foldDelta(state: ScreenState, delta: Delta, now: number): ScreenState {
  switch (delta.type) {
    case "text-delta":
      return withText(state, delta.text, now);
    case "thinking-delta":
      return withThought(state, delta.text, now);
    case "tool-call-delta":
      return delta.call ? withCall(state, delta.call, now) : state;
  }
}

function withText(state: ScreenState, text: string, now: number): ScreenState {
  const last = state.blocks.at(-1);
  if (last?.kind === "answered" && last.isOpen) return onLast(state, longer(last, text));
  // Line ends before its first word are no answer yet.
  const words = text.trimStart();
  if (words === "") return state;
  const begun = drafted<Answered>(state, { kind: "answered", text: words, isOpen: true, printed: 0 });
  return added(thoughtEnough(begun.state, now), begun.block);
}

function longer(answer: Answered, text: string): Answered {
  const isWithinLine = !answer.text.endsWith("\n") && !text.includes("\n");
  return { ...answer, text: answer.text + text, isWithinLine };
}

function withThought(state: ScreenState, text: string, now: number): ScreenState {
  const last = state.blocks.at(-1);
  if (last?.kind === "thought" && last.isOpen) return onLast(state, { ...last, text: last.text + text });
  const begun = drafted<Thought>(state, { kind: "thought", text, isOpen: true, since: now });
  return added(begun.state, begun.block);
}

function withCall(state: ScreenState, { id, name }: { readonly id: string; readonly name: string }, now: number) {
  const own = `${DRAFT}${id}`;
  if (state.blocks.some((block) => block.kind === "called" && block.id === own)) return state;
  const called: Called = {
    ...{ kind: "called", id: own, tool: name, arguments: {}, state: "writing", output: "", images: [] },
  };
  return added(thoughtEnough(state, now), called);
}

function onLast(state: ScreenState, block: Block): ScreenState {
  return { ...state, blocks: [...state.blocks.slice(0, -1), block] };
}

/** Whoever begins to answer has thought enough. */
function thoughtEnough(state: ScreenState, now: number): ScreenState {
  const last = state.blocks.at(-1);
  if (last?.kind !== "thought" || !last.isOpen || !isDraft(last)) return state;
  return onLast(state, { ...last, isOpen: false, ...(last.since !== undefined && { tookMs: now - last.since }) });
}
