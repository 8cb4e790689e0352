/** A text one scrolls through: which of its lines is the first that is seen. Pure. */

import type { Length } from "./list.ts";

/** Null where the key is no scrolling. */
export function scrolled(top: number, key: string, { count, rows }: Length): number | null {
  const steps: Readonly<Record<string, number>> = {
    ...{ up: -1, k: -1, down: 1, j: 1 },
    ...{ pageUp: -rows, b: -rows, pageDown: rows, space: rows, " ": rows },
    ...{ home: -count, g: -count, end: count, G: count },
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step === undefined ? null : scrolledTo(top + step, { count, rows });
}

/** As far as there are lines. */
export function scrolledTo(top: number, { count, rows }: Length): number {
  return Math.max(0, Math.min(top, count - rows));
}
