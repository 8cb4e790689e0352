/** Scans a text for all secret patterns in one pass, from prefix to prefix. */

import {
  excludeRanges,
  findPlaceholderRanges,
  isTokenStart,
  mergeMatches,
  PLACEHOLDER_PREFIX,
  type SecretKind,
  type SecretMatch,
  type SecretPattern,
} from "./matches.ts";
import {
  getPrefixIndex,
  KEY_FOOTER_PREFIX,
  KEY_HEADER_PREFIX,
  type LiteralMatch,
  type PatternMatcher,
} from "./prefix-index.ts";
import { findKeyBody, findKeyContinuation, findKeyTail, KEY_MARKER, type KeyState } from "./private-keys.ts";
import { removeMatchesInIds } from "./protected-values.ts";
import { isVaried } from "./randomness.ts";

export interface SecretScanResult {
  readonly matches: readonly SecretMatch[];
  /** Whether the text ends inside a private key. */
  readonly keyState: KeyState;
}

/** Finds the secrets in a text; `keyState` is the state at the end of the previous chunk. */
export function scanForSecrets(
  text: string,
  { keyState: previousState = "outside" }: { readonly keyState?: KeyState } = {},
): SecretScanResult {
  const continuation = findKeyContinuation(text, previousState);
  const matches: SecretMatch[] = [...continuation.matches];
  let keyState = continuation.state;
  let minIndex = 0;
  for (const prefixMatch of findPrefixMatches(text, () => minIndex)) {
    const result = scanPrefixMatch(text, prefixMatch, minIndex);
    matches.push(...result.matches);
    keyState = result.state ?? keyState;
    minIndex = Math.max(prefixMatch.index + 1, result.end ?? 0);
  }
  return {
    matches: mergeMatches(removeMatchesInIds(text, excludeRanges(findPlaceholderRanges(text), matches), false)),
    keyState,
  };
}

/** The kind of a text that is exactly one secret; null otherwise. */
export function classifySecret(text: string): SecretKind | null {
  const [match] = scanForSecrets(text).matches;
  return match?.start === 0 && match.end === text.length ? match.kind : null;
}

/** Finds prefixes, each at or after `nextStart`; placeholders are skipped. */
function* findPrefixMatches(text: string, nextStart: () => number): Generator<LiteralMatch> {
  const { literals } = getPrefixIndex();
  const placeholders = findPlaceholderRanges(text);
  let placeholderIndex = 0;
  let index = 0;
  for (let match = literals.findNext(text, index); match; match = literals.findNext(text, index)) {
    while ((placeholders[placeholderIndex]?.end ?? Number.POSITIVE_INFINITY) <= match.index) placeholderIndex += 1;
    const placeholder = placeholders[placeholderIndex];
    if (placeholder && placeholder.start <= match.index) {
      index = placeholder.end;
      continue;
    }
    yield match;
    index = nextStart();
  }
}

interface PrefixScanResult {
  readonly matches: readonly SecretMatch[];
  /** Where to continue; default: after the prefix. */
  readonly end?: number;
  readonly state?: KeyState;
}

function scanPrefixMatch(text: string, { literal: prefix, index }: LiteralMatch, minIndex: number): PrefixScanResult {
  // The body of a key is scanned, too: it may be something else that only looks like a key.
  if (prefix === KEY_HEADER_PREFIX) return findKeyBody(text, index) ?? { matches: [] };
  if (prefix === KEY_FOOTER_PREFIX) return { matches: findKeyTail(text, index, minIndex) };
  const match = matchPatterns(text, prefix, index);
  return match ? { matches: [match], end: match.end } : { matches: [] };
}

function matchPatterns(text: string, prefix: string, index: number): SecretMatch | null {
  for (const matcher of getPrefixIndex().findMatchers(prefix)) {
    const match = matchPattern(text, matcher, index);
    if (match) return match;
  }
  return null;
}

function matchPattern(
  text: string,
  { secretPattern, regExp }: PatternMatcher,
  prefixIndex: number,
): SecretMatch | null {
  const searchStart = findSecretStart(text, secretPattern, prefixIndex);
  if (!secretPattern.isWithinWords && !isTokenStart(text, searchStart)) return null;
  const expression = regExp();
  expression.lastIndex = searchStart;
  const match = expression.exec(text) ?? matchTruncatedSecret(text, secretPattern, searchStart);
  const [start, stop] = match?.indices?.[1] ?? match?.indices?.[0] ?? [0, 0];
  if (stop === 0) return null;
  // A key marker after the secret is not a part of it, although its characters could be.
  const [secret = ""] = text.slice(start, stop).split(KEY_MARKER, 1);
  const end = start + secret.length;
  const { isLikely = isVaried } = secretPattern;
  if (secret.includes(PLACEHOLDER_PREFIX) || !isLikely(secret) || (secretPattern.isWeak && hasStrongerMatch(secret)))
    return null;
  return { start, end, kind: secretPattern };
}

/** Matches a secret that a tool truncated and marked with an ellipsis. */
function matchTruncatedSecret(
  text: string,
  { prefixes, isWithinWords, lookbehind }: SecretPattern,
  index: number,
): RegExpExecArray | null {
  if (
    isWithinWords ||
    lookbehind ||
    !prefixes.some((prefix) => prefix.length >= MIN_TRUNCATED_PREFIX_CHARS && text.startsWith(prefix, index))
  )
    return null;
  SECRET_BEFORE_ELLIPSIS.lastIndex = index;
  return SECRET_BEFORE_ELLIPSIS.exec(text);
}

const MIN_TRUNCATED_PREFIX_CHARS = 4;
const SECRET_BEFORE_ELLIPSIS = /[\w.-]{12,600}(?= ?(?:\[…|…))/dy;

function findSecretStart(text: string, { lookbehind }: SecretPattern, prefixIndex: number): number {
  if (!lookbehind) return prefixIndex;
  let start = prefixIndex;
  while (start > 0 && prefixIndex - start < lookbehind.maxChars && lookbehind.chars.test(text.charAt(start - 1)))
    start -= 1;
  return start;
}

function hasStrongerMatch(secret: string): boolean {
  const { literals, findMatchers } = getPrefixIndex();
  for (let match = literals.findNext(secret, 0); match; match = literals.findNext(secret, match.index + 1)) {
    const { literal, index } = match;
    const strongMatchers = findMatchers(literal).filter(({ secretPattern }) => !secretPattern.isWeak);
    if (strongMatchers.some((matcher) => matchPattern(secret, matcher, index))) return true;
  }
  return false;
}
