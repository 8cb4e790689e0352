/** What keys do, in one quiet line, such as `Enter takes it · Esc closes`: where there is no room for all, the last one, which is the way out, stays. Pure. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { plainLine } from "../../printing/plain-line.ts";
import type { Theme } from "../drawing/theme.ts";

export interface HintLook {
  readonly width: number;
  readonly theme: Theme;
}

export function hintLine(said: readonly string[], { width, theme }: HintLook): string {
  const hints = said.map(plainLine);
  for (let count = hints.length - 1; count > 0; count--) {
    const line = ` ${[...hints.slice(0, count), ...hints.slice(-1)].join(" · ")}`;
    if (visibleWidth(line) <= width) return theme.dim(line);
  }
  return theme.dim(` ${hints.at(-1) ?? ""}`);
}
