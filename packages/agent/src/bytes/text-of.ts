/** Bytes as the text they are, without a byte order mark; null where they are no text. */

export function textOf(bytes: Uint8Array): string | null {
  const wide = wideEncoding(bytes);
  if (wide !== null) return new TextDecoder(wide).decode(bytes);
  return isPlainText(bytes.subarray(0, HEAD)) ? new TextDecoder().decode(bytes) : null;
}

/** Whether something with this head is text of single bytes and UTF-8, which can be cut anywhere between lines. */
export function isPlainText(head: Uint8Array): boolean {
  return wideEncoding(head) === null && !head.includes(0) && isMostlyText(head);
}

/** As git and others do it: what is no text shows it early. */
export const HEAD = 8_192;

/** By the mark at the beginning. */
export function wideEncoding([first, second]: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}

/** Text in an old encoding has a stray byte here and there; other files have them everywhere. */
function isMostlyText(head: Uint8Array): boolean {
  const sample = new TextDecoder().decode(head);
  const strange = sample.match(STRANGE)?.length ?? 0;
  return strange <= sample.length * MOST_STRANGE;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const STRANGE = /[\ufffd\x01-\x07\x0e-\x1a\x1c-\x1f]/g;
const MOST_STRANGE = 0.1;
