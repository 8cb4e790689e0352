/** A few lines of many: the first or the last, and how many are left out. */

export interface Excerpt {
  readonly lines: readonly string[];
  readonly left: number;
}

export function firstLines(text: string, count: number): Excerpt {
  const lines = linesIn(text);
  return { lines: lines.slice(0, count), left: Math.max(0, lines.length - count) };
}

export function lastLines(text: string, count: number): Excerpt {
  const lines = linesIn(text);
  return { lines: count === 0 ? [] : lines.slice(-count), left: Math.max(0, lines.length - count) };
}

/** Without blank ones at its ends. */
export function linesIn(text: string): readonly string[] {
  const whole = text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
  return whole === "" ? [] : whole.split("\n");
}
