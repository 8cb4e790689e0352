/** One value as one line: JSON without a sign that any reader takes for the end of a line, or that could steer a terminal. */

/** With its line end, which is the only one in it. */
export function lineOf(value: unknown): string {
  return `${JSON.stringify(value).replace(UNSEEN, escaped)}\n`;
}

// As in printing/plain.ts, whose own escapes are no JSON; here none of them can stand outside a string. U+2028 is among them.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gv;

function escaped(sign: string): string {
  const units = Array.from({ length: sign.length }, (_, at) => sign.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
