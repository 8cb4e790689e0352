/** Renders tool calls and the user's own shell commands as a heading line with folded or full output. */

import { keyTold } from "../../../settings/keymap-text.ts";
import { counted, secondsTold } from "../../../text/format.ts";
import { callWords, isOwn } from "../../../text/tool-call-text.ts";
import type { Called, ShellLine } from "../state/blocks.ts";
import { truncateToWidth, visibleWidth } from "../terminal/pi-tui.ts";
import { changeCount, diffRows } from "./diff.ts";
import { drawPicture } from "./image.ts";
import { linesIn, partShown, shownLine } from "./text.ts";
import type { Brush, Ink } from "./theme.ts";

export function callHeading(block: Called, { width, theme, now }: Brush): string {
  const { sign, ink } = SIGNS[block.state];
  const facts = [amountOf(block), STATES[block.state] ?? "", timeOf(block, now)].filter((fact) => fact !== "");
  const behind = facts.map((fact) => ` · ${fact}`).join("");
  const [tool = "", ...words] = shownLine(callWords(block.tool, block.arguments)).split(" ");
  const room = Math.max(8, width - 2 - visibleWidth(tool) - 1 - visibleWidth(behind));
  const rest = truncateToWidth(words.join(" "), room, "…");
  return `${theme[ink](sign)} ${theme.strong(tool)}${rest === "" ? "" : ` ${rest}`}${theme.dim(behind)}`;
}

/** How it stands is seen without colour, too. */
const SIGNS: Readonly<Record<Called["state"], { readonly sign: string; readonly ink: Ink }>> = {
  writing: { sign: "○", ink: "dim" },
  waiting: { sign: "○", ink: "dim" },
  running: { sign: "●", ink: "accent" },
  done: { sign: "✓", ink: "good" },
  failed: { sign: "✗", ink: "bad" },
  "broken-off": { sign: "–", ink: "warning" },
};

const STATES: Partial<Record<Called["state"], string>> = {
  writing: "being written",
  failed: "failed",
  "broken-off": "broke off",
};

function amountOf({ tool, state, output, diff, arguments: { content } }: Called): string {
  if (diff !== undefined) return changeCount(diff);
  if (tool === "write" && typeof content === "string") return counted(linesIn(content).length, "line");
  const isListed = state === "done" && COUNTED.includes(tool);
  return isListed ? counted(linesIn(output).length, "line") : "";
}

/** Of these nothing else is shown while they are folded. */
export const COUNTED: readonly string[] = ["read", "grep", "find", "ls", "fetch"];

function timeOf({ state, since, tookMs }: Called, now: number): string {
  const ms = tookMs ?? (state === "running" && since !== undefined ? now - since : 0);
  return ms >= 1_000 ? secondsTold(ms) : "";
}

export function drawCalled(block: Called, brush: Brush): readonly string[] {
  const pictures = block.images.flatMap((image) => drawPicture(image, brush)).map((line) => line && `  ${line}`);
  const command = commandOf(block, brush);
  const most = brush.most === undefined ? {} : { most: Math.max(4, brush.most - command.length) };
  return [callHeading(block, brush), ...command, ...cameOf(block, { ...brush, ...most }), ...pictures];
}

/** A command of several lines is seen whole when it is opened. */
function commandOf({ tool, arguments: { command } }: Called, brush: Brush): readonly string[] {
  if (!brush.isUnfolded || tool !== "bash" || typeof command !== "string" || !command.trim().includes("\n")) return [];
  const most = brush.most === undefined ? {} : { most: Math.ceil(brush.most / 2) };
  return partShown({ text: command, few: 0, end: "first", ink: brush.theme.code }, { ...brush, ...most });
}

function cameOf(block: Called, brush: Brush): readonly string[] {
  const { tool, state, diff, arguments: given } = block;
  const { theme, isUnfolded } = brush;
  if (diff !== undefined) return diffRows(diff, FEW_CHANGES, brush);
  if (state === "failed" && tool !== "bash")
    return partShown({ text: block.output, few: FEW, end: "first", ink: theme.bad, isWrapped: true }, brush);
  if (tool === "write") {
    const text = typeof given.content === "string" ? given.content : "";
    return isUnfolded ? partShown({ text, few: 0, end: "first", ink: theme.dim }, brush) : [];
  }
  if (COUNTED.includes(tool) && !isUnfolded && state === "done") return [];
  const text = block.output.trim() === "(no output)" ? "" : block.output;
  const end = tool === "bash" || state === "running" ? "last" : "first";
  // Tools of others tell how far they are in a few lines, such as one for each sub-agent.
  const few = state === "running" && !isOwn(tool) ? FEW_OF_OTHERS : FEW;
  return partShown({ text, few, end, ink: theme.dim }, brush);
}

const FEW = 5;
const FEW_OF_OTHERS = 12;
const FEW_CHANGES = 14;

export function drawShell(block: ShellLine, brush: Brush): readonly string[] {
  const { width, theme } = brush;
  const facts = factsOf(block, brush)
    .map((fact) => ` · ${fact}`)
    .join("");
  const command = truncateToWidth(shownLine(block.command), Math.max(8, width - 2 - visibleWidth(facts)), "…");
  const head = `${theme.user("$")} ${theme.strong(command)}${isBad(block) ? theme.bad(facts) : theme.dim(facts)}`;
  return [head, ...partShown({ text: block.output, few: FEW_SHELL_LINES, end: "last", ink: theme.dim }, brush)];
}

function factsOf({ isOpen, isCancelled, exitCode, isPrivate }: ShellLine, { keymap }: Brush): readonly string[] {
  const end = isCancelled ? "stopped" : exitCode ? `exit code ${exitCode}` : "";
  const now = isOpen ? ["running", keyTold("stop", "stops it", keymap)] : [end];
  return [...now, isPrivate ? "the model does not see it" : ""].filter((fact) => fact !== "");
}

function isBad({ isOpen, exitCode }: ShellLine): boolean {
  return !isOpen && exitCode !== null && exitCode !== 0;
}

/** Who ran it wants to read it. */
const FEW_SHELL_LINES = 12;
