/** Words that stand below and beside each other: as wide as their column, or at both ends of a line. Pure. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";

/** Just as wide: cut off, or filled up. */
export function cell(text: string, width: number): string {
  return truncateToWidth(text, Math.max(0, width), "…", true);
}

/** No wider: of a path the end says most. */
export function pathEnd(path: string, width: number): string {
  let shown = path;
  const signs = [...segmenter.segment(path)].map(({ segment }) => segment).slice(-2 * width);
  while (visibleWidth(shown) > width && signs.shift() !== undefined) shown = `…${signs.join("")}`;
  return shown;
}

const segmenter = new Intl.Segmenter();

/** What stands at the right is told whole, and has a column beside it; the left is cut off where there is no room for both. */
export function atBothEnds(left: string, right: string, width: number): string {
  const name = truncateToWidth(left, Math.max(0, width - visibleWidth(right) - 2), "…");
  return `${name}${" ".repeat(Math.max(1, width - visibleWidth(name) - visibleWidth(right) - 1))}${right}`;
}
