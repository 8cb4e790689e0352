/** What happened on a branch that was left: one line, unless somebody opens it. */

import { counted } from "../../../subcommands/sessions/wording/amounts.ts";
import type { BranchTold } from "../../state/block.ts";
import { type Brush, isLive } from "../brush.ts";
import { linesIn } from "../lines/excerpt.ts";
import { partShown } from "../lines/part-shown.ts";
import { cut } from "../lines/wrapped.ts";

export function drawBranchTold({ summary }: BranchTold, brush: Brush): readonly string[] {
  const { theme, width, isUnfolded } = brush;
  const size = counted(linesIn(summary).length, "line");
  const key = isLive(brush) && !isUnfolded ? " · ctrl+o opens" : "";
  const head = cut(`the branch that was left, told in ${size}${key}`, { width: width - 2, indent: "" });
  const body = isUnfolded ? partShown({ text: summary, few: 0, end: "first", ink: theme.dim }, brush) : [];
  return [`${theme.accent("↩")} ${head}`, ...body];
}
