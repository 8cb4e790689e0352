/** Renders fenced code as indented rows. The highlighter is loaded lazily, when the first code is shown. */

import type { FencedCode, Paragraph } from "../state/blocks.ts";
import { wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { toDisplayText } from "./text.ts";
import { isLive, type RenderContext, type Theme } from "./theme.ts";

/** Of a block whose beginning is printed already, only the rows that follow. */
export function renderCode(
  text: string,
  { start, end, code, isClosed }: Paragraph & { readonly code: FencedCode },
  context: RenderContext,
): readonly string[] {
  const shownStart = Math.max(start, code.start);
  // What stands above decides what a line is, such as one within a comment; for a glance that is too much work.
  const parseStart = isLive(context)
    ? shownStart
    : Math.max(code.start, findLineStart(text, shownStart - HIGHLIGHT_CONTEXT_CHARS));
  const lines = highlightLines(
    toDisplayText(stripClosingFence(text.slice(parseStart, end), isClosed)),
    code.language || undefined,
    context.theme,
  );
  const skippedLines = parseStart === shownStart ? 0 : text.slice(parseStart, shownStart).split("\n").length - 1;
  const maxWidth = Math.max(1, context.width - INDENT.length);
  return lines
    .slice(skippedLines)
    .flatMap((line) =>
      wrapTextWithAnsi(line.slice(0, MAX_LINE_CHARS), maxWidth).map((row) => `${INDENT}${row}`.trimEnd()),
    );
}

function findLineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", Math.max(0, offset)) + 1;
}

/** Without its last fence, and without the end of its last line. */
function stripClosingFence(code: string, isClosed: boolean): string {
  const trimmed = code.replace(/\n$/, "");
  return isClosed ? trimmed.slice(0, Math.max(0, trimmed.lastIndexOf("\n"))) : trimmed;
}

const INDENT = "    ";
const MAX_LINE_CHARS = 8_000;
const HIGHLIGHT_CONTEXT_CHARS = 4_000;

export type Highlighter = (code: string, language: string, theme: Theme) => readonly string[] | null;

let highlight: Highlighter | null = null;
let loading: Promise<void> | null = null;

/** In inks, as soon as whoever knows languages is loaded; until then, and where it is too long, in one ink. */
export function highlightLines(code: string, language: string | undefined, theme: Theme): readonly string[] {
  if (highlight === null) void loadHighlighter();
  const isPlain = code.length > MAX_HIGHLIGHT_CHARS || language === undefined || theme.name === "none";
  const lines = isPlain ? null : highlight?.(code, language, theme);
  return lines ?? code.split("\n").map((line) => (line === "" ? "" : theme.code(line)));
}

/** Loaded when the first code is seen: a start without any does not wait for it. */
export function loadHighlighter(): Promise<void> {
  loading ??= import("./highlight.ts").then((module) => {
    highlight = module.highlight;
  });
  return loading;
}

/** Reading so much takes a few hundredths of a second. */
const MAX_HIGHLIGHT_CHARS = 30_000;
