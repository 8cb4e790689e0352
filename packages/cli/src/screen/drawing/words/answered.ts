/** What the model answered, as Markdown, paragraph by paragraph: so it looks the same whether it was printed in one piece or in many. */

import type { Answered } from "../../state/block.ts";
import { type Paragraph, paragraphs } from "../../state/paragraphs.ts";
import { KEPT } from "../../state/settled-length.ts";
import type { Brush } from "../brush.ts";
import { codeRows } from "../code/code-rows.ts";
import { markdownLines, withoutBlankEnd } from "./markdown-lines.ts";

export function drawAnswered({ text, printed, code }: Answered, brush: Brush): readonly string[] {
  if (brush.most === undefined) return drawn([...paragraphs(text, printed, code ?? null)], text, brush);
  const all = [...paragraphs(text, printed, code ?? null)];
  const rows = liveRows(brush.most);
  const from = liveTail(text, printed, rows);
  const seen = all.filter(({ end }) => end > from).map((each) => ({ ...each, start: Math.max(each.start, from) }));
  const lines = withoutBlankEnd(drawn(seen, text, brush));
  if (from === printed && lines.length <= rows) return lines;
  return [brush.theme.dim("  …"), ...lines.slice(-rows)];
}

/**
 * A terminal that is made smaller pushes what is at its top out of reach: half of it is room enough. Code that is not printed
 * yet is seen whole.
 */
function liveRows(most: number): number {
  return Math.max(2 * KEPT + 1, Math.floor(most / 2));
}

function drawn(all: readonly Paragraph[], text: string, brush: Brush): readonly string[] {
  const blocks = all.map((each) => drawParagraph(each, text, brush)).filter((lines) => lines.length > 0);
  return blocks.flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

function drawParagraph(paragraph: Paragraph, text: string, brush: Brush): readonly string[] {
  const { start, end, code } = paragraph;
  return code ? codeRows(text, { ...paragraph, code }, brush) : markdownLines(text.slice(start, end), brush);
}

/** More of it than the screen shows need not be read again for every picture: where the last rows begin, at a line's beginning; a line without end counts as several. */
export function liveTail(text: string, from: number, rows: number): number {
  const nearest = Math.max(from, text.length - rows * LONGEST_ROW);
  let at = text.length;
  for (let count = 0; count <= rows; count++) {
    const before = text.lastIndexOf("\n", at - 1);
    if (before < nearest) return nearest === from ? from : wholeSign(text, nearest);
    at = before;
  }
  return at + 1;
}

/** Not inside a sign of two halves. */
function wholeSign(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") ? at + 1 : at;
}

/** No row of a terminal has more letters. */
const LONGEST_ROW = 500;
