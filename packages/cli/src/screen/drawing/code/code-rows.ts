/** Fenced code as rows, set in; of one that was begun above, what comes since. */

import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { Code, Paragraph } from "../../state/paragraphs.ts";
import { type Brush, isLive } from "../brush.ts";
import { shownText } from "../lines/shown-text.ts";
import { codeLines } from "./code-lines.ts";

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
