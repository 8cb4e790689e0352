/** Renders an answer as Markdown, paragraph by paragraph, so that it looks the same whether it is printed at the end or in parts. */

import { isSafeToParse } from "../../../text/markdown-limits.ts";
import { type AssistantBlock, type FencedCode, type Paragraph, splitParagraphs } from "../state/blocks.ts";
import { LIVE_CODE_LINES } from "../state/finished-blocks.ts";
import {
  detectCapabilities,
  Markdown,
  type MarkdownTheme,
  setCapabilities,
  truncateToWidth,
  wrapTextWithAnsi,
} from "../terminal/pi-tui.ts";
import { toDisplayText, wrapText } from "./text.ts";
import { isLive, type RenderContext, type Theme } from "./theme.ts";

// The URL of a link is always shown beside its text, so that the text cannot hide where the link leads.
setCapabilities({ ...detectCapabilities(() => false), hyperlinks: false });

/** Text that would take too long to parse as Markdown is shown as plain text. */
function renderMarkdown(paragraph: string, { width, theme }: RenderContext): readonly string[] {
  const text = toDisplayText(paragraph);
  const lines = isSafeToParse(text) ? tryRenderMarkdown(text, { width: Math.max(1, width - 2), theme }) : null;
  return lines?.map((line) => `  ${line}`.trimEnd()) ?? wrapText(paragraph.trimEnd(), { width });
}

function tryRenderMarkdown(text: string, { width, theme }: { readonly width: number; readonly theme: Theme }) {
  try {
    const lines = new Markdown(text, 0, 0, createMarkdownTheme(theme)).render(width);
    return drawTables(trimBlankEnd(lines.filter((line) => !line.includes(CODE_BORDER))), theme);
  } catch {
    // Text that the parser cannot read is shown as plain text.
    return null;
  }
}

/** Draws the borders of tables in the color of borders, and removes the rules between rows that have one line each. */
function drawTables(lines: readonly string[], theme: Theme): readonly string[] {
  const drawn: string[] = [];
  for (let start = 0; start < lines.length; start += 1) {
    const end = lines[start]?.startsWith("┌─")
      ? lines.findIndex((line, at) => at > start && line.startsWith("└─"))
      : -1;
    if (end === -1) drawn.push(lines[start] ?? "");
    else drawn.push(...drawTable(lines.slice(start, end + 1), theme));
    start = Math.max(start, end);
  }
  return drawn;
}

function drawTable(lines: readonly string[], theme: Theme): readonly string[] {
  const isRule = (line: string): boolean => /^[┌├└]─/.test(line);
  const headerEnd = lines.findIndex((line) => line.startsWith("├─"));
  const areRowsShort = lines.slice(headerEnd + 1).every((line, at) => isRule(line) === (at % 2 === 1));
  return lines
    .filter((line, at) => at <= headerEnd || !areRowsShort || !line.startsWith("├─"))
    .map((line) => (isRule(line) ? theme.border(line.trimEnd()) : line.replaceAll("│", theme.border("│"))));
}

function trimBlankEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

/** Marks the lines that frame a code block. They are removed, since the indentation already shows that it is code. */
const CODE_BORDER = "\0";

/** Without colours, inline code keeps its backticks. */
function createMarkdownTheme(theme: Theme): MarkdownTheme {
  const unchanged = (text: string): string => text;
  return {
    heading: theme.heading,
    link: theme.link,
    linkUrl: theme.dim,
    code: theme.name === "none" ? (text) => `\`${text}\`` : theme.code,
    codeBlock: theme.code,
    codeBlockBorder: () => CODE_BORDER,
    codeBlockIndent: "  ",
    quote: theme.quote,
    quoteBorder: theme.border,
    hr: theme.border,
    listBullet: theme.accent,
    bold: theme.strong,
    italic: (text) => `\x1b[3m${text}\x1b[23m`,
    strikethrough: (text) => `\x1b[9m${text}\x1b[29m`,
    underline: unchanged,
    highlightCode: (code, language) => [...highlightLines(code, language, theme)],
  };
}

export function renderAssistant(
  { text, printed: printedChars, code: openCode }: AssistantBlock,
  context: RenderContext,
): readonly string[] {
  if (context.maxRows === undefined)
    return renderParagraphs([...splitParagraphs(text, printedChars, openCode ?? null)], text, context);
  const allParagraphs = [...splitParagraphs(text, printedChars, openCode ?? null)];
  // Uses half of the available rows: when the user makes the terminal smaller, its top rows scroll out of reach. Code that is not
  // printed yet is always shown in full.
  const maxRows = Math.max(2 * LIVE_CODE_LINES + 1, Math.floor(context.maxRows / 2));
  const tailStart = findTailStart(text, printedChars, maxRows);
  const visible = allParagraphs
    .filter(({ end }) => end > tailStart)
    .map((paragraph) => ({ ...paragraph, start: Math.max(paragraph.start, tailStart) }));
  const lines = trimBlankEnd(renderParagraphs(visible, text, context));
  if (tailStart === printedChars && lines.length <= maxRows) return lines;
  return [context.theme.dim("  …"), ...lines.slice(-maxRows)];
}

function renderParagraphs(paragraphs: readonly Paragraph[], text: string, context: RenderContext): readonly string[] {
  const blocks = paragraphs
    .map((paragraph) => renderParagraph(paragraph, text, context))
    .filter((lines) => lines.length > 0);
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function renderParagraph(paragraph: Paragraph, text: string, context: RenderContext): readonly string[] {
  const { start, end, code } = paragraph;
  return code ? renderCode(text, { ...paragraph, code }, context) : renderMarkdown(text.slice(start, end), context);
}

/**
 * Finds the line where the last `rows` rows start, so that a long answer is not parsed in full for every frame. A long line is treated as
 * several rows.
 */
export function findTailStart(text: string, minStart: number, rows: number): number {
  const earliest = Math.max(minStart, text.length - rows * MAX_ROW_CHARS);
  let offset = text.length;
  for (let count = 0; count <= rows; count++) {
    const lineBreak = text.lastIndexOf("\n", offset - 1);
    if (lineBreak < earliest) return earliest === minStart ? minStart : skipHalfCharacter(text, earliest);
    offset = lineBreak;
  }
  return offset + 1;
}

/** Avoids an offset inside a surrogate pair. */
function skipHalfCharacter(text: string, offset: number): number {
  return /[\uDC00-\uDFFF]/.test(text[offset] ?? "") ? offset + 1 : offset;
}

/** No terminal row has more characters. */
const MAX_ROW_CHARS = 500;

/** If the beginning of a code block is already printed, renders only the rows after it. */
function renderCode(
  text: string,
  { start, end, code, isClosed }: Paragraph & { readonly code: FencedCode },
  context: RenderContext,
): readonly string[] {
  const shownStart = Math.max(start, code.start);
  // The highlighting of a line depends on earlier lines, e.g. in a comment. In the live region, reading them would be too slow.
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
  const rows = lines
    .slice(skippedLines)
    .flatMap((line) =>
      wrapTextWithAnsi(line.slice(0, MAX_LINE_CHARS), maxWidth).map((row) => `${INDENT}${row}`.trimEnd()),
    );
  return [
    ...(start <= code.start ? [renderFrame("┌", code.language, context)] : []),
    ...rows,
    ...(isClosed ? [renderFrame("└", "", context)] : []),
  ];
}

/** The lines of the code have no border, so that they can be copied. */
function renderFrame(corner: "┌" | "└", language: string, { width, theme }: RenderContext): string {
  const name = toDisplayText(language.split(/[\s{]/)[0] ?? "").slice(0, MAX_LANGUAGE_CHARS);
  const label = name === "" ? "" : `─ ${name} `;
  const frameWidth = Math.max(1, Math.min(width, MAX_FRAME_WIDTH) - 2 - label.length - 1);
  return truncateToWidth(`  ${theme.border(`${corner}${label}${"─".repeat(frameWidth)}`)}`, width, "");
}

const MAX_LANGUAGE_CHARS = 20;
const MAX_FRAME_WIDTH = 80;

function findLineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", Math.max(0, offset)) + 1;
}

/** Removes the closing fence and the last line break. */
function stripClosingFence(code: string, isClosed: boolean): string {
  const trimmed = code.replace(/\n$/, "");
  return isClosed ? trimmed.slice(0, Math.max(0, trimmed.lastIndexOf("\n"))) : trimmed;
}

const INDENT = "    ";

const MAX_LINE_CHARS = 8_000;

const HIGHLIGHT_CONTEXT_CHARS = 4_000;

export type Highlighter = (code: string, language: string, theme: Theme) => readonly string[] | null;

let highlight: Highlighter | null = null;

let highlighterPromise: Promise<void> | null = null;

/** Until the highlighter is loaded, and for long code, all lines have the same style. */
function highlightLines(code: string, language: string | undefined, theme: Theme): readonly string[] {
  return tryHighlight(code, language, theme) ?? code.split("\n").map((line) => (line === "" ? "" : theme.code(line)));
}

/** Null if the code is long, its language is unknown, there are no colors, or the highlighter is not loaded yet. */
export function tryHighlight(code: string, language: string | undefined, theme: Theme): readonly string[] | null {
  if (highlight === null) void loadHighlighter();
  const isPlain = code.length > MAX_HIGHLIGHT_CHARS || language === undefined || theme.name === "none";
  return isPlain ? null : (highlight?.(code, language, theme) ?? null);
}

/** Loads the highlighter when the first code is shown, so that it does not slow down the start. */
export function loadHighlighter(): Promise<void> {
  highlighterPromise ??= import("./highlight.ts").then((module) => {
    highlight = module.highlight;
  });
  return highlighterPromise;
}

/** Highlighting this much takes a few hundredths of a second. */
const MAX_HIGHLIGHT_CHARS = 30_000;
