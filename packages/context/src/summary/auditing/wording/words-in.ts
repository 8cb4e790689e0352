/** The words of a text one after the other, as they are compared in quotations; of scripts without spaces each letter. */

import { normal } from "./folded.ts";

export function wordsIn(text: string): readonly string[] {
  return normal(text).match(WORD) ?? [];
}

const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]|[[\p{L}\p{M}\p{N}_]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]]+/gv;
