/** Defines the usage error, which ends the program with exit code 2, and suggests the word nearest to a mistyped one. */

export interface UsageError {
  readonly type: "mistake";
  /** What is wrong, and what to write instead. */
  readonly message: string;
}

export function usageError(message: string): UsageError {
  return { type: "mistake", message };
}

/** Null where none of them is much like it. */
export function findNearest(input: string, candidates: readonly string[]): string | null {
  // Nobody mistypes so much, and it would take long to look.
  if (input.length > MAX_INPUT_CHARS) return null;
  const [best] = candidates
    .map((word) => ({ word, far: editDistance(input.toLowerCase(), word.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  return best && best.far <= Math.max(1, Math.floor(best.word.length / 3)) ? best.word : null;
}

const MAX_INPUT_CHARS = 64;

/** Letters to add, drop, change, or exchange with their neighbour. */
function editDistance(a: string, b: string): number {
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
