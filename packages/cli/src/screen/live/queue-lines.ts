/** What was said while it worked and waits to be heard: what comes next, what comes afterwards, and how to have it back. */

import { truncateToWidth } from "@earendil-works/pi-tui";
import { plain } from "../../printing/plain.ts";
import type { Brush } from "../drawing/brush.ts";
import type { ScreenState } from "../state/screen-state.ts";

/** Rows for words; what is more is counted. */
const MOST_ROWS = 4;

export function queueLines({ queue }: Pick<ScreenState, "queue">, { theme, width }: Brush): readonly string[] {
  const waiting = [
    ...queue.steering.map((text) => ({ kind: "next", text })),
    ...queue.followUp.map((text) => ({ kind: "afterwards", text })),
  ];
  if (waiting.length === 0) return [];
  const row = ({ kind, text }: { readonly kind: string; readonly text: string }): string =>
    truncateToWidth(`  ${theme.accent(`↳ ${kind.padEnd(10)}`)} ${theme.dim(plain(inOneLine(text)))}`, width);
  const more = waiting.length - MOST_ROWS;
  const end = `  ${more > 0 ? `and ${more} more; ` : ""}alt+up takes ${waiting.length === 1 ? "it" : "them"} back`;
  return ["", ...waiting.slice(0, MOST_ROWS).map(row), theme.dim(truncateToWidth(end, width))];
}

/** Its first line, and how many more there are; files that are said with it are named in it. */
function inOneLine(text: string): string {
  const words = text.replaceAll(ATTACHED, "").trim();
  const [first = "", ...rest] = words.split("\n");
  return rest.length === 0 ? first : `${first} (+${rest.length} ${rest.length === 1 ? "line" : "lines"})`;
}

const ATTACHED =
  /^<(file|folder) path="[^"\n]*">\n[\s\S]*?\n<\/\1>\n|^The picture [^\n]+:\n(?=\[image\/)|^\[picture \d+: [^\]\n]+\]\n(?=\[image\/)|^\[image\/\w+\]\n/gm;
