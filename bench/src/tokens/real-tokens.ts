/** Counts tokens with o200k_base, with which every estimate is compared. */

import ranks from "gpt-tokenizer/bpeRanks/o200k_base";
import { countTokens, encode } from "gpt-tokenizer/encoding/o200k_base";

/** Special tokens such as `<|endoftext|>` are encoded as plain text. */
const PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

export function countRealTokens(text: string): number {
  return countTokens(text, PLAIN_TEXT);
}

/** Counts the tokens that begin in each UTF-16 unit. Those of a surrogate pair count in its first half. */
export function countTokenStarts(text: string): Uint8Array {
  const starts = new Uint8Array(text.length);
  const tokens = encode(text, PLAIN_TEXT);
  let next = 0;
  let nextAt = 0;
  let end = 0;
  for (let index = 0; index < text.length; index++) {
    end += byteLength(text.codePointAt(index) ?? 0);
    for (; next < tokens.length && nextAt < end; next++) {
      starts[index] = (starts[index] ?? 0) + 1;
      nextAt += tokenLength(tokens[next] ?? 0);
    }
  }
  return starts;
}

// The second half of a surrogate pair has no bytes.
function byteLength(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  if (codePoint >= 0xdc00 && codePoint < 0xe000) return 0;
  return codePoint < 0x10000 ? 3 : 4;
}

function tokenLength(token: number): number {
  const bytes = ranks[token];
  return typeof bytes === "string" ? Buffer.byteLength(bytes) : (bytes?.length ?? 1);
}
