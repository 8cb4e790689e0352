/** Recognizes handles, with which entries, blobs, sessions and tool calls are named, so that no match of a secret breaks one. */

import type { Spot, Stretch } from "./matches.ts";
import { isRandom } from "./pattern.ts";

/** Those that do not break a handle. `isKnown`: they are values that were met before, not shapes. */
export function outsideHandles(text: string, spots: readonly Spot[], isKnown: boolean): readonly Spot[] {
  return spots.filter((spot) => !breaksHandle(text, spot, isKnown));
}

/** Whether a text is a handle and nothing else. */
export function isHandle(text: string): boolean {
  return text.length <= LONGEST && new RegExp(`^(?:${WRITTEN})$`).test(text);
}

/**
 * A shape within a handle is chance, and so is one that is nothing without the handle in it. A known value that is a part of a handle
 * is chance as well; one that is all of its id is not: chance does not make a whole id again. A digest without anything before it is
 * a handle only as far as parts of it go, since keys look the same.
 */
function breaksHandle(text: string, spot: Spot, isKnown: boolean): boolean {
  const word = wordAround(text, spot);
  if (word === null) return false;
  let rest = text.slice(spot.start, spot.end);
  for (const found of text.slice(word.start, word.end).matchAll(HANDLE)) {
    const [handle, written] = found;
    const start = word.start + found.index;
    const end = start + handle.length;
    if (written !== undefined && !isKnown) rest = rest.replace(handle, "");
    if (spot.start < start || spot.end > end) continue;
    const id = handle.replace(NAME, "");
    const isWhole = spot.start <= end - id.length && spot.end === end;
    if (!isWhole || (written !== undefined && !isKnown)) return true;
  }
  return rest.length < spot.end - spot.start && !isRandom(rest);
}

/** The letters that stand together around a match; null where there are more than a handle has. */
function wordAround(text: string, { start, end }: Stretch): Stretch | null {
  let from = start;
  let to = end;
  while (from > 0 && isPart(text.charCodeAt(from - 1)) && to - from <= LONGEST) from -= 1;
  while (to < text.length && isPart(text.charCodeAt(to)) && to - from <= LONGEST) to += 1;
  return to - from > LONGEST ? null : { start: from, end: to };
}

function isPart(code: number): boolean {
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
const LONGEST = 160;

const NAME = /^(?:#|(?:blob|entry|session|sha1|sha256|sha512|md5)(?::|%3A)|(?:toolu|call|fc)_(?:bdrk_|vrtx_)?)/i;

/** As the model reads and writes them, also in addresses. */
const WRITTEN = [
  "#\\d{1,9}",
  "(?:blob|entry|sha1|sha256|sha512|md5)(?::|%3[Aa])[0-9a-f]{4,128}",
  "(?:(?:entry|session)(?::|%3[Aa]))?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
  "(?:toolu|call|fc)_(?:bdrk_|vrtx_)?[A-Za-z0-9]{16,64}",
].join("|");

/** Ids of entries, and digests in the lengths that they have. */
const BARE = "[0-9a-f]{20}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}";

const HANDLE = new RegExp(`(?<![\\w-])(?:(${WRITTEN})|(?:${BARE}))(?![\\w-])`, "g");
