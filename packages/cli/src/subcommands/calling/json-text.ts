/** One JSON value as a text that a terminal only shows: whatever could steer it is escaped, and it is the same JSON. */

export function jsonText(value: unknown): string {
  return JSON.stringify(value ?? null, null, 2).replace(UNSEEN, escaped);
}

// As in printing/plain.ts, whose own escapes are no JSON.
const UNSEEN = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]--[\n]]/gv;

function escaped(sign: string): string {
  const units = Array.from({ length: sign.length }, (_, at) => sign.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
