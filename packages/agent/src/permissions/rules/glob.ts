/** Globs over the names of a path. Never slower than pattern times path: whoever chooses the path must not choose the time. */

/** `**` takes any number of names, none too; in a name `*` takes any letters and `?` one. */
export function fitsGlob(glob: readonly string[], names: readonly string[]): boolean {
  return fitsWithGaps(glob, names, { isGap: (each) => each === "**", isFit: fitsName });
}

function fitsName(glob: string, name: string): boolean {
  return fitsWithGaps([...glob], [...name], {
    isGap: (letter) => letter === "*",
    isFit: (letter, found) => letter === "?" || letter === found,
  });
}

interface Comparing {
  readonly isGap: (each: string) => boolean;
  readonly isFit: (each: string, found: string) => boolean;
}

// It is enough to widen the last gap: what an earlier one could still take, the last one can take as well.
function fitsWithGaps(glob: readonly string[], found: readonly string[], { isGap, isFit }: Comparing): boolean {
  let [at, next] = [0, 0];
  let gap: { readonly after: number; taken: number } | null = null;
  while (next < found.length) {
    const each = glob[at];
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
  return glob.slice(at).every(isGap);
}
