/** Foreign text as it may stand among ours: whatever it says, it ends no block, begins no line and forges no tag. */

import { plainText } from "../../../session/plain-text.ts";
import { LETTERS } from "../ledger.ts";

// LED4: on one line nothing can begin a line of ours, and without its first letter no tag is a tag.
export function quoted(text: string, letters: number): string {
  return plainText(text, letters).replaceAll("<", "&lt;");
}

/** Nothing of a path is left out: what cannot be shown is written as its number. */
export function quotedPath(path: string): string {
  return path.slice(0, LETTERS.path).replace(UNSHOWABLE, (letter) => NAMED[letter] ?? numbered(letter));
}

/** A tag, a heading, a line end, and whatever cannot be seen. */
const UNSHOWABLE = /[<>]|^#|[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;
const NAMED: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "\n": "\\n", "\t": "\\t" };

function numbered(letter: string): string {
  return `\\u{${letter.codePointAt(0)?.toString(16)}}`;
}
