/** Implements a text pager with scrolling and search, and a scrollable text page with options below the text. */

import { escapeControls, escapeLine } from "@pith/host/text/safe-text";
import { alignEnds, fitLine } from "../render/text.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { formatOptionKey, matchOption, type Option } from "./choice.ts";
import { continueWith, finishWith, isCancelKey, type KeyResult, type Panel, type Viewport } from "./panel.ts";
import {
  clampScroll,
  editInput,
  emptyInput,
  type LineInput,
  type ListSize,
  renderHints,
  renderInput,
  scrollByKey,
} from "./widgets.ts";

/** Makes text safe and wraps it to lines of at most `width` columns. */
export function wrapPageLines(text: string, width: number): readonly PageLine[] {
  const lines = escapeControls(text).replaceAll("\t", "    ").split("\n");
  return lines.flatMap((line) => wrapLine(line, Math.max(1, width))).map((line) => ({ text: line }));
}

/** ASCII lines take a fast path: a text may have a hundred thousand lines, or one line of a megabyte. */
function wrapLine(line: string, width: number): readonly string[] {
  if (PRINTABLE_ASCII.test(line)) return line.length <= width ? [line] : wrapAscii(line, width);
  if (line.length <= width && visibleWidth(line) <= width) return [line];
  return (line.match(CHUNKS) ?? []).flatMap((piece) => wrapTextWithAnsi(piece, width));
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
/** The cost of `wrapTextWithAnsi` grows faster than the length of the line. */
const CHUNKS = /.{1,2000}/gsu;

/** Breaks at the last space that fits, otherwise inside a word. Every ASCII character is one column wide. */
function wrapAscii(line: string, width: number): readonly string[] {
  const rows: string[] = [];
  let start = 0;
  while (line.length - start > width) {
    const space = line.slice(start, start + width + 1).lastIndexOf(" ");
    const end = start + (space > 0 ? space : width);
    rows.push(line.slice(start, end));
    start = line[end] === " " ? end + 1 : end;
  }
  return [...rows, line.slice(start)];
}

export interface PageContent {
  readonly lines: readonly PageLine[];
  /** The number of visible lines. */
  readonly rows: number;
}

function handlePagerKey(state: PagerState, key: string, content: PageContent): KeyResult<PagerState, null> | null {
  const next = state.searchInput ? handleSearchKey(state, key, content) : handleScrollKey(state, key, content);
  return next && continueWith(next);
}

function handleSearchKey(state: PagerState, key: string, content: PageContent): PagerState | null {
  const searchInput = state.searchInput ?? emptyInput;
  if (isCancelKey(key)) return { ...state, searchInput: null };
  if (key === "enter")
    return scrollToMatch({ ...state, searchInput: null, query: searchInput.text }, content, {
      step: 1,
      includesCurrent: true,
    });
  const nextInput = editInput(searchInput, key);
  return (
    nextInput &&
    scrollToMatch({ ...state, searchInput: nextInput, query: nextInput.text }, content, {
      step: 1,
      includesCurrent: true,
    })
  );
}

function handleScrollKey(state: PagerState, key: string, content: PageContent): PagerState | null {
  const top = scrollByKey(state.top, key, toListSize(content));
  if (top !== null) return { ...state, top };
  if (key === "/") return { ...state, searchInput: emptyInput };
  if (key === "n") return scrollToMatch(state, content, { step: 1, includesCurrent: false });
  return key === "N" ? scrollToMatch(state, content, { step: -1, includesCurrent: false }) : null;
}

function toListSize({ lines, rows }: PageContent): ListSize {
  return { count: lines.length, rows };
}

interface SearchOptions {
  readonly step: 1 | -1;
  /** Whether the top line can be the match. */
  readonly includesCurrent: boolean;
}

/** Scrolls to the next line that contains the query, and wraps around once. */
function scrollToMatch(state: PagerState, content: PageContent, { step, includesCurrent }: SearchOptions): PagerState {
  const { lines } = content;
  const query = state.query.toLowerCase();
  if (query === "") return state;
  for (let distance = includesCurrent ? 0 : 1; distance <= lines.length; distance++) {
    const index = (state.top + step * distance + 2 * lines.length) % Math.max(1, lines.length);
    if (lines[index]?.text.toLowerCase().includes(query))
      return { ...state, top: clampScroll(index, toListSize(content)) };
  }
  return state;
}

export interface PageLine {
  /** Safe text, at most as wide as the page. */
  readonly text: string;
  readonly isHeading?: true;
}

export interface PagerState {
  /** The first visible line. */
  readonly top: number;
  /** The search text while the user types it; otherwise null. */
  readonly searchInput: LineInput | null;
  readonly query: string;
}

const initialPagerState: PagerState = { top: 0, searchInput: null, query: "" };

export interface PagerOptions {
  readonly title: string;
  /** Called again only if the width changes. */
  readonly lines: (width: number) => readonly PageLine[];
}

export function createPager({ title, lines }: PagerOptions): Panel<PagerState, null> {
  let cached: { readonly width: number; readonly lines: readonly PageLine[] } | null = null;
  const getLines = (width: number): readonly PageLine[] => {
    if (cached?.width !== width) cached = { width, lines: lines(width) };
    return cached.lines;
  };
  return {
    initialState: initialPagerState,
    handleKey: (state, key, viewport) =>
      handlePagerKey(state, key, toPageContent(getLines(viewport?.width ?? DEFAULT_WIDTH), viewport)),
    render: (state, viewport) => renderPage(state, { title, lines: getLines(viewport.width), viewport }),
  };
}

const DEFAULT_WIDTH = 80;
const DEFAULT_HEIGHT = 24;
/** The title and the hint line. */
const FRAME_ROWS = 2;

function toPageContent(lines: readonly PageLine[], viewport: Viewport | undefined): PageContent {
  return { lines, rows: countVisibleRows(viewport?.height ?? DEFAULT_HEIGHT) };
}

function countVisibleRows(height: number): number {
  return Math.max(1, height - FRAME_ROWS);
}

interface PageView {
  readonly title: string;
  readonly lines: readonly PageLine[];
  readonly viewport: Viewport;
}

function renderPage({ top, searchInput, query }: PagerState, { title, lines, viewport }: PageView): readonly string[] {
  const { width, height, theme } = viewport;
  const rows = countVisibleRows(height);
  const visible = lines.slice(top, top + rows);
  const range = `${Math.min(top + 1, lines.length)}–${Math.min(top + rows, lines.length)} of ${lines.length} lines`;
  const body = visible.map((line) => renderLine(line, query, viewport));
  const blank = Array.from({ length: Math.max(0, rows - body.length) }, () => "");
  const footer = searchInput ? ` search: ${renderInput(searchInput, theme)}` : renderHints(HINTS, viewport);
  const heading = alignEnds(theme.strong(` ${escapeLine(title)}`), theme.dim(range), width);
  return [heading, ...body, ...blank, footer].map((line) => fitLine(line, width));
}

const HINTS = ["↑↓ PgUp PgDn Home End", "/ search", "n/N next/previous match", "Esc close"];

function renderLine({ text, isHeading }: PageLine, query: string, { theme }: Viewport): string {
  const isMatch = query !== "" && text.toLowerCase().includes(query.toLowerCase());
  if (isMatch) return theme.selected(text);
  return isHeading ? theme.heading(text) : text;
}

export interface TextPageOptions<Value> {
  readonly title: string;
  /** Styled lines, at most as wide as the viewport. */
  readonly lines: (viewport: Viewport) => readonly string[];
  /** Absent if the page is only for reading. */
  readonly options?: readonly Option<Value>[];
  /** The option selected at first. Default: 0. */
  readonly initialIndex?: number;
  /** What Esc does. Default: `Esc close`. */
  readonly cancelHint?: string;
}

export interface TextPageState {
  readonly top: number;
  readonly selectedIndex: number;
}

export function createTextPage<Value>(page: TextPageOptions<Value>): Panel<TextPageState, Value> {
  const { options = [], initialIndex = 0 } = page;
  const cancelLabel = page.cancelHint?.replace(/^Esc /, "") ?? "cancel";
  return {
    initialState: { top: 0, selectedIndex: initialIndex },
    ...(options.length > 0 && { plainQuestion: { title: page.title, lines: page.lines, options, cancelLabel } }),
    handleKey: (state, key, viewport) => {
      const match = matchOption(options, key, state.selectedIndex);
      if (match?.type === "choose") return finishWith(match.option.value);
      if (match) return continueWith({ ...state, selectedIndex: match.index });
      if (key === "left" || key === "right" || key === "tab")
        return continueWith({ ...state, selectedIndex: nextIndex(state.selectedIndex, key) });
      const top = viewport ? scrollByKey(state.top, key, measurePage(page, viewport)) : null;
      return top === null ? null : continueWith({ ...state, top });
    },
    render: (state, viewport) => renderTextPage(page, state, viewport),
  };

  function nextIndex(current: number, key: string): number {
    const count = Math.max(1, options.length);
    return (current + (key === "left" ? count - 1 : 1)) % count;
  }
}

/** Returns the number of lines and how many of them are visible. */
function measurePage<Value>({ lines, options = [] }: TextPageOptions<Value>, viewport: Viewport): ListSize {
  const optionRows = options.length === 0 ? 0 : 1 + renderOptions(options, 0, viewport).length;
  return { count: lines(viewport).length, rows: Math.max(1, viewport.height - HEAD_ROWS - optionRows - 1) };
}

/** The title and a rule. */
const HEAD_ROWS = 2;

function renderTextPage<Value>(
  page: TextPageOptions<Value>,
  { top, selectedIndex }: TextPageState,
  viewport: Viewport,
): readonly string[] {
  const { theme, width } = viewport;
  const { options = [], cancelHint = "Esc close" } = page;
  const { count, rows } = measurePage(page, viewport);
  const firstLine = clampScroll(top, { count, rows });
  const visible = page.lines(viewport).slice(firstLine, firstLine + rows);
  const head = [theme.strong(` ${escapeControls(page.title)}`), theme.border("─".repeat(width))];
  const blank = Array.from({ length: rows - visible.length }, () => "");
  const optionRows = options.length === 0 ? [] : ["", ...renderOptions(options, selectedIndex, viewport)];
  const range = count > rows ? [`↑↓ ${firstLine + 1}–${Math.min(firstLine + rows, count)} of ${count}`] : [];
  const hints = [...range, ...(options.length > 0 ? ["←→ move", "Enter select"] : []), cancelHint];
  const hintRow = viewport.isTyping ? "" : renderHints(hints, viewport);
  return [...head, ...visible, ...blank, ...optionRows, hintRow].map((line) => truncateToWidth(line, width, "…"));
}

/** Renders the options side by side, or one per row if there is no room, so that none is cut off. */
function renderOptions<Value>(
  options: readonly Option<Value>[],
  selectedIndex: number,
  { theme, width }: Viewport,
): readonly string[] {
  const labels = options.map((option, index) => {
    const text = `${index === selectedIndex ? "❯" : " "} ${escapeControls(option.label)}`;
    return `${index === selectedIndex ? theme.accent(text) : text}${theme.dim(formatOptionKey(option))}`;
  });
  const row = ` ${labels.join("   ")}`;
  return visibleWidth(row) <= width ? [row] : labels.map((label) => ` ${label}`);
}
