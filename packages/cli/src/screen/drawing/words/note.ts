/** What the program has to say, and what somebody pinned. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { Note, Pinned } from "../../state/block.ts";
import type { Brush } from "../brush.ts";
import { shownLine } from "../lines/shown-text.ts";
import { wrapped } from "../lines/wrapped.ts";

export function drawNote({ tone, text, divides }: Note, { width, theme }: Brush): readonly string[] {
  if (divides) return [theme.border(lineAcross(text, width))];
  if (tone === "plain") return wrapped(text, { width, ink: theme.dim });
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
