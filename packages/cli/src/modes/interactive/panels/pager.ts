/** Implements a text pager with scrolling and search, and a scrollable text page with answers below it. */

import { plain, plainLine } from "../../../text/safe-text.ts";
import { atBothEnds, fitted } from "../render/text.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { keyShown, type Option, optionPressed } from "./choice.ts";
import { answered, goesOn, isWayOut, type Panel, type Pressed, type Sight } from "./panel.ts";
import {
  drawLine,
  emptyLine,
  hintLine,
  type Length,
  type LineInput,
  scrolled,
  scrolledTo,
  typedInto,
} from "./widgets.ts";

/** Plain lines, none wider than `width`. */
export function pageLines(text: string, width: number): readonly PageLine[] {
  const lines = plain(text).replaceAll("\t", "    ").split("\n");
  return lines.flatMap((line) => wrapped(line, Math.max(1, width))).map((line) => ({ text: line }));
}

/** Most lines are short and simple, and there may be a hundred thousand; or there is one, and it is a megabyte long. */
function wrapped(line: string, width: number): readonly string[] {
  if (SIMPLE.test(line)) return line.length <= width ? [line] : simplyWrapped(line, width);
  if (line.length <= width && visibleWidth(line) <= width) return [line];
  return (line.match(PIECES) ?? []).flatMap((piece) => wrapTextWithAnsi(piece, width));
}

const SIMPLE = /^[\x20-\x7e]*$/;
/** Wrapping takes longer than the line is long. */
const PIECES = /.{1,2000}/gsu;

/** At the last space there is, else in the middle of a word; each letter has one cell. */
function simplyWrapped(line: string, width: number): readonly string[] {
  const rows: string[] = [];
  let at = 0;
  while (line.length - at > width) {
    const space = line.slice(at, at + width + 1).lastIndexOf(" ");
    const end = at + (space > 0 ? space : width);
    rows.push(line.slice(at, end));
    at = line[end] === " " ? end + 1 : end;
  }
  return [...rows, line.slice(at)];
}

export interface Paged {
  readonly lines: readonly PageLine[];
  /** Those seen at once. */
  readonly rows: number;
}

export function pagerPress(state: PagerState, key: string, paged: Paged): Pressed<PagerState, null> | null {
  const next = state.typing ? whileTyping(state, key, paged) : whileReading(state, key, paged);
  return next && goesOn(next);
}

function whileTyping(state: PagerState, key: string, paged: Paged): PagerState | null {
  const typing = state.typing ?? emptyLine;
  if (isWayOut(key)) return { ...state, typing: null };
  if (key === "enter") return found({ ...state, typing: null, query: typing.text }, paged, { step: 1, isHere: true });
  const typed = typedInto(typing, key);
  return typed && found({ ...state, typing: typed, query: typed.text }, paged, { step: 1, isHere: true });
}

function whileReading(state: PagerState, key: string, paged: Paged): PagerState | null {
  const top = scrolled(state.top, key, lengthOf(paged));
  if (top !== null) return { ...state, top };
  if (key === "/") return { ...state, typing: emptyLine };
  if (key === "n") return found(state, paged, { step: 1, isHere: false });
  return key === "N" ? found(state, paged, { step: -1, isHere: false }) : null;
}

function lengthOf({ lines, rows }: Paged): Length {
  return { count: lines.length, rows };
}

interface Searching {
  readonly step: 1 | -1;
  /** Whether the line one stands on counts. */
  readonly isHere: boolean;
}

/** The next line with the words, once round. */
function found(state: PagerState, paged: Paged, { step, isHere }: Searching): PagerState {
  const { lines } = paged;
  const wanted = state.query.toLowerCase();
  if (wanted === "") return state;
  for (let away = isHere ? 0 : 1; away <= lines.length; away++) {
    const at = (state.top + step * away + 2 * lines.length) % Math.max(1, lines.length);
    if (lines[at]?.text.toLowerCase().includes(wanted)) return { ...state, top: scrolledTo(at, lengthOf(paged)) };
  }
  return state;
}

export interface PageLine {
  /** Already plain, and no wider than what it was made for. */
  readonly text: string;
  readonly isHeading?: true;
}

export interface PagerState {
  /** The first line that is seen. */
  readonly top: number;
  /** What is being typed to search for; null while nothing is. */
  readonly typing: LineInput | null;
  readonly query: string;
}

export const pagerStart: PagerState = { top: 0, typing: null, query: "" };

export interface PagerParts {
  readonly title: string;
  /** Made for a width; asked for again only when that changes. */
  readonly lines: (width: number) => readonly PageLine[];
}

export function pager({ title, lines }: PagerParts): Panel<PagerState, null> {
  let made: { readonly width: number; readonly lines: readonly PageLine[] } | null = null;
  const linesFor = (width: number): readonly PageLine[] => {
    if (made?.width !== width) made = { width, lines: lines(width) };
    return made.lines;
  };
  return {
    start: pagerStart,
    press: (state, key, sight) => pagerPress(state, key, pagedOn(linesFor(sight?.width ?? WIDTH), sight)),
    draw: (state, sight) => drawPage(state, { title, lines: linesFor(sight.width), sight }),
  };
}

const WIDTH = 80;
const HEIGHT = 24;
/** Title above, keys below. */
const FRAME = 2;

function pagedOn(lines: readonly PageLine[], sight: Sight | undefined): Paged {
  return { lines, rows: rowsOf(sight?.height ?? HEIGHT) };
}

function rowsOf(height: number): number {
  return Math.max(1, height - FRAME);
}

interface Drawn {
  readonly title: string;
  readonly lines: readonly PageLine[];
  readonly sight: Sight;
}

function drawPage({ top, typing, query }: PagerState, { title, lines, sight }: Drawn): readonly string[] {
  const { width, height, theme } = sight;
  const rows = rowsOf(height);
  const seen = lines.slice(top, top + rows);
  const place = `${Math.min(top + 1, lines.length)}–${Math.min(top + rows, lines.length)} of ${lines.length} lines`;
  const body = seen.map((line) => drawn(line, query, sight));
  const blank = Array.from({ length: Math.max(0, rows - body.length) }, () => "");
  const foot = typing ? ` search: ${drawLine(typing, theme)}` : hintLine(HINTS, sight);
  const head = atBothEnds(theme.strong(` ${plainLine(title)}`), theme.dim(place), width);
  return [head, ...body, ...blank, foot].map((line) => fitted(line, width));
}

const HINTS = ["↑↓ PgUp PgDn Home End", "/ search", "n next", "N previous", "Esc closes"];

function drawn({ text, isHeading }: PageLine, query: string, { theme }: Sight): string {
  const isFound = query !== "" && text.toLowerCase().includes(query.toLowerCase());
  if (isFound) return theme.selected(text);
  return isHeading ? theme.heading(text) : text;
}

export interface TextPage<Value> {
  readonly title: string;
  /** Within the width; theirs are the inks. */
  readonly lines: (sight: Sight) => readonly string[];
  /** None: there is nothing but to look. */
  readonly options?: readonly Option<Value>[];
  /** The answer that is chosen at first. */
  readonly at?: number;
}

export interface PageState {
  readonly top: number;
  readonly at: number;
}

export function textPage<Value>(page: TextPage<Value>): Panel<PageState, Value> {
  const { options = [], at = 0 } = page;
  return {
    start: { top: 0, at },
    ...(options.length > 0 && { spoken: { title: page.title, lines: page.lines, options } }),
    press: (state, key, sight) => {
      const pressed = optionPressed(options, key, state.at);
      if (pressed?.type === "taken") return answered(pressed.option.value);
      if (pressed) return goesOn({ ...state, at: pressed.at });
      if (key === "left" || key === "right" || key === "tab") return goesOn({ ...state, at: beside(state.at, key) });
      const top = sight ? scrolled(state.top, key, extentOn(page, sight)) : null;
      return top === null ? null : goesOn({ ...state, top });
    },
    draw: (state, sight) => drawTextPage(page, state, sight),
  };

  function beside(now: number, key: string): number {
    const count = Math.max(1, options.length);
    return (now + (key === "left" ? count - 1 : 1)) % count;
  }
}

/** How long the text is, and how much of it is seen at once. */
function extentOn<Value>({ lines, options = [] }: TextPage<Value>, sight: Sight): Length {
  const foot = options.length === 0 ? 0 : 1 + optionLines(options, 0, sight).length;
  return { count: lines(sight).length, rows: Math.max(1, sight.height - HEAD - foot - 1) };
}

/** A title and a ruler. */
const HEAD = 2;

function drawTextPage<Value>(page: TextPage<Value>, { top, at }: PageState, sight: Sight): readonly string[] {
  const { theme, width } = sight;
  const { options = [] } = page;
  const { count, rows } = extentOn(page, sight);
  const first = scrolledTo(top, { count, rows });
  const seen = page.lines(sight).slice(first, first + rows);
  const head = [theme.strong(` ${plain(page.title)}`), theme.border("─".repeat(width))];
  const blank = Array.from({ length: rows - seen.length }, () => "");
  const foot = options.length === 0 ? [] : ["", ...optionLines(options, at, sight)];
  const part = count > rows ? [`↑↓ ${first + 1}–${Math.min(first + rows, count)} of ${count}`] : [];
  const hints = [...part, ...(options.length > 0 ? ["←→ walk", "Enter answers"] : []), "Esc closes"];
  return [...head, ...seen, ...blank, ...foot, hintLine(hints, sight)].map((line) => truncateToWidth(line, width, "…"));
}

/** Side by side; where there is no room for that, one below the other, so that none is missing. */
function optionLines<Value>(options: readonly Option<Value>[], at: number, { theme, width }: Sight): readonly string[] {
  const shown = options.map((option, place) => {
    const words = `${place === at ? "❯" : " "} ${plain(option.label)}`;
    return `${place === at ? theme.accent(words) : words}${theme.dim(keyShown(option))}`;
  });
  const beside = ` ${shown.join("   ")}`;
  return visibleWidth(beside) <= width ? [beside] : shown.map((each) => ` ${each}`);
}
