/** Recognizes handles, with which entries, blobs, sessions and tool calls are named, so that no match of a secret breaks one. */

import type { CharRange, SecretMatch } from "./matches.ts";
import { isRandom } from "./pattern.ts";

/** Those that do not break a handle. `isKnown`: they are values that were met before, not shapes. */
export function removeMatchesInHandles(
  text: string,
  matches: readonly SecretMatch[],
  isKnownValue: boolean,
): readonly SecretMatch[] {
  return matches.filter((match) => !breaksHandle(text, match, isKnownValue));
}

/** Whether a text is a handle and nothing else. */
export function isHandle(text: string): boolean {
  return text.length <= MAX_HANDLE_CHARS && new RegExp(`^(?:${HANDLE_WITH_PREFIX})$`).test(text);
}

/**
 * A shape within a handle is chance, and so is one that is nothing without the handle in it. A known value that is a part of a handle
 * is chance as well; one that is all of its id is not: chance does not make a whole id again. A digest without anything before it is
 * a handle only as far as parts of it go, since keys look the same.
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

/** The letters that stand together around a match; null where there are more than a handle has. */
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

/** `blob:` and all digits of a hash, with names and numbers beside it. */
const MAX_HANDLE_CHARS = 160;

const HANDLE_PREFIX_PATTERN =
  /^(?:#|(?:blob|entry|session|sha1|sha256|sha512|md5)(?::|%3A)|(?:toolu|call|fc)_(?:bdrk_|vrtx_)?)/i;

/** As the model reads and writes them, also in addresses. */
const HANDLE_WITH_PREFIX = [
  "#\\d{1,9}",
  "(?:blob|entry|sha1|sha256|sha512|md5)(?::|%3[Aa])[0-9a-f]{4,128}",
  "(?:(?:entry|session)(?::|%3[Aa]))?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
  "(?:toolu|call|fc)_(?:bdrk_|vrtx_)?[A-Za-z0-9]{16,64}",
].join("|");

/** Ids of entries, and digests in the lengths that they have. */
const HANDLE_WITHOUT_PREFIX = "[0-9a-f]{20}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}";

const HANDLE_PATTERN = new RegExp(`(?<![\\w-])(?:(${HANDLE_WITH_PREFIX})|(?:${HANDLE_WITHOUT_PREFIX}))(?![\\w-])`, "g");
