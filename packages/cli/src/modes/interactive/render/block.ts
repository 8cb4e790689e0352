/** Renders one transcript block as lines. Nothing in its text may control the terminal. */

import { keyTold } from "../../../settings/keymap-text.ts";
import { counted, secondsTold } from "../../../text/format.ts";
import type { Block, BranchTold, Note, Pinned, Said, Thought } from "../state/blocks.ts";
import { truncateToWidth, visibleWidth } from "../terminal/pi-tui.ts";
import { drawCompacted } from "./compaction.ts";
import { drawPicture, PICTURE } from "./image.ts";
import { drawAnswered } from "./markdown.ts";
import { cut, firstLines, fitted, inColumns, leftTold, linesIn, partShown, shownLine, wrapped } from "./text.ts";
import { type Brush, isLive } from "./theme.ts";
import { drawCalled, drawShell } from "./tool-call.ts";

export function drawSaid({ text, images, from }: Said, brush: Brush): readonly string[] {
  const { theme, width, isUnfolded } = brush;
  const ink = from === "program" ? theme.dim : theme.user;
  const { lines, left } = firstLines(text, isUnfolded ? Number.POSITIVE_INFINITY : MOST);
  const words = lines.length === 0 ? [] : wrapped(lines.join("\n"), { width, mark: ink(from ? "» " : "> "), ink });
  return [...words, ...leftTold(left, "more", brush), ...images.flatMap((image) => drawPicture(image, brush))];
}

/** What is longer was pasted, and whoever pasted it knows it. */
const MOST = 40;

export function drawThought(thought: Thought, brush: Brush): readonly string[] {
  if (thought.isPrinted) return [];
  const { theme, width } = brush;
  const ink = theme.dim;
  const head = cut(headOf(thought), { width, indent: "", ink });
  return [head, ...(brush.isUnfolded ? partShown({ text: thought.text, few: 0, end: "last", ink }, brush) : [])];
}

function headOf({ text, isOpen, tookMs }: Thought): string {
  const lines = linesIn(text);
  if (isOpen) return `· thinking: ${lines.at(-1) ?? "…"}`;
  const time = tookMs !== undefined && tookMs >= 1_000 ? ` for ${secondsTold(tookMs)}` : "";
  return `· thought${time}, ${counted(lines.length, "line")}`;
}

export function drawNote({ tone, text, divides }: Note, { width, theme }: Brush): readonly string[] {
  if (divides) return [theme.border(lineAcross(text, width))];
  if (tone === "plain") return inColumns(text, { width, ink: theme.dim });
  const ink = theme[tone];
  return wrapped(text, { width, mark: ink(`${MARKS[tone]} `), ink });
}

/** The tone is seen without colour, too. */
const MARKS = { good: "✓", warning: "!", bad: "✗" } as const;

export function drawPinned({ text }: Pinned, { width, theme }: Brush): readonly string[] {
  return wrapped(`pinned: ${text}`, { width, mark: theme.accent("◆ ") });
}

function lineAcross(text: string, width: number): string {
  const words = truncateToWidth(`── ${shownLine(text)} `, width, "…");
  return words + "─".repeat(Math.max(0, width - visibleWidth(words)));
}

/** One line, unless somebody opens it. */
export function drawBranchTold({ summary }: BranchTold, brush: Brush): readonly string[] {
  const { theme, width, isUnfolded } = brush;
  const size = counted(linesIn(summary).length, "line");
  const key = isLive(brush) && !isUnfolded ? keyTold("fold", "opens", brush.keymap) : "";
  const head = cut(`the branch that was left, told in ${size}${key && ` · ${key}`}`, { width: width - 2, indent: "" });
  const body = isUnfolded ? partShown({ text: summary, few: 0, end: "first", ink: theme.dim }, brush) : [];
  return [`${theme.accent("↩")} ${head}`, ...body];
}

export function drawBlock(block: Block, brush: Brush): readonly string[] {
  const lines = linesOf(block, brush).map((line) => fitting(line, brush.width));
  return lines.length === 0 || block.isClose || goesOn(block) ? lines : ["", ...lines];
}

/** Code of which the beginning stands above. */
function goesOn(block: Block): boolean {
  return block.kind === "answered" && block.code !== undefined;
}

/** Whatever a kind makes of a narrow screen. A picture has rows of its own. */
function fitting(line: string, width: number): string {
  return line.includes(PICTURE) ? line : fitted(line, width);
}

function linesOf(block: Block, brush: Brush): readonly string[] {
  switch (block.kind) {
    case "said":
      return drawSaid(block, brush);
    case "answered":
      return drawAnswered(block, brush);
    case "thought":
      return drawThought(block, brush);
    case "called":
      return drawCalled(block, brush);
    case "shell":
      return drawShell(block, brush);
    case "compacted":
      return drawCompacted(block, brush);
    case "branch-told":
      return drawBranchTold(block, brush);
    case "pinned":
      return drawPinned(block, brush);
    case "note":
      return drawNote(block, brush);
  }
}
