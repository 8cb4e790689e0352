/** Finds the blocks that are finished and can be printed for good; the others may still change. Pure. */

import {
  type AssistantBlock,
  type Block,
  type FencedCode,
  isDraft,
  isFinished,
  isFoldable,
  type Paragraph,
  splitParagraphs,
} from "./blocks.ts";
import type { ScreenState } from "./screen-state.ts";

export interface StablePrefix {
  readonly length: number;
  /** The code block that is open at the end of the prefix. */
  readonly code: FencedCode | null;
}

/**
 * Finds the end of the text that no longer changes: the last complete paragraph, or a line within long code. Starts at `offset`, where a
 * paragraph begins, or a line of the open code block `code`.
 */
export function findStablePrefix(text: string, offset: number, code: FencedCode | null = null): StablePrefix {
  let last: Paragraph | null = null;
  // An incomplete last line may still change its meaning.
  for (const paragraph of splitParagraphs(text, offset, code))
    if (last === null || !last.isClosed || text[last.end - 1] === "\n") last = paragraph;
    else break;
  if (last === null) return { length: offset, code };
  if (last.code && !last.isClosed) return findStableCode(text, last, last.code);
  return { length: last.start, code: last.start === offset ? code : null };
}

function findStableCode(text: string, { start }: Paragraph, code: FencedCode): StablePrefix {
  const codeStart = Math.max(start, code.start);
  let [offset, lines] = [text.lastIndexOf("\n"), 0];
  while (offset >= codeStart && lines < LIVE_CODE_LINES) {
    offset = text.lastIndexOf("\n", offset - 1);
    lines += 1;
  }
  const hasEnoughLines = offset >= codeStart && countLinesBetween(text, codeStart, offset) >= LIVE_CODE_LINES;
  if (hasEnoughLines) return { length: offset + 1, code };
  return { length: start, code: start >= code.start ? code : null };
}

function countLinesBetween(text: string, start: number, end: number): number {
  let count = 0;
  for (
    let index = text.indexOf("\n", start);
    index !== -1 && index <= end && count < LIVE_CODE_LINES;
    index = text.indexOf("\n", index + 1)
  )
    count += 1;
  return count;
}

/** This many lines of code stay live, because they can still change. As many are printed at a time. */
export const LIVE_CODE_LINES = 4;

export interface FinishedSplit {
  readonly blocks: readonly Block[];
  readonly rest: ScreenState;
}

/** Splits off the finished blocks in order: no block is printed before the blocks above it. A foldable block stays until another follows. */
export function splitFinished(state: ScreenState): FinishedSplit {
  const spacedBlocks = updateSpacing(state.blocks, state.lastPrintedKind);
  const firstLiveIndex = spacedBlocks.findIndex(
    (block, index) => !isFinished(block) || (isFoldable(block) && index === spacedBlocks.length - 1),
  );
  const finishedBlocks = firstLiveIndex === -1 ? spacedBlocks : spacedBlocks.slice(0, firstLiveIndex);
  const [firstLive, ...liveAfter] = firstLiveIndex === -1 ? [] : spacedBlocks.slice(firstLiveIndex);
  const split =
    firstLive?.kind === "assistant" && firstLive.isOpen ? splitAnswer(firstLive) : { printable: [], rest: firstLive };
  const printableBlocks = [...finishedBlocks.filter((block) => !isPrintedThought(block)), ...split.printable];
  if (printableBlocks.length === 0)
    return {
      blocks: printableBlocks,
      rest: spacedBlocks === state.blocks ? state : { ...state, blocks: spacedBlocks },
    };
  const remainingBlocks = [
    ...finishedBlocks.flatMap(toPrintedDraft),
    ...(split.rest ? [split.rest, ...liveAfter] : []),
  ];
  const lastPrintedKind = printableBlocks.at(-1)?.kind ?? state.lastPrintedKind;
  return {
    blocks: printableBlocks,
    rest: { ...state, lastPrintedKind, blocks: updateSpacing(remainingBlocks, lastPrintedKind) },
  };
}

/** A paragraph no longer changes once another one follows it. */
function splitAnswer(answer: AssistantBlock): { readonly printable: readonly Block[]; readonly rest: AssistantBlock } {
  if (answer.isWithinLine) return { printable: [], rest: answer };
  const { length, code } = findStablePrefix(answer.text, answer.printed, answer.code ?? null);
  if (length <= answer.printed) return { printable: [], rest: answer };
  const { code: _, ...others } = answer;
  const remainingAnswer = { ...others, printed: length, ...(code && { code }) };
  const isBlank = answer.text.slice(answer.printed, length).trim() === "" && !answer.code;
  return {
    printable: isBlank ? [] : [{ ...answer, text: answer.text.slice(0, length), isOpen: false }],
    rest: remainingAnswer,
  };
}

/** Thinking is printed when it ends. It must not be printed again with the complete reply. */
function toPrintedDraft(block: Block): readonly Block[] {
  if (block.kind !== "thinking" || !isDraft(block)) return [];
  return [{ ...block, isPrinted: true }];
}

function isPrintedThought(block: Block): boolean {
  return block.kind === "thinking" && block.isPrinted === true;
}

/**
 * Removes the empty lines between consecutive tool calls and thinking. `kindAbove` is the kind of the block above the first one. Returns
 * the same list if nothing changes.
 */
export function updateSpacing(blocks: readonly Block[], kindAbove: Block["kind"] | null): readonly Block[] {
  let isChanged = false;
  let previousKind = kindAbove;
  const spacedBlocks = blocks.map((block): Block => {
    const isAttached = previousKind !== null && isToolOrThought(block.kind) && isToolOrThought(previousKind);
    if (!isPrintedThought(block)) previousKind = block.kind;
    if (isAttached === (block.isAttached ?? false)) return block;
    isChanged = true;
    const { isAttached: _, ...rest } = block;
    return isAttached ? { ...rest, isAttached } : rest;
  });
  return isChanged ? spacedBlocks : blocks;
}

function isToolOrThought(kind: Block["kind"]): boolean {
  return kind === "tool" || kind === "thinking";
}
