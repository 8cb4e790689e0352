/** What was said while it worked and waits to be heard: what comes next, what comes afterwards, and how to have it back. */

import { truncateToWidth } from "@earendil-works/pi-tui";
import { plain } from "../../printing/plain.ts";
import type { Brush } from "../drawing/brush.ts";
import { keyTold } from "../keys/key-hint.ts";
import type { ScreenState } from "../state/screen-state.ts";

/** Rows for words; what is more is counted. */
const MOST_ROWS = 4;

export function queueLines({ queue }: Pick<ScreenState, "queue">, { theme, width, keymap }: Brush): readonly string[] {
  const waiting = [
    ...queue.steering.map((text) => ({ kind: "next", text })),
    ...queue.followUp.map((text) => ({ kind: "afterwards", text })),
  ];
  if (waiting.length === 0) return [];
  const row = ({ kind, text }: { readonly kind: string; readonly text: string }): string =>
    truncateToWidth(
      `  ${theme.accent(`↳ ${kind.padEnd(10)}`)} ${theme.dim(plain(text.replaceAll(/\s+/g, " ")))}`,
      width,
    );
  const more = waiting.length - MOST_ROWS;
  const back = keyTold("takeBack", `takes ${waiting.length === 1 ? "it" : "them"} back`, keymap);
  const end = [more > 0 ? `and ${more} more` : "", back].filter((text) => text !== "").join("; ");
  const last = end === "" ? [] : [theme.dim(truncateToWidth(`  ${end}`, width))];
  return ["", ...waiting.slice(0, MOST_ROWS).map(row), ...last];
}
