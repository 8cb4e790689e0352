/** Matches paths and names against globs with braces, character classes, `*`, `**` and `?`. */

const MOST = 256;

/** Null where they are too many: each pair of braces multiplies them. */
export function alternatives(glob: string): readonly string[] | null {
  const done: string[] = [];
  const waiting = [glob];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const braces = firstBraces(one);
    if (braces === null) done.push(one);
    else waiting.push(...braces);
    if (done.length + waiting.length > MOST) return null;
  }
  return done;
}

/** With each choice of the first pair in its place; null where there is none that is closed. */
function firstBraces(glob: string): readonly string[] | null {
  const start = glob.search(/(?<!\\)\{/);
  if (start < 0) return null;
  const edges = [start];
  let depth = 0;
  for (let at = start; at < glob.length; at += 1) {
    if (glob[at] === "\\") at += 1;
    else if (glob[at] === "{") depth += 1;
    else if (glob[at] === "}") depth -= 1;
    if (depth === 0 || (depth === 1 && glob[at] === ",")) edges.push(at);
    if (depth === 0) return choices(glob, edges);
  }
  return null;
}

function choices(glob: string, edges: readonly number[]): readonly string[] {
  const before = glob.slice(0, edges[0]);
  const after = glob.slice((edges.at(-1) ?? 0) + 1);
  return edges.slice(1).map((end, index) => before + glob.slice((edges[index] ?? 0) + 1, end) + after);
}

export interface Comparing<Each> {
  /** Takes any number of them, none too. */
  readonly isGap: (each: Each) => boolean;
  readonly isFit: (each: Each, found: string) => boolean;
}

// Never slower than both lengths multiplied: the author of a pattern must not choose the time it takes.
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

export type Sign = typeof STAR | ((character: string) => boolean);

const STAR = "*";

export function signsOf(pattern: string): readonly Sign[] {
  return [...pattern.matchAll(SIGN)].map(([sign, escaped, negation, choice]) => {
    if (sign.startsWith("*")) return STAR;
    if (sign === "?") return () => true;
    if (choice !== undefined) return oneOf(choice, { isNegated: negation !== "" });
    return (character) => character === (escaped ?? sign);
  });
}

/** Some stars, an escaped character, a choice, or any other character. */
const SIGN = /\*+|\\(.)|\[([!^]?)(\]?[^\]]*)\]|./gsu;

function oneOf(choice: string, { isNegated }: { readonly isNegated: boolean }): (character: string) => boolean {
  const ranges = [...choice.matchAll(/(.)-(.)|(.)/gsu)].map(
    ([, from, to, only = ""]) => [from ?? only, to ?? only] as const,
  );
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated;
}

export function fitsName(signs: readonly Sign[], name: string): boolean {
  return fitsWithGaps(signs, [...name], {
    isGap: (sign) => sign === STAR,
    isFit: (sign, character) => sign !== STAR && sign(character),
  });
}

export type Fits = (path: string) => boolean;

/** One without a slash is held against names in any folder, one with a slash against whole paths. Null: it stands for too many. */
export function fitting(glob: string): Fits | null {
  const globs = alternatives(glob)?.map(stepsOf);
  if (!globs) return null;
  return (path) => {
    const names = path.split("/");
    return globs.some((steps) => fitsPath(steps, names));
  };
}

/** A glob for names alone that misses no file which the whole one fits; null where there is none that everybody reads alike. */
export function nameGlob(glob: string): string | null {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  return /^(?!.*\*\*)[\w.*?-]+(?:\{[\w.*?,-]+\})?$/.test(name) ? name : null;
}

const ANY_FOLDERS = "**";

type Step = typeof ANY_FOLDERS | readonly Sign[];

function stepsOf(glob: string): readonly Step[] {
  const path = glob.replace(/^(?:\.?\/)+/, "").replace(/\/+$/, `/${ANY_FOLDERS}`);
  const names = path.includes("/") ? path.split("/") : [ANY_FOLDERS, path];
  return names.map((name) => (name === ANY_FOLDERS ? ANY_FOLDERS : signsOf(name)));
}

function fitsPath(steps: readonly Step[], names: readonly string[]): boolean {
  return fitsWithGaps(steps, names, {
    isGap: (step) => step === ANY_FOLDERS,
    isFit: (step, name) => step !== ANY_FOLDERS && fitsName(step, name),
  });
}
