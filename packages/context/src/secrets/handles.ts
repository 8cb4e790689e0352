/** Recognizes handles, the ids of entries, blobs, sessions and tool calls, so that redaction does not break them. */

import type { CharRange, SecretMatch } from "./matches.ts";
import { isRandom } from "./pattern.ts";

/** Removes matches that would break a handle. `isKnownValue`: the matches are known values, not patterns. */
export function removeMatchesInHandles(
  text: string,
  matches: readonly SecretMatch[],
  isKnownValue: boolean,
): readonly SecretMatch[] {
  return matches.filter((match) => !breaksHandle(text, match, isKnownValue));
}

/** Whether a text is exactly one handle. */
export function isHandle(text: string): boolean {
  return text.length <= MAX_HANDLE_CHARS && new RegExp(`^(?:${HANDLE_WITH_PREFIX})$`).test(text);
}

/**
 * A pattern that matches inside a handle, or that is not random without the handle in it, is a coincidence. So is a known value that is a
 * part of a handle; a known value that equals the whole id is not. A digest without a prefix is protected only against matches of its
 * parts, because keys look the same.
 */
function breaksHandle(text: string, match: SecretMatch, isKnownValue: boolean): boolean {
  const word = findSurroundingWord(text, match);
  if (word === null) return false;
  let rest = text.slice(match.start, match.end);
  for (const handleMatch of text.slice(word.start, word.end).matchAll(HANDLE_PATTERN)) {
    const [handle, prefixedHandle] = handleMatch;
    const start = word.start + handleMatch.index;
    const end = start + handle.length;
    if (prefixedHandle !== undefined && !isKnownValue) rest = rest.replace(handle, "");
    if (match.start < start || match.end > end) continue;
    const id = handle.replace(HANDLE_PREFIX_PATTERN, "");
    const coversId = match.start <= end - id.length && match.end === end;
    if (!coversId || (prefixedHandle !== undefined && !isKnownValue)) return true;
  }
  return rest.length < match.end - match.start && !isRandom(rest);
}

/** The word around a match; null if it is longer than any handle. */
function findSurroundingWord(text: string, { start, end }: CharRange): CharRange | null {
  let wordStart = start;
  let wordEnd = end;
  while (wordStart > 0 && isHandleChar(text.charCodeAt(wordStart - 1)) && wordEnd - wordStart <= MAX_HANDLE_CHARS)
    wordStart -= 1;
  while (wordEnd < text.length && isHandleChar(text.charCodeAt(wordEnd)) && wordEnd - wordStart <= MAX_HANDLE_CHARS)
    wordEnd += 1;
  return wordEnd - wordStart > MAX_HANDLE_CHARS ? null : { start: wordStart, end: wordEnd };
}

function isHandleChar(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x3a) || // digits and the colon
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x5f ||
    code === 0x2d ||
    code === 0x23 ||
    code === 0x25
  );
}

/** Enough for `blob:`, a full hash, and a name and numbers beside it. */
const MAX_HANDLE_CHARS = 160;

const HANDLE_PREFIX_PATTERN =
  /^(?:#|(?:blob|entry|session|sha1|sha256|sha512|md5)(?::|%3A)|(?:toolu|call|fc)_(?:bdrk_|vrtx_)?)/i;

/** Handles as the model reads and writes them, also URL-encoded. */
const HANDLE_WITH_PREFIX = [
  "#\\d{1,9}",
  "(?:blob|entry|sha1|sha256|sha512|md5)(?::|%3[Aa])[0-9a-f]{4,128}",
  "(?:(?:entry|session)(?::|%3[Aa]))?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
  "(?:toolu|call|fc)_(?:bdrk_|vrtx_)?[A-Za-z0-9]{16,64}",
].join("|");

/** Entry ids, and digests in their usual lengths. */
const HANDLE_WITHOUT_PREFIX = "[0-9a-f]{20}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}";

const HANDLE_PATTERN = new RegExp(`(?<![\\w-])(?:(${HANDLE_WITH_PREFIX})|(?:${HANDLE_WITHOUT_PREFIX}))(?![\\w-])`, "g");
