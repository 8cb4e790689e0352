/** A list one walks through: which row is chosen, and which part of it is seen. Pure. */

export interface Walk {
  readonly at: number;
  /** The first row that is seen. */
  readonly top: number;
}

export const atTop: Walk = { at: 0, top: 0 };

/** Null where the key is no walking. `rows` are those seen at once. */
export function walked(walk: Walk, key: string, { count, rows }: Length): Walk | null {
  switch (key) {
    case "up":
      return walkTo(walk, walk.at - 1, { count, rows });
    case "down":
      return walkTo(walk, walk.at + 1, { count, rows });
    case "pageUp":
      return walkTo(walk, walk.at - rows, { count, rows });
    case "pageDown":
      return walkTo(walk, walk.at + rows, { count, rows });
    case "home":
      return walkTo(walk, 0, { count, rows });
    case "end":
      return walkTo(walk, count - 1, { count, rows });
    default:
      return null;
  }
}

export interface Length {
  readonly count: number;
  readonly rows: number;
}

/** As near as there are rows, seen. */
export function walkTo({ top }: Walk, wanted: number, { count, rows }: Length): Walk {
  const at = Math.max(0, Math.min(wanted, count - 1));
  const last = Math.max(0, count - rows);
  return { at, top: Math.max(0, Math.min(Math.max(at - rows + 1, Math.min(top, at)), last)) };
}
