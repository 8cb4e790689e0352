/** What is told beside the talk: notes of the program, what somebody pinned, and what happened on a branch that was left. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { counted } from "../../../printing/amounts.ts";
import { keyTold } from "../../keys/key-hint.ts";
import type { BranchTold, Note, Pinned } from "../../state/block.ts";
import { type Brush, isLive } from "../brush.ts";
import { inColumns } from "../lines/in-columns.ts";
import { linesIn, partShown } from "../lines/part-shown.ts";
import { cut, shownLine, wrapped } from "../lines/wrapped.ts";

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
