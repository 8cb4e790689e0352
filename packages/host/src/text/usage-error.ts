/** Defines the usage error, which ends the program with exit code 2, and finds the candidates nearest to a mistyped word. */

export interface UsageError {
  readonly type: "mistake";
  /** States what is wrong and what to write instead. */
  readonly message: string;
}

export function usageError(message: string): UsageError {
  return { type: "mistake", message };
}

/** Null if no candidate is similar enough. */
export function findNearest(input: string, candidates: readonly string[]): string | null {
  return listNearest(input, candidates, 1)[0] ?? null;
}

/** Returns the most similar candidates, nearest first. Empty if none is similar enough. */
export function listNearest(input: string, candidates: readonly string[], maxCount: number): readonly string[] {
  // A longer input is no typing error, and comparing it would be slow.
  if (input.length > MAX_INPUT_CHARS) return [];
  return candidates
    .map((word) => ({ word, distance: editDistance(input.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, distance }) => distance <= Math.max(1, Math.floor(word.length / 3)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, maxCount)
    .map(({ word }) => word);
}

const MAX_INPUT_CHARS = 64;

/** The number of characters to insert, delete, replace, or swap with their neighbour. */
export function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = cell(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isTransposed = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const transposition = isTransposed ? cell(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(cell(row - 1, column) + 1, cell(row, column - 1) + 1, substitution, transposition));
    }
  }
  return cell(a.length, b.length);
}
