/** One block of a transcript as lines: every kind has its own way, and nothing of it can steer a terminal. */

import type { Block } from "../state/block.ts";
import type { Brush } from "./brush.ts";
import { drawCalled } from "./calls/called.ts";
import { drawShell } from "./calls/shell.ts";
import { drawCompacted } from "./fitting/compacted.ts";
import { fitted } from "./lines/wrapped.ts";
import { PICTURE } from "./picture.ts";
import { drawAnswered } from "./words/answered.ts";
import { drawSaid } from "./words/said.ts";
import { drawThought } from "./words/thought.ts";
import { drawBranchTold, drawNote, drawPinned } from "./words/told.ts";

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
