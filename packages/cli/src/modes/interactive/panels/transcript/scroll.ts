/** Computes the visible rows of the transcript and highlights search matches. The selected block is always visible, at least in part. */

import { drawBlock } from "../../render/block.ts";
import type { Theme } from "../../render/theme.ts";
import type { Block } from "../../state/blocks.ts";
import { blockAt, isOlder, newer, newest, older, type Spot, type Top, type TranscriptState } from "./state.ts";

/** What the page has for blocks. */
export interface Rows {
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
}

export function linesAt(state: TranscriptState, spot: Spot, rows: Rows): readonly string[] {
  const block = blockAt(state, spot);
  return block ? drawn(block, { ...rows, isOpened: state.opened.has(block.id) }) : [];
}

export function rowsOf(state: TranscriptState, spot: Spot, rows: Rows): number {
  return linesAt(state, spot, rows).length;
}

interface Drawing extends Pick<Rows, "width" | "theme"> {
  readonly isOpened: boolean;
}

function drawn(block: Block, { width, theme, isOpened }: Drawing): readonly string[] {
  const key = `${width} ${theme.name} ${isOpened}`;
  const kept = DRAWN.get(block);
  if (kept?.key === key) return kept.lines;
  // A column for the mark of where one stands.
  const lines = drawBlock(block, { width: width - 1, theme, isUnfolded: isOpened, now: 0 });
  DRAWN.set(block, { key, lines });
  return lines;
}

// Only a shortcut: drawing Markdown anew for every key would be felt.
const DRAWN = new WeakMap<Block, { readonly key: string; readonly lines: readonly string[] }>();

/** Marks every match of the query, visible without colours too; the line's own colours continue behind each match. */
export function marked(line: string, query: string, theme: Theme): string {
  const spans = spansIn(line, query);
  if (spans.length === 0) return line;
  let [at, inks, drawn] = [0, "", ""];
  for (const [index, piece] of line.split(INK).entries()) {
    if (index % 2 === 1) {
      inks = RESETS.includes(piece) ? "" : inks + piece;
      drawn += piece;
      continue;
    }
    drawn += markedPiece(piece, { at, spans, mark: (text) => `${theme.selected(text)}${inks}` });
    at += piece.length;
  }
  return drawn;
}

/** Whether the words stand in it. */
export function isMarked(line: string, query: string): boolean {
  return spansIn(line, query).length > 0;
}

type Span = readonly [start: number, end: number];

interface Marking {
  /** Where the piece begins among the words of the line. */
  readonly at: number;
  readonly spans: readonly Span[];
  /** Ends all inks, so that those that hold come again. */
  readonly mark: (text: string) => string;
}

function markedPiece(piece: string, { at, spans, mark }: Marking): string {
  let [from, drawn] = [0, ""];
  for (const [start, end] of spans) {
    const [begin, stop] = [Math.max(from, start - at), Math.min(piece.length, end - at)];
    if (begin >= stop) continue;
    drawn += piece.slice(from, begin) + mark(piece.slice(begin, stop));
    from = stop;
  }
  return drawn + piece.slice(from);
}

/** Inks and links: what splits comes along, at every second place. */
const ESCAPE = "\x1b";
const INK = new RegExp(`(${ESCAPE}\\[[\\d;:]*m|${ESCAPE}\\]8;[^\\x07${ESCAPE}]*(?:\\x07|${ESCAPE}\\\\))`);
const RESETS: readonly string[] = ["\x1b[0m", "\x1b[m"];

/** In the words without their inks, whatever the case. */
function spansIn(line: string, query: string): readonly Span[] {
  if (query === "") return [];
  const words = line.split(INK).filter((_, index) => index % 2 === 0);
  const pattern = new RegExp(query.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
  return [...words.join("").matchAll(pattern)].map(({ 0: found, index }) => [index, index + found.length]);
}

/** One step towards what is newer or older; within a high block, most of a page. */
export function stepped(state: TranscriptState, step: "newer" | "older", rows: Rows): TranscriptState {
  const inside = scrolledInside(state, step, rows);
  if (inside) return { ...state, top: inside };
  const next = step === "newer" ? newer(state, state.at) : older(state, state.at);
  if (!next) return state;
  const moved = seen({ ...state, at: next }, rows);
  // From below one comes to the end of a high block.
  const isHigh = step === "older" && rowsOf(moved, next, rows) > rows.height;
  return isHigh ? { ...moved, top: endingWith(moved, next, rows) } : moved;
}

function scrolledInside(state: TranscriptState, step: "newer" | "older", rows: Rows): Top | null {
  const { top, at } = state;
  if (top.page !== at.page || top.block !== at.block) return null;
  const lasts = rowsOf(state, at, rows) - top.row - rows.height;
  const most = Math.max(1, rows.height - 2);
  if (step === "newer") return lasts > 0 ? { ...top, row: top.row + Math.min(most, lasts) } : null;
  return top.row > 0 ? { ...top, row: Math.max(0, top.row - most) } : null;
}

/** A page further: one stands on the first block that is seen then, at the end on the last one. */
export function paged(state: TranscriptState, step: "newer" | "older", rows: Rows): TranscriptState {
  const by = Math.max(1, rows.height - 2);
  const top = step === "newer" ? downBy(state, state.top, { ...rows, by }) : upBy(state, state.top, { ...rows, by });
  const bottom = lastTop(state, rows);
  const isEnd = step === "newer" && !isBefore(top, bottom);
  if (isEnd) return { ...state, top: bottom, at: lastSpot(state) };
  const { row, ...at } = top;
  const next = row === 0 ? at : (newer(state, at) ?? at);
  return { ...state, top, at: rowsOf(state, at, rows) - row > rows.height ? at : next };
}

/** The same, with the block one stands on before one's eyes. */
export function seen(state: TranscriptState, rows: Rows): TranscriptState {
  const { at, top } = state;
  if (isOlder(at, top) || (at.page === top.page && at.block === top.block)) return { ...state, top: { ...at, row: 0 } };
  const needed = rowsBetween(state, top, { ...rows, to: at });
  if (needed !== null && needed <= rows.height) return state;
  return { ...state, top: endingWith(state, at, rows) };
}

/** The top of a page that ends with this block; a block that is higher shows its end. */
export function endingWith(state: TranscriptState, spot: Spot, rows: Rows): Top {
  const own = rowsOf(state, spot, rows);
  if (own >= rows.height) return { ...spot, row: own - rows.height };
  return upBy(state, { ...spot, row: 0 }, { ...rows, by: rows.height - own });
}

/** The top of a page that shows this block, from where the words stand in it, with a little of what stands above. */
export function showing(state: TranscriptState, spot: Spot, rows: Rows): Top {
  const above = Math.floor(rows.height / 4);
  const row = linesAt(state, spot, rows).findIndex((line) => isMarked(line, state.query));
  const from = row + above < rows.height ? 0 : row;
  const top = upBy(state, { ...spot, row: from }, { ...rows, by: above });
  const bottom = lastTop({ ...state, at: spot }, rows);
  return isBefore(top, bottom) ? top : bottom;
}

/** Whether nothing of the branch lies below what is seen. */
export function isAtEnd(state: TranscriptState, rows: Rows): boolean {
  const last = newest(state);
  const isLast = state.at.page === last.page && state.at.block === last.block;
  return isLast && !isBefore(state.top, endingWith(state, last, rows));
}

/** Where the newest that is read stands at the end of the page. */
function lastTop(state: TranscriptState, rows: Rows): Top {
  return endingWith(state, lastSpot(state), rows);
}

function lastSpot(state: TranscriptState): Spot {
  let spot: Spot = state.at;
  for (let next = newer(state, spot); next; next = newer(state, next)) spot = next;
  return spot;
}

function isBefore(one: Top, other: Top): boolean {
  if (one.page === other.page && one.block === other.block) return one.row < other.row;
  return isOlder(one, other);
}

interface By extends Rows {
  readonly by: number;
}

function upBy(state: TranscriptState, from: Top, { by, ...rows }: By): Top {
  let [spot, row]: [Spot, number] = [from, from.row - by];
  while (row < 0) {
    const before = older(state, spot);
    if (!before) return { page: spot.page, block: spot.block, row: 0 };
    spot = before;
    row += rowsOf(state, spot, rows);
  }
  return { page: spot.page, block: spot.block, row };
}

function downBy(state: TranscriptState, from: Top, { by, ...rows }: By): Top {
  let [spot, row]: [Spot, number] = [from, from.row + by];
  for (let own = rowsOf(state, spot, rows); row >= own; own = rowsOf(state, spot, rows)) {
    const next = newer(state, spot);
    if (!next) return { page: spot.page, block: spot.block, row: Math.max(0, own - 1) };
    row -= own;
    spot = next;
  }
  return { page: spot.page, block: spot.block, row };
}

/** Rows from the top to the end of a block; null where it is more than a page. */
function rowsBetween(state: TranscriptState, top: Top, { to, ...rows }: Rows & { readonly to: Spot }): number | null {
  let sum = -top.row;
  for (let spot: Spot | null = top; spot; spot = newer(state, spot)) {
    sum += rowsOf(state, spot, rows);
    if (spot.page === to.page && spot.block === to.block) return sum;
    if (sum > rows.height) return null;
  }
  return null;
}
