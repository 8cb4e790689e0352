/** One block of a transcript as lines: every kind has its own way, and nothing of it can steer a terminal. */

import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../printing/plain.ts";
import type { Block } from "../state/block.ts";
import type { Brush } from "./brush.ts";

export function drawBlock(block: Block, { width, theme }: Brush): readonly string[] {
  const lines = wrapTextWithAnsi(plain(wordsOf(block)).replaceAll("\t", "    "), width - 2);
  const mark = block.kind === "said" ? theme.user("> ") : "  ";
  return ["", ...lines.map((line, at) => (at === 0 ? mark : "  ") + line)];
}

function wordsOf(block: Block): string {
  switch (block.kind) {
    case "said":
    case "thought":
    case "pinned":
    case "note":
      return block.text;
    case "answered":
      return block.text.slice(block.printed);
    case "called":
      return `${block.tool} ${JSON.stringify(block.arguments)} ${block.state}\n${block.output}`;
    case "shell":
      return `$ ${block.command}\n${block.output}`;
    case "compacted":
      return "compacted";
    case "branch-told":
      return block.summary;
  }
}
