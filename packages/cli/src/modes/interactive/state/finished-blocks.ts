/** Finds the blocks that are finished and can be printed for good; the others may still change. Pure. */

import {
  type Answered,
  type Block,
  type Code,
  isDraft,
  isFinished,
  isFoldable,
  type Paragraph,
  paragraphs,
} from "./blocks.ts";
import type { ScreenState } from "./screen-state.ts";

export interface Settled {
  readonly length: number;
  /** The code that is open there. */
  readonly code: Code | null;
}

/**
 * Up to the end of the last whole paragraph, or of a line within long code. From `from`, where a paragraph begins, or a line of the code
 * that is open there.
 */
export function settled(text: string, from: number, code: Code | null = null): Settled {
  let last: Paragraph | null = null;
  for (const paragraph of paragraphs(text, from, code))
    if (last === null || isWhole(last, text)) last = paragraph;
    else break;
  if (last === null) return { length: from, code };
  if (last.code && !last.isClosed) return withinCode(text, last, last.code);
  return { length: last.start, code: last.start === from ? code : null };
}

/** Half of a last line may still become anything. */
function isWhole({ end, isClosed }: Paragraph, text: string): boolean {
  return !isClosed || text[end - 1] === "\n";
}

function withinCode(text: string, { start }: Paragraph, code: Code): Settled {
  const first = Math.max(start, code.start);
  let [at, lines] = [text.lastIndexOf("\n"), 0];
  while (at >= first && lines < KEPT) {
    at = text.lastIndexOf("\n", at - 1);
    lines += 1;
  }
  const isLong = at >= first && linesBetween(text, first, at) >= KEPT;
  if (isLong) return { length: at + 1, code };
  return { length: start, code: start >= code.start ? code : null };
}

function linesBetween(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at <= to && count < KEPT; at = text.indexOf("\n", at + 1))
    count += 1;
  return count;
}

/** So many lines of code stay where they can still change; as many go at a time. */
export const KEPT = 4;

export interface Printable {
  readonly blocks: readonly Block[];
  readonly rest: ScreenState;
}

/** In their order: nothing is printed before what stands in front of it. What can be opened stays until something follows it. */
export function printable(state: ScreenState): Printable {
  const all = spaced(state.blocks, state.above);
  const stays = all.findIndex((block, at) => !isFinished(block) || (isFoldable(block) && at === all.length - 1));
  const finished = stays === -1 ? all : all.slice(0, stays);
  const [head, ...behind] = stays === -1 ? [] : all.slice(stays);
  const parted = head?.kind === "answered" && head.isOpen ? partedAnswer(head) : { done: [], left: head };
  const done = [...finished.filter((block) => !isAbove(block)), ...parted.done];
  if (done.length === 0) return { blocks: done, rest: all === state.blocks ? state : { ...state, blocks: all } };
  const left = [...finished.flatMap(ghostOf), ...(parted.left ? [parted.left, ...behind] : [])];
  const above = done.at(-1)?.kind ?? state.above;
  return { blocks: done, rest: { ...state, above, blocks: spaced(left, above) } };
}

/** A paragraph that is followed by another does not change any more. */
function partedAnswer(answer: Answered): { readonly done: readonly Block[]; readonly left: Answered } {
  if (answer.isWithinLine) return { done: [], left: answer };
  const { length, code } = settled(answer.text, answer.printed, answer.code ?? null);
  if (length <= answer.printed) return { done: [], left: answer };
  const { code: _, ...rest } = answer;
  const left = { ...rest, printed: length, ...(code && { code }) };
  const isBlank = answer.text.slice(answer.printed, length).trim() === "" && !answer.code;
  return { done: isBlank ? [] : [{ ...answer, text: answer.text.slice(0, length), isOpen: false }], left };
}

/** A thought is printed when it is over; its reply, once whole, must not bring it again. */
function ghostOf(block: Block): readonly Block[] {
  if (block.kind !== "thought" || !isDraft(block)) return [];
  return [{ ...block, isPrinted: true }];
}

function isAbove(block: Block): boolean {
  return block.kind === "thought" && block.isPrinted === true;
}

/** Calls and thoughts in a row are one piece of work, with no empty line between them. `above` is what stands over the first of them. The same list where nothing changes. */
export function spaced(blocks: readonly Block[], above: Block["kind"] | null): readonly Block[] {
  let isChanged = false;
  let before = above;
  const all = blocks.map((block): Block => {
    const isClose = before !== null && isWork(block.kind) && isWork(before);
    if (!isAbove(block)) before = block.kind;
    if (isClose === (block.isClose ?? false)) return block;
    isChanged = true;
    const { isClose: _, ...rest } = block;
    return isClose ? { ...rest, isClose } : rest;
  });
  return isChanged ? all : blocks;
}

function isWork(kind: Block["kind"]): boolean {
  return kind === "called" || kind === "thought";
}
