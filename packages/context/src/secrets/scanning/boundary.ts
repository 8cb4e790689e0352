/** Whether something new begins at a place of a text: behind a letter it is the middle of a word, but not behind an escape that ends in one. */

export function beginsAt(text: string, at: number): boolean {
  if (at === 0) return true;
  if (!isWordSign(text.charCodeAt(at - 1))) return true;
  return ESCAPED.test(text.slice(Math.max(0, at - LONGEST_ESCAPE), at));
}

/** Of JSON, of addresses, and of colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape begins with one.
const ESCAPED = /\\[nrtbf]$|%[0-9A-Fa-f]{2}$|\\u[0-9A-Fa-f]{4}$|(?:\x1b|\\x1b|\\u001b|\\033|\\e)\[[\d;]*[A-Za-z]$/;
const LONGEST_ESCAPE = 24;

function isWordSign(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x5f ||
    code === 0x2d
  );
}
