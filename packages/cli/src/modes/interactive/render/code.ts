/** Renders fenced code as indented rows. The highlighter is loaded lazily, when the first code is shown. */

import type { Code, Paragraph } from "../state/blocks.ts";
import { wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { shownText } from "./text.ts";
import { type Brush, isLive, type Theme } from "./theme.ts";

/** Of a block whose beginning is printed already, only the rows that follow. */
export function codeRows(
  text: string,
  { start, end, code, isClosed }: Paragraph & { readonly code: Code },
  brush: Brush,
): readonly string[] {
  const from = Math.max(start, code.start);
  // What stands above decides what a line is, such as one within a comment; for a glance that is too much work.
  const begin = isLive(brush) ? from : Math.max(code.start, lineStart(text, from - AROUND));
  const lines = codeLines(
    shownText(wordsOf(text.slice(begin, end), isClosed)),
    code.language || undefined,
    brush.theme,
  );
  const above = begin === from ? 0 : text.slice(begin, from).split("\n").length - 1;
  const room = Math.max(1, brush.width - INDENT.length);
  return lines
    .slice(above)
    .flatMap((line) => wrapTextWithAnsi(line.slice(0, LONGEST), room).map((row) => `${INDENT}${row}`.trimEnd()));
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", Math.max(0, at)) + 1;
}

/** Without its last fence, and without the end of its last line. */
function wordsOf(code: string, isClosed: boolean): string {
  const whole = code.replace(/\n$/, "");
  return isClosed ? whole.slice(0, Math.max(0, whole.lastIndexOf("\n"))) : whole;
}

const INDENT = "    ";
const LONGEST = 8_000;
const AROUND = 4_000;

export type Highlight = (code: string, language: string, theme: Theme) => readonly string[] | null;

let highlight: Highlight | null = null;
let loading: Promise<void> | null = null;

/** In inks, as soon as whoever knows languages is loaded; until then, and where it is too long, in one ink. */
export function codeLines(code: string, language: string | undefined, theme: Theme): readonly string[] {
  if (highlight === null) void highlighterLoaded();
  const isPlain = code.length > MOST_READ || language === undefined || theme.name === "none";
  const lines = isPlain ? null : highlight?.(code, language, theme);
  return lines ?? code.split("\n").map((line) => (line === "" ? "" : theme.code(line)));
}

/** Loaded when the first code is seen: a start without any does not wait for it. */
export function highlighterLoaded(): Promise<void> {
  loading ??= import("./highlight.ts").then((loaded) => {
    highlight = loaded.highlight;
  });
  return loading;
}

/** Reading so much takes a few hundredths of a second. */
const MOST_READ = 30_000;
