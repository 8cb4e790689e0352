/** What keys do, in one line: where there is no room for all, the last one, which is the way out, stays. Pure. */

import { visibleWidth } from "@earendil-works/pi-tui";

export function keyHints(hints: readonly string[], width: number): string {
  for (let count = hints.length - 1; count > 0; count--) {
    const line = ` ${[...hints.slice(0, count), ...hints.slice(-1)].join(" · ")}`;
    if (visibleWidth(line) <= width) return line;
  }
  return ` ${hints.at(-1) ?? ""}`;
}
