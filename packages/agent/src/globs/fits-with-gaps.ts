/** A pattern with gaps held against a sequence: the names of a path, or the characters of a name. Never slower than both lengths multiplied, because who chooses the one must not choose the time. */

export interface Comparing<Each> {
  /** Takes any number of them, none too. */
  readonly isGap: (each: Each) => boolean;
  readonly isFit: (each: Each, found: string) => boolean;
}

// It is enough to widen the last gap: what an earlier one could still take, the last one can take as well.
export function fitsWithGaps<Each>(
  pattern: readonly Each[],
  found: readonly string[],
  { isGap, isFit }: Comparing<Each>,
): boolean {
  let [at, next] = [0, 0];
  let gap: { readonly after: number; taken: number } | null = null;
  while (next < found.length) {
    const each = pattern[at];
    if (each !== undefined && isGap(each)) {
      at += 1;
      gap = { after: at, taken: next };
    } else if (each !== undefined && isFit(each, found[next] ?? "")) {
      at += 1;
      next += 1;
    } else if (gap !== null) {
      gap.taken += 1;
      at = gap.after;
      next = gap.taken;
    } else return false;
  }
  return pattern.slice(at).every(isGap);
}
