/** Defines the usage error, which ends the program with exit code 2, and suggests the word nearest to a mistyped one. */

export interface Mistake {
  readonly type: "mistake";
  /** What is wrong, and what to write instead. */
  readonly message: string;
}

export function mistake(message: string): Mistake {
  return { type: "mistake", message };
}

/** Null where none of them is much like it. */
export function nearest(wanted: string, words: readonly string[]): string | null {
  // Nobody mistypes so much, and it would take long to look.
  if (wanted.length > LONGEST) return null;
  const [near] = words
    .map((word) => ({ word, far: distance(wanted.toLowerCase(), word.toLowerCase()) }))
    .sort((one, other) => one.far - other.far);
  return near && near.far <= Math.max(1, Math.floor(near.word.length / 3)) ? near.word : null;
}

const LONGEST = 64;

/** Letters to add, drop, change, or exchange with their neighbour. */
function distance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, to) => to)];
  const at = (row: number, to: number): number => rows[row]?.[to] ?? 0;
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    rows.push(next);
    for (let to = 1; to <= other.length; to += 1) {
      const changed = at(row - 1, to - 1) + (one[row - 1] === other[to - 1] ? 0 : 1);
      const isTurned = one[row - 1] === other[to - 2] && one[row - 2] === other[to - 1];
      const turned = isTurned ? at(row - 2, to - 2) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(at(row - 1, to) + 1, at(row, to - 1) + 1, changed, turned));
    }
  }
  return at(one.length, other.length);
}
