/** The words of a text one after the other, as they are compared in quotations; of scripts without spaces each letter. */

import { normal } from "./folded.ts";
import { APART, JOINED } from "./joined-scripts.ts";

export function wordsIn(text: string): readonly string[] {
  return normal(text).match(WORD) ?? [];
}

const WORD = new RegExp(`[${JOINED}]|[${APART}]+`, "gv");
