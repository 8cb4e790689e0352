/** A list, and beside it what one stands on, where there is room for both. Pure. */

export interface SideBySide {
  readonly list: number;
  readonly beside: number;
}

/** How wide each is, with a line between them; null where the terminal is too narrow for that. */
export function sideBySide(width: number): SideBySide | null {
  if (width < WIDE) return null;
  const list = Math.floor(width * SHARE);
  return { list, beside: width - list - GAP };
}

const WIDE = 110;
const SHARE = 0.6;
const GAP = 3;
