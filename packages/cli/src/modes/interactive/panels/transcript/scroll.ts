/** Computes the visible rows of the transcript and highlights search matches. The selected block is always visible, at least in part. */

import { renderBlock } from "../../render/block.ts";
import type { Theme } from "../../render/theme.ts";
import type { Block } from "../../state/blocks.ts";
import {
  type BlockPosition,
  findNewer,
  findNewest,
  findOlder,
  getBlock,
  isOlder,
  type ScrollPosition,
  type TranscriptState,
} from "./state.ts";

/** The part of the page that shows blocks. */
export interface BodyArea {
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
}

export function getBlockLines(state: TranscriptState, position: BlockPosition, area: BodyArea): readonly string[] {
  const block = getBlock(state, position);
  return block ? drawCachedBlock(block, { ...area, isExpanded: state.expandedIds.has(block.id) }) : [];
}

function countBlockRows(state: TranscriptState, position: BlockPosition, area: BodyArea): number {
  return getBlockLines(state, position, area).length;
}

interface BlockDrawOptions extends Pick<BodyArea, "width" | "theme"> {
  readonly isExpanded: boolean;
}

function drawCachedBlock(block: Block, { width, theme, isExpanded }: BlockDrawOptions): readonly string[] {
  const key = `${width} ${theme.name} ${isExpanded}`;
  const cacheEntry = lineCache.get(block);
  if (cacheEntry?.key === key) return cacheEntry.lines;
  // One column is reserved for the mark of the selected block.
  const lines = renderBlock(block, { width: width - 1, theme, isUnfolded: isExpanded, now: 0 });
  lineCache.set(block, { key, lines });
  return lines;
}

// Drawing Markdown again for every key would be noticeably slow.
const lineCache = new WeakMap<Block, { readonly key: string; readonly lines: readonly string[] }>();

/** Marks every match of the query, also without colours. The line's own styles continue after each match. */
export function highlightMatches(line: string, query: string, theme: Theme): string {
  const spans = findSpans(line, query);
  if (spans.length === 0) return line;
  let [offset, styles, result] = [0, "", ""];
  for (const [index, piece] of line.split(STYLE_SEQUENCE).entries()) {
    if (index % 2 === 1) {
      styles = RESETS.includes(piece) ? "" : styles + piece;
      result += piece;
      continue;
    }
    result += highlightPiece(piece, { offset, spans, highlight: (text) => `${theme.selected(text)}${styles}` });
    offset += piece.length;
  }
  return result;
}

export function hasMatch(line: string, query: string): boolean {
  return findSpans(line, query).length > 0;
}

type Span = readonly [start: number, end: number];

interface HighlightOptions {
  /** The position of the piece in the line's text without styles. */
  readonly offset: number;
  readonly spans: readonly Span[];
  /** Marks a match, and then restores the styles that the mark resets. */
  readonly highlight: (text: string) => string;
}

function highlightPiece(piece: string, { offset, spans, highlight }: HighlightOptions): string {
  let [from, result] = [0, ""];
  for (const [start, end] of spans) {
    const [begin, stop] = [Math.max(from, start - offset), Math.min(piece.length, end - offset)];
    if (begin >= stop) continue;
    result += piece.slice(from, begin) + highlight(piece.slice(begin, stop));
    from = stop;
  }
  return result + piece.slice(from);
}

const ESCAPE = "\x1b";
/** Matches styles and links. Because of its group, `split` returns them too, at the odd indices. */
const STYLE_SEQUENCE = new RegExp(`(${ESCAPE}\\[[\\d;:]*m|${ESCAPE}\\]8;[^\\x07${ESCAPE}]*(?:\\x07|${ESCAPE}\\\\))`);
const RESETS: readonly string[] = ["\x1b[0m", "\x1b[m"];

/** Searches the text without styles, ignoring case. */
function findSpans(line: string, query: string): readonly Span[] {
  if (query === "") return [];
  const texts = line.split(STYLE_SEQUENCE).filter((_, index) => index % 2 === 0);
  const pattern = new RegExp(query.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
  return [...texts.join("").matchAll(pattern)].map(({ 0: match, index }) => [index, index + match.length]);
}

/** Moves to the next newer or older block. Within a block that is taller than the page, scrolls by most of a page. */
export function moveSelection(state: TranscriptState, direction: "newer" | "older", area: BodyArea): TranscriptState {
  const scrolledTop = scrollWithinBlock(state, direction, area);
  if (scrolledTop) return { ...state, top: scrolledTop };
  const next = direction === "newer" ? findNewer(state, state.selected) : findOlder(state, state.selected);
  if (!next) return state;
  const nextState = scrollToSelected({ ...state, selected: next }, area);
  // Moving up to a tall block shows its end first.
  const isTallerThanPage = direction === "older" && countBlockRows(nextState, next, area) > area.height;
  return isTallerThanPage ? { ...nextState, top: findTopEndingWith(nextState, next, area) } : nextState;
}

function scrollWithinBlock(
  state: TranscriptState,
  direction: "newer" | "older",
  area: BodyArea,
): ScrollPosition | null {
  const { top, selected } = state;
  if (top.page !== selected.page || top.block !== selected.block) return null;
  const rowsBelow = countBlockRows(state, selected, area) - top.row - area.height;
  const maxStep = Math.max(1, area.height - 2);
  if (direction === "newer") return rowsBelow > 0 ? { ...top, row: top.row + Math.min(maxStep, rowsBelow) } : null;
  return top.row > 0 ? { ...top, row: Math.max(0, top.row - maxStep) } : null;
}

/** Scrolls by a page. Selects the first visible block, or the last block at the end. */
export function movePage(state: TranscriptState, direction: "newer" | "older", area: BodyArea): TranscriptState {
  const rowCount = Math.max(1, area.height - 2);
  const top =
    direction === "newer"
      ? scrollDown(state, state.top, { ...area, rowCount })
      : scrollUp(state, state.top, { ...area, rowCount });
  const bottom = findLastTop(state, area);
  const isEnd = direction === "newer" && !isBefore(top, bottom);
  if (isEnd) return { ...state, top: bottom, selected: findLastPosition(state) };
  const { row, ...position } = top;
  const next = row === 0 ? position : (findNewer(state, position) ?? position);
  return { ...state, top, selected: countBlockRows(state, position, area) - row > area.height ? position : next };
}

/** Scrolls so that the selected block is visible. */
export function scrollToSelected(state: TranscriptState, area: BodyArea): TranscriptState {
  const { selected, top } = state;
  if (isOlder(selected, top) || (selected.page === top.page && selected.block === top.block))
    return { ...state, top: { ...selected, row: 0 } };
  const neededRows = countRowsTo(state, top, { ...area, end: selected });
  if (neededRows !== null && neededRows <= area.height) return state;
  return { ...state, top: findTopEndingWith(state, selected, area) };
}

/** Returns the top of a page that ends with this block. A taller block shows its end. */
export function findTopEndingWith(state: TranscriptState, position: BlockPosition, area: BodyArea): ScrollPosition {
  const blockRows = countBlockRows(state, position, area);
  if (blockRows >= area.height) return { ...position, row: blockRows - area.height };
  return scrollUp(state, { ...position, row: 0 }, { ...area, rowCount: area.height - blockRows });
}

/** Returns the top of a page that shows the first match in this block, with a few rows above it. */
export function findTopShowing(state: TranscriptState, position: BlockPosition, area: BodyArea): ScrollPosition {
  const rowsAbove = Math.floor(area.height / 4);
  const matchRow = getBlockLines(state, position, area).findIndex((line) => hasMatch(line, state.query));
  const startRow = matchRow + rowsAbove < area.height ? 0 : matchRow;
  const top = scrollUp(state, { ...position, row: startRow }, { ...area, rowCount: rowsAbove });
  const bottom = findLastTop({ ...state, selected: position }, area);
  return isBefore(top, bottom) ? top : bottom;
}

/** Whether the end of the branch is visible. */
export function isAtEnd(state: TranscriptState, area: BodyArea): boolean {
  const last = findNewest(state);
  const isLast = state.selected.page === last.page && state.selected.block === last.block;
  return isLast && !isBefore(state.top, findTopEndingWith(state, last, area));
}

/** Returns the top of a page that ends with the newest loaded block. */
function findLastTop(state: TranscriptState, area: BodyArea): ScrollPosition {
  return findTopEndingWith(state, findLastPosition(state), area);
}

function findLastPosition(state: TranscriptState): BlockPosition {
  let position: BlockPosition = state.selected;
  for (let next = findNewer(state, position); next; next = findNewer(state, next)) position = next;
  return position;
}

function isBefore(a: ScrollPosition, b: ScrollPosition): boolean {
  if (a.page === b.page && a.block === b.block) return a.row < b.row;
  return isOlder(a, b);
}

interface ScrollOptions extends BodyArea {
  readonly rowCount: number;
}

function scrollUp(state: TranscriptState, from: ScrollPosition, { rowCount, ...area }: ScrollOptions): ScrollPosition {
  let [position, row]: [BlockPosition, number] = [from, from.row - rowCount];
  while (row < 0) {
    const previous = findOlder(state, position);
    if (!previous) return { page: position.page, block: position.block, row: 0 };
    position = previous;
    row += countBlockRows(state, position, area);
  }
  return { page: position.page, block: position.block, row };
}

function scrollDown(
  state: TranscriptState,
  from: ScrollPosition,
  { rowCount, ...area }: ScrollOptions,
): ScrollPosition {
  let [position, row]: [BlockPosition, number] = [from, from.row + rowCount];
  for (
    let blockRows = countBlockRows(state, position, area);
    row >= blockRows;
    blockRows = countBlockRows(state, position, area)
  ) {
    const next = findNewer(state, position);
    if (!next) return { page: position.page, block: position.block, row: Math.max(0, blockRows - 1) };
    row -= blockRows;
    position = next;
  }
  return { page: position.page, block: position.block, row };
}

/** Counts the rows from the top to the end of a block. Null if they exceed a page. */
function countRowsTo(
  state: TranscriptState,
  top: ScrollPosition,
  { end, ...area }: BodyArea & { readonly end: BlockPosition },
): number | null {
  let sum = -top.row;
  for (let position: BlockPosition | null = top; position; position = findNewer(state, position)) {
    sum += countBlockRows(state, position, area);
    if (position.page === end.page && position.block === end.block) return sum;
    if (sum > area.height) return null;
  }
  return null;
}
