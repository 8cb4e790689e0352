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

/** What the page has for blocks. */
export interface BodyArea {
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
}

export function getBlockLines(state: TranscriptState, position: BlockPosition, area: BodyArea): readonly string[] {
  const block = getBlock(state, position);
  return block ? drawCachedBlock(block, { ...area, isExpanded: state.expandedIds.has(block.id) }) : [];
}

export function countBlockRows(state: TranscriptState, position: BlockPosition, area: BodyArea): number {
  return getBlockLines(state, position, area).length;
}

interface BlockDrawOptions extends Pick<BodyArea, "width" | "theme"> {
  readonly isExpanded: boolean;
}

function drawCachedBlock(block: Block, { width, theme, isExpanded }: BlockDrawOptions): readonly string[] {
  const key = `${width} ${theme.name} ${isExpanded}`;
  const cached = lineCache.get(block);
  if (cached?.key === key) return cached.lines;
  // A column for the mark of where one stands.
  const lines = renderBlock(block, { width: width - 1, theme, isUnfolded: isExpanded, now: 0 });
  lineCache.set(block, { key, lines });
  return lines;
}

// Only a shortcut: drawing Markdown anew for every key would be felt.
const lineCache = new WeakMap<Block, { readonly key: string; readonly lines: readonly string[] }>();

/** Marks every match of the query, visible without colours too; the line's own colours continue behind each match. */
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

/** Whether the words stand in it. */
export function hasMatch(line: string, query: string): boolean {
  return findSpans(line, query).length > 0;
}

type Span = readonly [start: number, end: number];

interface HighlightOptions {
  /** Where the piece begins among the words of the line. */
  readonly offset: number;
  readonly spans: readonly Span[];
  /** Ends all inks, so that those that hold come again. */
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

/** Inks and links: what splits comes along, at every second place. */
const ESCAPE = "\x1b";
const STYLE_SEQUENCE = new RegExp(`(${ESCAPE}\\[[\\d;:]*m|${ESCAPE}\\]8;[^\\x07${ESCAPE}]*(?:\\x07|${ESCAPE}\\\\))`);
const RESETS: readonly string[] = ["\x1b[0m", "\x1b[m"];

/** In the words without their inks, whatever the case. */
function findSpans(line: string, query: string): readonly Span[] {
  if (query === "") return [];
  const texts = line.split(STYLE_SEQUENCE).filter((_, index) => index % 2 === 0);
  const pattern = new RegExp(query.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
  return [...texts.join("").matchAll(pattern)].map(({ 0: match, index }) => [index, index + match.length]);
}

/** One step towards what is newer or older; within a high block, most of a page. */
export function moveSelection(state: TranscriptState, direction: "newer" | "older", area: BodyArea): TranscriptState {
  const scrolledTop = scrollWithinBlock(state, direction, area);
  if (scrolledTop) return { ...state, top: scrolledTop };
  const next = direction === "newer" ? findNewer(state, state.selected) : findOlder(state, state.selected);
  if (!next) return state;
  const moved = scrollToSelected({ ...state, selected: next }, area);
  // From below one comes to the end of a high block.
  const isTallerThanPage = direction === "older" && countBlockRows(moved, next, area) > area.height;
  return isTallerThanPage ? { ...moved, top: findTopEndingWith(moved, next, area) } : moved;
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

/** A page further: one stands on the first block that is seen then, at the end on the last one. */
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

/** The same, with the block one stands on before one's eyes. */
export function scrollToSelected(state: TranscriptState, area: BodyArea): TranscriptState {
  const { selected, top } = state;
  if (isOlder(selected, top) || (selected.page === top.page && selected.block === top.block))
    return { ...state, top: { ...selected, row: 0 } };
  const neededRows = countRowsTo(state, top, { ...area, end: selected });
  if (neededRows !== null && neededRows <= area.height) return state;
  return { ...state, top: findTopEndingWith(state, selected, area) };
}

/** The top of a page that ends with this block; a block that is higher shows its end. */
export function findTopEndingWith(state: TranscriptState, position: BlockPosition, area: BodyArea): ScrollPosition {
  const blockRows = countBlockRows(state, position, area);
  if (blockRows >= area.height) return { ...position, row: blockRows - area.height };
  return scrollUp(state, { ...position, row: 0 }, { ...area, rowCount: area.height - blockRows });
}

/** The top of a page that shows this block, from where the words stand in it, with a little of what stands above. */
export function findTopShowing(state: TranscriptState, position: BlockPosition, area: BodyArea): ScrollPosition {
  const rowsAbove = Math.floor(area.height / 4);
  const matchRow = getBlockLines(state, position, area).findIndex((line) => hasMatch(line, state.query));
  const startRow = matchRow + rowsAbove < area.height ? 0 : matchRow;
  const top = scrollUp(state, { ...position, row: startRow }, { ...area, rowCount: rowsAbove });
  const bottom = findLastTop({ ...state, selected: position }, area);
  return isBefore(top, bottom) ? top : bottom;
}

/** Whether nothing of the branch lies below what is seen. */
export function isAtEnd(state: TranscriptState, area: BodyArea): boolean {
  const last = findNewest(state);
  const isLast = state.selected.page === last.page && state.selected.block === last.block;
  return isLast && !isBefore(state.top, findTopEndingWith(state, last, area));
}

/** Where the newest that is read stands at the end of the page. */
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

/** Rows from the top to the end of a block; null where it is more than a page. */
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
