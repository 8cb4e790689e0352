/** Defines secret patterns and their matches, merges, filters and replaces matches in a text, and defines the format of placeholders. */

/** A kind of secret, as data. */
export interface SecretPattern {
  /** A part of placeholders: lowercase letters and digits. */
  readonly id: string;
  /** For display. */
  readonly name: string;
  /**
   * The secret starts with one of these. A text without any prefix is not scanned further. Each has at least three characters, and white
   * space only at its end: a stream writes whole words.
   */
  readonly prefixes: readonly string[];
  /**
   * A regular expression that starts at the prefix, on one line. If it has a group, the group is the secret and the rest is its context.
   * Repetitions are bounded, or consist of characters that cannot precede a prefix, so that a scan takes linear time.
   */
  readonly pattern: string;
  /** The prefix is inside the secret: up to `maxChars` of these characters before it belong to the secret. */
  readonly lookbehind?: { readonly chars: RegExp; readonly maxChars: number };
  /** The prefix may follow a letter: it is a part of a name, not the start of the secret. */
  readonly isWithinWords?: true;
  /** Matches only if no other pattern matches the secret. */
  readonly isWeak?: true;
  /** An additional test of the secret; default: `isVaried`. */
  readonly isLikely?: (secret: string) => boolean;
}

export interface SecretKind {
  readonly id: string;
  readonly name: string;
  /** The original value, if the text contains it in another form. */
  readonly value?: string;
}

export interface CharRange {
  readonly start: number;
  readonly end: number;
}

export interface SecretMatch extends CharRange {
  readonly kind: SecretKind;
}

/** Sorts matches and joins those that overlap; the kind of the first one wins. */
export function mergeMatches(matches: readonly SecretMatch[]): readonly SecretMatch[] {
  const merged: SecretMatch[] = [];
  for (const match of matches.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = merged.at(-1);
    if (!last || match.start >= last.end) merged.push(match);
    else if (match.end > last.end) merged[merged.length - 1] = joinMatches(last, match);
  }
  return merged;
}

/** Drops `value`: the original value of one match is not that of both. */
function joinMatches({ start, kind: { id, name } }: SecretMatch, { end }: SecretMatch): SecretMatch {
  return { start, end, kind: { id, name } };
}

/** The matches that overlap none of the ranges. */
export function excludeRanges(ranges: readonly CharRange[], matches: readonly SecretMatch[]): readonly SecretMatch[] {
  if (ranges.length === 0) return matches;
  return matches.filter(({ start, end }) => {
    // The ranges are sorted, so only the first one that does not end before the match can overlap it.
    const nextRange = findNextRange(ranges, start);
    return nextRange === undefined || nextRange.start >= end;
  });
}

function findNextRange(ranges: readonly CharRange[], start: number): CharRange | undefined {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  return ranges[low];
}

/** Replaces sorted matches in a text. */
export function replaceMatches(
  text: string,
  matches: readonly SecretMatch[],
  toReplacement: (match: SecretMatch) => string,
): string {
  let output = "";
  let index = 0;
  for (const match of matches) {
    output += text.slice(index, match.start) + toReplacement(match);
    index = match.end;
  }
  return output + text.slice(index);
}

/** Whether a token can start at this index: not after a word character, unless that character ends an escape sequence. */
export function isTokenStart(text: string, index: number): boolean {
  return index === 0 || !isWordChar(text.charCodeAt(index - 1)) || matchBefore(ESCAPE, text, index) !== null;
}

/**
 * The start of the terminal sequence that this index is inside, or else the index. A cut inside a sequence would hide from `isTokenStart`
 * what ends before a token.
 */
export function startOfTerminalSequence(text: string, index: number): number {
  return index - (matchBefore(INCOMPLETE_TERMINAL_SEQUENCE, text, index)?.[1]?.length ?? 0);
}

function matchBefore(lookbehind: RegExp, text: string, index: number): RegExpExecArray | null {
  lookbehind.lastIndex = index;
  return lookbehind.exec(text);
}

// The character that begins a terminal sequence, or one of its written forms. Parameters and intermediate characters cannot be part of
// it, and they have limits, so that a match takes constant time.
const ESC = String.raw`(?:\x1b|\\x1[bB]|\\u001[bB]|\\0?33|\\[eE])`;
const PARAMETERS = String.raw`\[[0-?]{0,128}`;
const INTERMEDIATES = "[ -/]{0,8}";
const TERMINAL_SEQUENCE = `${ESC}(?:${PARAMETERS}${INTERMEDIATES}[@-~]|${INTERMEDIATES}[0-~])`;
const INCOMPLETE_TERMINAL_SEQUENCE = new RegExp(`(?<=(${ESC}(?:${PARAMETERS})?${INTERMEDIATES}))`, "y");
/** Escape sequences of JSON, URLs and terminals. */
const ESCAPE = new RegExp(String.raw`(?<=\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|${TERMINAL_SEQUENCE})`, "y");

function isWordChar(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x5f ||
    code === 0x2d
  );
}

/** A placeholder is one word without characters that JSON, XML or shells escape. */
export const PLACEHOLDER_PREFIX = "PITH_SECRET_";

/** Formats a placeholder. The digest identifies the secret; the kind is for display. */
export function formatPlaceholder(kindId: string, digest: string): string {
  return `${PLACEHOLDER_PREFIX}${kindId}_${digest.slice(0, PLACEHOLDER_DIGITS)}`;
}

/** Matches placeholders; the group contains the digits of the digest. */
export const PLACEHOLDER_PATTERN: RegExp = /PITH_SECRET_[a-z0-9]{1,24}_([0-9a-f]{12})/g;

/** Matches incomplete placeholders and lookalikes, after the complete ones are removed. */
export const PARTIAL_PLACEHOLDER_PATTERN: RegExp = /PITH_SECRET_[a-z0-9]\w*/g;

const PLACEHOLDER_DIGITS = 12;

/** The ranges of existing placeholders, which are not scanned again. */
export function findPlaceholderRanges(text: string): readonly CharRange[] {
  if (!text.includes(PLACEHOLDER_PREFIX)) return [];
  return Array.from(text.matchAll(PLACEHOLDER_PATTERN), ({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }));
}
