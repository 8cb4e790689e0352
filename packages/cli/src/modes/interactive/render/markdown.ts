/** Renders an answer as Markdown, paragraph by paragraph, so that it looks the same printed in one piece or in many. */

import { type Answered, type Paragraph, paragraphs } from "../state/blocks.ts";
import { KEPT } from "../state/finished-blocks.ts";
import { detectCapabilities, Markdown, type MarkdownTheme, setCapabilities } from "../terminal/pi-tui.ts";
import { codeLines, codeRows } from "./code.ts";
import { shownText, wrapped } from "./text.ts";
import type { Brush, Theme } from "./theme.ts";

/** S15: a million quotes within each other end a program that reads them one within the other. */
export function isTame(text: string): boolean {
  if (text.length > LONGEST) return false;
  let marks = 0;
  for (const line of text.split("\n")) {
    if (NESTS.test(line)) return false;
    marks = (BEGINS.test(line) ? 0 : marks) + marksIn(line);
    if (marks > MOST_MARKS) return false;
  }
  return true;
}

/** The rest of a screen waits for it. */
const LONGEST = 60_000;

/** Each is held against all others of its paragraph, so they cost their square. */
const MOST_MARKS = 600;

const NESTS = /^(?:\s*(?:>|[-*+] |\d{1,9}[.)] )){10}/;

/** An item, a row or a heading: what is in it is read by itself. */
const BEGINS = /^\s*(?:[-*+] |\d{1,9}[.)] |\||#{1,6} |$)/;

function marksIn(line: string): number {
  return line.match(/[*_[!]/g)?.length ?? 0;
}

// Where a link leads stands beside its words, always: words that hide an address are how one is led astray.
setCapabilities({ ...detectCapabilities(() => false), hyperlinks: false });

/** Text that would take too long to parse as Markdown is shown as it was written. */
export function markdownLines(paragraph: string, { width, theme }: Brush): readonly string[] {
  const text = shownText(paragraph);
  const lines = isTame(text) ? rendered(text, { width: Math.max(1, width - 2), theme }) : null;
  return lines?.map((line) => `  ${line}`.trimEnd()) ?? wrapped(paragraph.trimEnd(), { width });
}

function rendered(text: string, { width, theme }: { readonly width: number; readonly theme: Theme }) {
  try {
    const lines = new Markdown(text, 0, 0, markdownInks(theme)).render(width);
    return withoutBlankEnd(lines.filter((line) => !line.includes(FRAME)));
  } catch {
    // Whatever it stumbles over is words, too.
    return null;
  }
}

export function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

/** Stands in lines that are only there to frame code: its place shows what it is. */
const FRAME = "\0";

/** What only colour would tell apart is marked with signs where there is none. */
function markdownInks(theme: Theme): MarkdownTheme {
  const asIs = (text: string): string => text;
  return {
    heading: theme.heading,
    link: theme.link,
    linkUrl: theme.dim,
    code: theme.name === "none" ? (text) => `\`${text}\`` : theme.code,
    codeBlock: theme.code,
    codeBlockBorder: () => FRAME,
    codeBlockIndent: "  ",
    quote: theme.quote,
    quoteBorder: theme.border,
    hr: theme.border,
    listBullet: theme.accent,
    bold: theme.strong,
    italic: (text) => `\x1b[3m${text}\x1b[23m`,
    strikethrough: (text) => `\x1b[9m${text}\x1b[29m`,
    underline: asIs,
    highlightCode: (code, language) => [...codeLines(code, language, theme)],
  };
}

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
