/** What of a transcript is finished and can be printed for good, and what stays because it may still change. Pure. */

import { type Answered, type Block, isFinished, isFoldable } from "./block.ts";
import type { ScreenState } from "./screen-state.ts";
import { settledLength } from "./settled-length.ts";

export interface Printable {
  readonly blocks: readonly Block[];
  readonly rest: ScreenState;
}

/** In their order: nothing is printed before what stands in front of it. What can be opened stays until something follows it. */
export function printable(state: ScreenState): Printable {
  const { blocks } = state;
  const stays = blocks.findIndex((block, at) => !isFinished(block) || (isFoldable(block) && at === blocks.length - 1));
  const done = stays === -1 ? blocks : blocks.slice(0, stays);
  const [head, ...behind] = stays === -1 ? [] : blocks.slice(stays);
  const parted = head?.kind === "answered" && head.isOpen ? partedAnswer(head) : { done: [], left: head };
  const left = parted.left ? [parted.left, ...behind] : [];
  const rest = done.length + parted.done.length === 0 ? state : { ...state, blocks: left };
  return { blocks: [...done, ...parted.done], rest };
}

/** A paragraph that is followed by another does not change any more. */
function partedAnswer(answer: Answered): { readonly done: readonly Block[]; readonly left: Answered } {
  const upTo = settledLength(answer.text, answer.printed);
  if (upTo <= answer.printed) return { done: [], left: answer };
  return {
    done: [{ ...answer, text: answer.text.slice(0, upTo), isOpen: false }],
    left: { ...answer, printed: upTo },
  };
}
