/** Text of unknown origin as one harmless line: what a terminal would obey, or nobody would see, is spelled out. */

/** Control characters but tabs, marks that turn the direction of writing, tags, other line ends, halves of characters. */
const UNSEEN = /[^\P{Cc}\t]|[^\P{Cf}\u200C\u200D]|[\p{Zl}\p{Zp}\p{Cs}]/gu;

export function visible(text: string): string {
  return text.replace(UNSEEN, spelledOut);
}

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r" };

function spelledOut(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code <= 0xff) return SHORT[character] ?? `\\x${digits.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, "0")}` : `\\u{${digits}}`;
}
