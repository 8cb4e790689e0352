/** Matches paths and names against globs with braces, character classes, `*`, `**` and `?`. */

const MAX_ALTERNATIVES = 256;

/** Null if there are too many: each pair of braces multiplies them. */
function expandBraces(glob: string): readonly string[] | null {
  const expanded: string[] = [];
  const pending = [glob];
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    const choices = expandFirstBraces(current);
    if (choices === null) expanded.push(current);
    else pending.push(...choices);
    if (expanded.length + pending.length > MAX_ALTERNATIVES) return null;
  }
  return expanded;
}

/** The glob with each choice of the first pair of braces; null without a closed pair. */
function expandFirstBraces(glob: string): readonly string[] | null {
  const start = glob.search(/(?<!\\)\{/);
  if (start < 0) return null;
  const separators = [start];
  let depth = 0;
  for (let index = start; index < glob.length; index += 1) {
    if (glob[index] === "\\") index += 1;
    else if (glob[index] === "{") depth += 1;
    else if (glob[index] === "}") depth -= 1;
    if (depth === 0 || (depth === 1 && glob[index] === ",")) separators.push(index);
    if (depth === 0) return substituteChoices(glob, separators);
  }
  return null;
}

function substituteChoices(glob: string, separators: readonly number[]): readonly string[] {
  const before = glob.slice(0, separators[0]);
  const after = glob.slice((separators.at(-1) ?? 0) + 1);
  return separators.slice(1).map((end, index) => before + glob.slice((separators[index] ?? 0) + 1, end) + after);
}

export interface GapMatchOptions<Each> {
  /** Whether this part matches any number of items, including none. */
  readonly isGap: (each: Each) => boolean;
  readonly matches: (each: Each, found: string) => boolean;
}

// Takes at most pattern length × item count steps, so that a hostile pattern cannot be slow.
// Only the last gap is widened: anything that an earlier gap could match, the last one can match too.
export function matchWithGaps<Each>(
  pattern: readonly Each[],
  items: readonly string[],
  { isGap, matches }: GapMatchOptions<Each>,
): boolean {
  let [patternIndex, itemIndex] = [0, 0];
  let lastGap: { readonly after: number; taken: number } | null = null;
  while (itemIndex < items.length) {
    const part = pattern[patternIndex];
    if (part !== undefined && isGap(part)) {
      patternIndex += 1;
      lastGap = { after: patternIndex, taken: itemIndex };
    } else if (part !== undefined && matches(part, items[itemIndex] ?? "")) {
      patternIndex += 1;
      itemIndex += 1;
    } else if (lastGap !== null) {
      lastGap.taken += 1;
      patternIndex = lastGap.after;
      itemIndex = lastGap.taken;
    } else return false;
  }
  return pattern.slice(patternIndex).every(isGap);
}

export type NameToken = typeof STAR | ((character: string) => boolean);

const STAR = "*";

function parseNamePattern(pattern: string): readonly NameToken[] {
  return [...pattern.matchAll(TOKEN_PATTERN)].map(([token, escaped, negation, characters]) => {
    if (token.startsWith("*")) return STAR;
    if (token === "?") return () => true;
    if (characters !== undefined) return createCharacterClass(characters, { isNegated: negation !== "" });
    return (character) => character === (escaped ?? token);
  });
}

/** Stars, an escaped character, a character class, or any other character. */
const TOKEN_PATTERN = /\*+|\\(.)|\[([!^]?)(\]?[^\]]*)\]|./gsu;

function createCharacterClass(
  characters: string,
  { isNegated }: { readonly isNegated: boolean },
): (character: string) => boolean {
  const ranges = [...characters.matchAll(/(.)-(.)|(.)/gsu)].map(
    ([, from, to, single = ""]) => [from ?? single, to ?? single] as const,
  );
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated;
}

function matchesName(tokens: readonly NameToken[], name: string): boolean {
  return matchWithGaps(tokens, [...name], {
    isGap: (token) => token === STAR,
    matches: (token, character) => token !== STAR && token(character),
  });
}

export type PathMatcher = (path: string) => boolean;

/** A glob without a slash matches names in any folder, one with a slash whole paths. Null: its braces expand to too many globs. */
export function createPathMatcher(glob: string): PathMatcher | null {
  const patterns = expandBraces(glob)?.map(parsePathPattern);
  if (!patterns) return null;
  return (path) => {
    const names = path.split("/");
    return patterns.some((segments) => matchesPath(segments, names));
  };
}

/** A glob for file names that matches every file which the whole glob matches; null if tools may read it differently. */
export function fileNameGlob(glob: string): string | null {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  return /^(?!.*\*\*)[\w.*?-]+(?:\{[\w.*?,-]+\})?$/.test(name) ? name : null;
}

const ANY_FOLDERS = "**";

type PathSegment = typeof ANY_FOLDERS | readonly NameToken[];

function parsePathPattern(glob: string): readonly PathSegment[] {
  const path = glob.replace(/^(?:\.?\/)+/, "").replace(/\/+$/, `/${ANY_FOLDERS}`);
  const names = path.includes("/") ? path.split("/") : [ANY_FOLDERS, path];
  return names.map((name) => (name === ANY_FOLDERS ? ANY_FOLDERS : parseNamePattern(name)));
}

function matchesPath(segments: readonly PathSegment[], names: readonly string[]): boolean {
  return matchWithGaps(segments, names, {
    isGap: (segment) => segment === ANY_FOLDERS,
    matches: (segment, name) => segment !== ANY_FOLDERS && matchesName(segment, name),
  });
}
