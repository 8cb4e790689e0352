/** How a tree page is parted: rows, and the words of the chosen one beside them, below them or nowhere. Pure. */

import type { Sight } from "../../panel.ts";
import { sideBySide } from "../../side-by-side.ts";

export interface PageParts {
  readonly list: Size;
  /** Without rows where there is no room for it. */
  readonly preview: Size;
  readonly isBeside: boolean;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export function pageParts({ width, height }: Pick<Sight, "width" | "height">): PageParts {
  const room = Math.max(1, height - AROUND);
  const wide = sideBySide(width);
  if (wide) {
    const preview = { width: wide.beside, height: room };
    return { list: { width: wide.list, height: room }, preview, isBeside: true };
  }
  const below = room >= HIGH ? Math.floor(room / 3) : 0;
  const border = below > 0 ? 1 : 0;
  const preview = { width: width - 2, height: below };
  return { list: { width, height: room - below - border }, preview, isBeside: false };
}

/** Title, what is shown, a line, and the keys at the foot. */
const AROUND = 4;
/** Rows that are enough for two things below each other. */
const HIGH = 14;
