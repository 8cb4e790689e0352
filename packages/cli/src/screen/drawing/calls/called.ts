/** A call of a tool: one line that tells it, and of what came of it as much as helps; all of it when opened. */

import type { Called } from "../../state/block.ts";
import type { Brush } from "../brush.ts";
import { partShown } from "../lines/part-shown.ts";
import { drawPicture } from "../picture.ts";
import { COUNTED, callHeading } from "./call-heading.ts";
import { isOwn } from "./call-words.ts";
import { diffRows } from "./diff-rows.ts";

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
