/** Text that a terminal only shows: whatever could steer it, turn the reading order round or hide stands there as an escape. */

/** Line ends and tabs stay; so do the joiners that scripts and emoji are written with. */
export function plain(text: string): string {
  return text.replace(UNSEEN, (sign) => (sign === "\r\n" ? "\n" : escaped(sign.codePointAt(0) ?? 0)));
}

// Controls (C0, C1), formats (bidi, zero width, tags), half characters, line and paragraph separators, fillers without
// ink, and the block U+E0000. Of the formats, the Arabic number signs have ink.
const UNSEEN =
  /\r\n|[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]--[\n\t\u{200c}\u{200d}\u{600}-\u{605}\u{6dd}\u{70f}\u{8e2}]]/gv;

function escaped(point: number): string {
  const digits = point.toString(16);
  return point < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u{${digits}}`;
}
