/** Renders tool calls and the user's own shell commands as a heading line with folded or full output. */

import { formatCount, formatSeconds } from "@pith/host/text/format";
import { formatKeyHint } from "../../../settings/keymap.ts";
import { formatChangeCount } from "../../../text/diff-rows.ts";
import { describeToolCall, isBuiltinTool, LINE_COUNT_TOOLS, languageOfPath } from "../../../text/tool-call-text.ts";
import type { ShellBlock, ToolBlock } from "../state/blocks.ts";
import { truncateToWidth, visibleWidth } from "../terminal/pi-tui.ts";
import { renderDiff } from "./diff.ts";
import { renderImage } from "./image.ts";
import { loadHighlighter, tryHighlight } from "./markdown.ts";
import { renderFoldable, splitLines, toDisplayLine } from "./text.ts";
import type { RenderContext, Style } from "./theme.ts";

function formatCallHeading(block: ToolBlock, { width, theme, now }: RenderContext): string {
  const { sign, style } = STATE_MARKS[block.state];
  const label = formatStateLabel(block);
  const details = [formatAmount(block), label, formatDuration(block, now)].filter((detail) => detail !== "");
  const suffix = details.map((detail) => ` · ${detail}`).join("");
  const [tool = "", ...argumentWords] = toDisplayLine(describeToolCall(block.tool, block.arguments)).split(" ");
  const maxWidth = Math.max(8, width - 2 - visibleWidth(tool) - 1 - visibleWidth(suffix));
  const argumentText = truncateToWidth(argumentWords.join(" "), maxWidth, "…");
  return `${theme[style](sign)} ${theme.strong(tool)}${argumentText === "" ? "" : ` ${argumentText}`}${theme.dim(suffix.replace(label, () => theme[style](label)))}`;
}

/** The marks show the state without colors. */
const STATE_MARKS: Readonly<Record<ToolBlock["state"], { readonly sign: string; readonly style: Style }>> = {
  writing: { sign: "○", style: "dim" },
  waiting: { sign: "○", style: "dim" },
  running: { sign: "●", style: "accent" },
  done: { sign: "✓", style: "good" },
  failed: { sign: "✗", style: "bad" },
  stopped: { sign: "–", style: "warning" },
  denied: { sign: "–", style: "warning" },
  "broken-off": { sign: "–", style: "warning" },
};

const STATE_LABELS: Partial<Record<ToolBlock["state"], string>> = {
  writing: "preparing",
  failed: "failed",
  stopped: "stopped",
  denied: "denied",
  "broken-off": "interrupted",
};

/** A command that failed shows its exit code, so its output need not. */
function formatStateLabel({ state, exitCode }: ToolBlock): string {
  return state === "failed" && exitCode ? `exit code ${exitCode}` : (STATE_LABELS[state] ?? "");
}

function formatAmount({ tool, state, output, diff, arguments: { content } }: ToolBlock): string {
  if (diff !== undefined) return formatChangeCount(diff);
  if (tool === "write" && typeof content === "string") return formatCount(splitLines(content).length, "line");
  const isCounted = state === "done" && LINE_COUNT_TOOLS.includes(tool);
  return isCounted ? formatCount(splitLines(output).length, "line") : "";
}

function formatDuration({ state, startedAt, durationMs }: ToolBlock, now: number): string {
  const ms = durationMs ?? (state === "running" && startedAt !== undefined ? now - startedAt : 0);
  return ms >= 1_000 ? formatSeconds(ms) : "";
}

export function renderToolCall(block: ToolBlock, context: RenderContext): readonly string[] {
  const imageRows = block.images.flatMap((image) => renderImage(image, context)).map((line) => line && `  ${line}`);
  const command = renderCommand(block, context);
  const rowLimit = context.maxRows === undefined ? {} : { maxRows: Math.max(4, context.maxRows - command.length) };
  return [
    formatCallHeading(block, context),
    ...command,
    ...renderOutput(block, { ...context, ...rowLimit }),
    ...imageRows,
  ];
}

/** Shows a command of several lines in full when the block is unfolded. */
function renderCommand({ tool, arguments: { command } }: ToolBlock, context: RenderContext): readonly string[] {
  if (!context.isUnfolded || tool !== "bash" || typeof command !== "string" || !command.trim().includes("\n"))
    return [];
  const rowLimit = context.maxRows === undefined ? {} : { maxRows: Math.ceil(context.maxRows / 2) };
  return renderFoldable(
    { text: command, foldedLines: 0, end: "first", style: context.theme.code },
    { ...context, ...rowLimit },
  );
}

function renderOutput(block: ToolBlock, context: RenderContext): readonly string[] {
  const { tool, state, diff, arguments: toolArguments } = block;
  const { theme, isUnfolded } = context;
  // Loaded while the call is still written or runs, so that its first result has colors already.
  if (theme.name !== "none" && (tool === "edit" || tool === "write")) void loadHighlighter();
  const language = languageOfPath(String(toolArguments.path ?? ""));
  if (diff !== undefined) return renderDiff(diff, { foldedRows: FOLDED_DIFF_ROWS, language }, context);
  if (state === "failed" && tool !== "bash")
    return renderFoldable(
      { text: block.output, foldedLines: FOLDED_LINES, end: "first", style: theme.bad, isWrapped: true },
      context,
    );
  if (tool === "write") {
    const text = typeof toolArguments.content === "string" ? toolArguments.content : "";
    const highlight = (code: string) => tryHighlight(code, language, theme);
    const written = { text, foldedLines: FOLDED_LINES, end: "first", style: theme.dim, highlight } as const;
    return state === "writing" && !isUnfolded ? [] : renderFoldable(written, context);
  }
  if (LINE_COUNT_TOOLS.includes(tool) && !isUnfolded && state === "done") return [];
  const text = removeExitCode(block);
  const end = tool === "bash" || state === "running" ? "last" : "first";
  // Other tools report progress in a few lines, e.g. one per sub-agent.
  const foldedLines = state === "running" && !isBuiltinTool(tool) ? FOLDED_EXTERNAL_TOOL_LINES : FOLDED_LINES;
  return renderFoldable({ text, foldedLines, end, style: theme.dim }, context);
}

/** Removes what the heading shows already, and the note that there is no output. */
function removeExitCode({ output, exitCode }: ToolBlock): string {
  const text = exitCode ? output.replace(new RegExp(`\\n\\nexit code ${exitCode}(?=\\n|$)`), "\n") : output;
  return text.trim() === "(no output)" ? "" : text.trimEnd();
}

const FOLDED_LINES = 5;
const FOLDED_EXTERNAL_TOOL_LINES = 12;
const FOLDED_DIFF_ROWS = 14;

export function renderShell(block: ShellBlock, context: RenderContext): readonly string[] {
  const { width, theme } = context;
  const details = formatShellDetails(block, context)
    .map((detail) => ` · ${detail}`)
    .join("");
  const command = truncateToWidth(toDisplayLine(block.command), Math.max(8, width - 2 - visibleWidth(details)), "…");
  const heading = `${theme.user("$")} ${theme.strong(command)}${hasFailed(block) ? theme.bad(details) : theme.dim(details)}`;
  return [
    heading,
    ...renderFoldable({ text: block.output, foldedLines: FOLDED_SHELL_LINES, end: "last", style: theme.dim }, context),
  ];
}

function formatShellDetails(
  { isOpen, isCancelled, exitCode, isPrivate }: ShellBlock,
  { keymap }: RenderContext,
): readonly string[] {
  const end = isCancelled ? "stopped" : exitCode ? `exit code ${exitCode}` : "";
  const status = isOpen ? ["running", formatKeyHint("stop", "stop", keymap)] : [end];
  return [...status, isPrivate ? "the model does not see it" : ""].filter((detail) => detail !== "");
}

function hasFailed({ isOpen, exitCode }: ShellBlock): boolean {
  return !isOpen && exitCode !== null && exitCode !== 0;
}

/** The user ran the command, so more of its output is shown than for a tool call. */
const FOLDED_SHELL_LINES = 12;
