/** Text of unknown origin with what a terminal would obey, or nobody would see, spelled out. */

/** As one line. Tabs stay, and the joiners that scripts and emoji are written with. */
export function visible(text: string): string {
  return text.replace(UNSEEN, spelledOut);
}

/** For whoever decides by it: nothing stays that could pass for something else. */
export function whollyVisible(text: string): string {
  return text.replace(UNSEEN_OR_ODD, spelledOut);
}

// Controls, formats (marks that turn the direction of writing, zero widths, tags), other line ends, halves of characters.
const UNSEEN = /[^\P{Cc}\t]|[^\P{Cf}\u200C\u200D]|[\p{Zl}\p{Zp}\p{Cs}]/gu;
// And what only a font knows, what changes the sign before it, and letters without ink.
const UNSEEN_OR_ODD = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u115f\u1160\u3164\uffa0\u2800]/gu;
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function spelledOut(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return SHORT[sign] ?? (code <= 0xff ? `\\x${digits.padStart(2, "0")}` : `\\u{${digits}}`);
}
