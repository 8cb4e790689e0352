/** Recognizes values that redaction must not change: ids of entries, blobs, sessions and tool calls, signatures, encrypted content, images. */

import type { JsonObject } from "../json.ts";
import type { CharRange, SecretMatch } from "./matches.ts";
import { isRandom } from "./randomness.ts";

/** Removes matches that would break an id. `isKnownValue`: the matches are known values, not patterns. */
export function removeMatchesInIds(
  text: string,
  matches: readonly SecretMatch[],
  isKnownValue: boolean,
): readonly SecretMatch[] {
  return matches.filter((match) => !breaksId(text, match, isKnownValue));
}

/** Whether a text is exactly one id. */
export function isId(text: string): boolean {
  return text.length <= MAX_ID_CHARS && new RegExp(`^(?:${ID_WITH_PREFIX})$`).test(text);
}

/**
 * A pattern that matches inside an id, or that is not random without the id in it, is a coincidence. So is a known value that is a part of
 * an id; a known value that equals the whole id is not. A digest without a prefix is protected only against matches of its parts, because
 * keys look the same.
 */
function breaksId(text: string, match: SecretMatch, isKnownValue: boolean): boolean {
  const word = findSurroundingWord(text, match);
  if (word === null) return false;
  let rest = text.slice(match.start, match.end);
  for (const idMatch of text.slice(word.start, word.end).matchAll(ID_PATTERN)) {
    const [id, prefixedId] = idMatch;
    const start = word.start + idMatch.index;
    const end = start + id.length;
    if (prefixedId !== undefined && !isKnownValue) rest = rest.replace(id, "");
    if (match.start < start || match.end > end) continue;
    const bareId = id.replace(ID_PREFIX_PATTERN, "");
    const coversId = match.start <= end - bareId.length && match.end === end;
    if (!coversId || (prefixedId !== undefined && !isKnownValue)) return true;
  }
  return rest.length < match.end - match.start && !isRandom(rest);
}

/** The word around a match; null if it is longer than any id. */
function findSurroundingWord(text: string, { start, end }: CharRange): CharRange | null {
  let wordStart = start;
  let wordEnd = end;
  while (wordStart > 0 && isIdChar(text.charCodeAt(wordStart - 1)) && wordEnd - wordStart <= MAX_ID_CHARS)
    wordStart -= 1;
  while (wordEnd < text.length && isIdChar(text.charCodeAt(wordEnd)) && wordEnd - wordStart <= MAX_ID_CHARS)
    wordEnd += 1;
  return wordEnd - wordStart > MAX_ID_CHARS ? null : { start: wordStart, end: wordEnd };
}

function isIdChar(code: number): boolean {
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
const MAX_ID_CHARS = 160;

const ID_PREFIX_PATTERN =
  /^(?:#|(?:blob|entry|session|sha1|sha256|sha512|md5)(?::|%3A)|(?:toolu|call|fc)_(?:bdrk_|vrtx_)?)/i;

/** Ids as the model reads and writes them, also URL-encoded. */
const ID_WITH_PREFIX = [
  "#\\d{1,9}",
  "(?:blob|entry|sha1|sha256|sha512|md5)(?::|%3[Aa])[0-9a-f]{4,128}",
  "(?:(?:entry|session)(?::|%3[Aa]))?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
  "(?:toolu|call|fc)_(?:bdrk_|vrtx_)?[A-Za-z0-9]{16,64}",
].join("|");

/** Entry ids, and digests in their usual lengths. */
const ID_WITHOUT_PREFIX = "[0-9a-f]{20}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}";

const ID_PATTERN = new RegExp(`(?<![\\w-])(?:(${ID_WITH_PREFIX})|(?:${ID_WITHOUT_PREFIX}))(?![\\w-])`, "g");

/** Signatures, encrypted content and images: a change would break them, and a secret pattern in them is a coincidence. */
export function isProtectedField(key: string, { type, mimeType, redacted }: JsonObject): boolean {
  switch (type) {
    case "thinking":
      // Redacted reasoning is encrypted by the provider.
      return key === "thinkingSignature" || redacted === true;
    case "text":
      return key === "textSignature";
    case "toolCall":
      return key === "thoughtSignature";
    case "image":
      return key === "data" && typeof mimeType === "string";
    default:
      return CIPHERTEXT_FIELDS.has(key);
  }
}

const CIPHERTEXT_FIELDS: ReadonlySet<string> = new Set([
  "encrypted_content",
  "encryptedContent",
  "reasoningEncryptedContent",
]);

/** Whether a block is signed thinking. Its signature covers the exact text, so a block with a secret is removed. */
export function isSignedThinking(_: unknown, original: unknown): boolean {
  const { type, thinkingSignature } = Object(original) as JsonObject;
  return type === "thinking" && thinkingSignature !== undefined;
}
