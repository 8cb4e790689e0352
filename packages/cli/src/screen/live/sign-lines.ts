/** What extensions show, drawn: their lines above the editor, which take no more than a third of the screen, and their words below it. */

import { truncateToWidth } from "@earendil-works/pi-tui";
import type { Brush } from "../drawing/brush.ts";
import { type Signs, statusWords, widgetLines } from "../state/signs.ts";

export function widgetRows(signs: Signs, { width, theme }: Brush, height: number): readonly string[] {
  const lines = widgetLines(signs);
  const most = Math.max(1, Math.floor(height / 3));
  const seen = lines.length <= most ? lines : lines.slice(0, most - 1);
  const more = lines.length - seen.length;
  const rows = seen.map((line) => truncateToWidth(` ${line}`, width, "…"));
  return more === 0 ? rows : [...rows, theme.dim(truncateToWidth(` and ${more} more lines`, width, "…"))];
}

/** One line, or none. */
export function statusRow(signs: Signs, { width, theme }: Brush): readonly string[] {
  const words = statusWords(signs);
  return words.length === 0 ? [] : [theme.dim(truncateToWidth(words.join(" · "), width, "…"))];
}
