/** Which of many paths are meant by a few letters: the letters in their order, the nearer together and the later in the path the better. Pure. */

/** Null where the letters are not all there. Higher is better. */
export function fit(path: string, wanted: string): number | null {
  if (wanted === "") return -path.length / 100;
  const name = path.lastIndexOf("/", path.length - 2) + 1;
  const whole = path.lastIndexOf(wanted);
  // A folder is meant less often than a file in one like it.
  const rank = path.length + (path.endsWith("/") ? 60 : 0);
  if (whole >= 0) return 1_000 + (whole >= name ? 500 : 0) + (startsWord(path, whole) ? 200 : 0) - rank;
  return scattered(path, wanted, name);
}

function scattered(path: string, wanted: string, name: number): number | null {
  // In the name alone where that has them all, so that `ts` means no folder far above.
  const start = holds(path, wanted, name) ? name : 0;
  let score = start === name ? 300 : 0;
  let last = start - 1;
  for (const letter of wanted) {
    const at = path.indexOf(letter, last + 1);
    if (at < 0) return null;
    score += at === last + 1 ? 20 : 0;
    score += startsWord(path, at) ? 15 : 0;
    score -= Math.min(10, at - last - 1);
    last = at;
  }
  return score - path.length / 10;
}

function holds(path: string, wanted: string, from: number): boolean {
  let at = from - 1;
  for (const letter of wanted) {
    at = path.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

function startsWord(path: string, at: number): boolean {
  return at === 0 || "/-_. ".includes(path[at - 1] ?? "");
}
