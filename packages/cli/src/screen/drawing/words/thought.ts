/** What the model thought: one line, unless somebody opens it. */

import { counted, secondsTold } from "../../../printing/amounts.ts";
import type { Thought } from "../../state/block.ts";
import type { Brush } from "../brush.ts";
import { linesIn, partShown } from "../lines/part-shown.ts";
import { cut } from "../lines/wrapped.ts";

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
