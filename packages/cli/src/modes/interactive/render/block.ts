/** Renders one transcript block as lines. Text in a block must never control the terminal. */

import { formatCount, formatSeconds } from "@pith/host/text/format";
import { formatKeyHint } from "../../../settings/keymap.ts";
import type { Block, BranchSummaryBlock, NoteBlock, ThinkingBlock, UserBlock } from "../state/blocks.ts";
import { truncateToWidth, visibleWidth } from "../terminal/pi-tui.ts";
import { renderCompaction } from "./compaction.ts";
import { IMAGE_LINE_PREFIX, renderImage } from "./image.ts";
import { renderAssistant } from "./markdown.ts";
import {
  fitLine,
  renderFoldable,
  renderHiddenCount,
  splitLines,
  takeFirstLines,
  toDisplayLine,
  truncateLine,
  wrapColumns,
  wrapText,
} from "./text.ts";
import { isLive, type RenderContext } from "./theme.ts";
import { renderShell, renderToolCall } from "./tool-call.ts";

export function renderBlock(block: Block, context: RenderContext): readonly string[] {
  const lines = renderLines(block, context).map((line) => fitUnlessImage(line, context.width));
  return lines.length === 0 || block.isAttached || continuesCode(block) ? lines : ["", ...lines];
}

/** Whether the block continues code whose beginning is already printed above it. */
function continuesCode(block: Block): boolean {
  return block.kind === "assistant" && block.code !== undefined;
}

/** Cuts a line that is too wide. The line of an image is a control sequence and must not be cut. */
function fitUnlessImage(line: string, width: number): string {
  return line.includes(IMAGE_LINE_PREFIX) ? line : fitLine(line, width);
}

function renderLines(block: Block, context: RenderContext): readonly string[] {
  switch (block.kind) {
    case "user":
      return renderUser(block, context);
    case "assistant":
      return renderAssistant(block, context);
    case "thinking":
      return renderThinking(block, context);
    case "tool":
      return renderToolCall(block, context);
    case "shell":
      return renderShell(block, context);
    case "compaction":
      return renderCompaction(block, context);
    case "branch-summary":
      return renderBranchSummary(block, context);
    case "pin":
      return wrapText(`pinned: ${block.text}`, { width: context.width, prefix: context.theme.accent("◆ ") });
    case "note":
      return renderNote(block, context);
  }
}

function renderUser({ text, images, from: source }: UserBlock, context: RenderContext): readonly string[] {
  const { theme, width, isUnfolded } = context;
  const style = source === "program" ? theme.dim : (line: string) => theme.strong(theme.user(line));
  const { lines, hiddenCount } = takeFirstLines(text, isUnfolded ? Number.POSITIVE_INFINITY : MAX_USER_LINES);
  const rows =
    lines.length === 0 ? [] : wrapText(lines.join("\n"), { width, prefix: style(source ? "» " : "> "), style });
  return [
    ...rows,
    ...renderHiddenCount(hiddenCount, "more", context),
    ...images.flatMap((image) => renderImage(image, context)),
  ];
}

/** A longer message was probably pasted, so the user knows its text. */
const MAX_USER_LINES = 40;

function renderThinking(thought: ThinkingBlock, context: RenderContext): readonly string[] {
  if (thought.isPrinted) return [];
  const { theme, width } = context;
  const style = theme.dim;
  const heading = truncateLine(formatThinkingHeading(thought), { width, indent: "", style });
  return [
    heading,
    ...(context.isUnfolded ? renderFoldable({ text: thought.text, foldedLines: 0, end: "last", style }, context) : []),
  ];
}

function formatThinkingHeading({ text, isOpen, durationMs }: ThinkingBlock): string {
  const lines = splitLines(text);
  if (isOpen) return `· thinking: ${lines.at(-1) ?? "…"}`;
  const duration = durationMs !== undefined && durationMs >= 1_000 ? ` for ${formatSeconds(durationMs)}` : "";
  return `· thought${duration}, ${formatCount(lines.length, "line")}`;
}

function renderNote(note: NoteBlock, { width, theme }: RenderContext): readonly string[] {
  const { tone, title, text, isDivider } = note;
  if (isDivider) return [theme.border(renderDivider(text, width))];
  if (tone === "plain") {
    const heading = title === undefined ? [] : wrapText(title, { width, style: theme.strong });
    return [...heading, ...wrapColumns(text, { width, style: theme.dim })];
  }
  const style = theme[tone];
  return wrapText(text, { width, prefix: style(`${TONE_MARKS[tone]} `), style });
}

/** The marks show the tone without colours. */
const TONE_MARKS = { good: "✓", warning: "!", bad: "✗" } as const;

function renderDivider(text: string, width: number): string {
  const label = truncateToWidth(`── ${toDisplayLine(text)} `, width, "…");
  return label + "─".repeat(Math.max(0, width - visibleWidth(label)));
}

/** Renders one line, and the summary below it if it is unfolded. */
function renderBranchSummary({ summary }: BranchSummaryBlock, context: RenderContext): readonly string[] {
  const { theme, width, isUnfolded } = context;
  const lineCount = formatCount(splitLines(summary).length, "line");
  const hint = isLive(context) && !isUnfolded ? formatKeyHint("fold", "expand", context.keymap) : "";
  const heading = truncateLine(`summary of the branch you left, ${lineCount}${hint && ` · ${hint}`}`, {
    width: width - 2,
    indent: "",
  });
  const body = isUnfolded
    ? renderFoldable({ text: summary, foldedLines: 0, end: "first", style: theme.dim }, context)
    : [];
  return [`${theme.accent("↩")} ${heading}`, ...body];
}
