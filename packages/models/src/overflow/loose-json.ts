/** Parses JSON that is cut off or printed by Python. Runs in linear time, never throws and limits its depth. */

/** Numbers and words without quotes are strings too: `400`, `null`, `None`. */
export type LooseValue = string | readonly LooseValue[] | ReadonlyMap<string, LooseValue>;

/** What may still be read of a body, all in all: many small values must not cost more than a large one. */
export interface Allowance {
  values: number;
  characters: number;
}

interface Cursor {
  readonly text: string;
  readonly allowance: Allowance;
  at: number;
}

const DEEPEST = 32;
/** In both cases: a body that somebody wrote in capitals means the same. */
const escapes: ReadonlyMap<string, string> = new Map([
  ...["n", "N"].map((letter) => [letter, "\n"] as const),
  ...["r", "R"].map((letter) => [letter, "\r"] as const),
  ...["t", "T"].map((letter) => [letter, "\t"] as const),
]);

/** The most that is read of one body, values inside values included. */
export function wholeAllowance(): Allowance {
  return { values: 1_000, characters: 131_072 };
}

/** The value that begins at `from`, and where it ends. */
export function looseValue(
  text: string,
  from: number,
  allowance: Allowance = wholeAllowance(),
): { readonly value: LooseValue; readonly end: number } {
  const cursor: Cursor = { text: text.slice(0, from + allowance.characters), allowance, at: from };
  const value = read(cursor, 0);
  const end = Math.min(cursor.at, text.length);
  allowance.characters -= end - from;
  return { value, end };
}

function read(cursor: Cursor, depth: number): LooseValue {
  if (cursor.allowance.values-- <= 0) return readRest(cursor);
  skip(cursor, " \n\r\t");
  const next = cursor.text[cursor.at];
  if (next === '"' || next === "'" || next === "`") return readString(cursor, next);
  if (next === "{" && depth < DEEPEST) return readObject(cursor, depth);
  if (next === "[" && depth < DEEPEST) return readArray(cursor, depth);
  return readBare(cursor);
}

function readRest(cursor: Cursor): string {
  cursor.at = cursor.text.length;
  return "";
}

function readObject(cursor: Cursor, depth: number): LooseValue {
  const fields = new Map<string, LooseValue>();
  cursor.at++;
  while (goesOn(cursor, "}")) {
    const key = read(cursor, DEEPEST);
    skip(cursor, " \n\r\t");
    if (cursor.text[cursor.at] !== ":") continue;
    cursor.at++;
    const value = read(cursor, depth + 1);
    if (typeof key === "string") fields.set(key, value);
  }
  return fields;
}

function readArray(cursor: Cursor, depth: number): LooseValue {
  const values: LooseValue[] = [];
  cursor.at++;
  while (goesOn(cursor, "]")) values.push(read(cursor, depth + 1));
  return values;
}

/** Past commas; false at the closing bracket, which it steps over, and at the end of the text. */
function goesOn(cursor: Cursor, closing: string): boolean {
  skip(cursor, " \n\r\t,");
  if (cursor.at >= cursor.text.length) return false;
  if (cursor.text[cursor.at] !== closing) return true;
  cursor.at++;
  return false;
}

function readString(cursor: Cursor, quote: string): string {
  const { text } = cursor;
  let value = "";
  let from = ++cursor.at;
  for (; cursor.at < text.length; cursor.at++) {
    const next = text[cursor.at];
    if (next === quote) return value + text.slice(from, cursor.at++);
    if (next !== "\\") continue;
    if (from < cursor.at) value += text.slice(from, cursor.at);
    value += readEscape(cursor);
    from = cursor.at + 1;
  }
  return value + text.slice(from);
}

/** Leaves the cursor on the last character of the escape. */
function readEscape(cursor: Cursor): string {
  const next = cursor.text[++cursor.at] ?? "";
  if (next !== "u" && next !== "U") return escapes.get(next) ?? next;
  const code = Number.parseInt(cursor.text.slice(cursor.at + 1, cursor.at + 5), 16);
  if (Number.isNaN(code)) return next;
  cursor.at += 4;
  return String.fromCharCode(code);
}

/** At least one character, so that nothing is read twice. */
function readBare(cursor: Cursor): string {
  const start = cursor.at++;
  while (cursor.at < cursor.text.length && !",:]}\n".includes(cursor.text[cursor.at] ?? "")) cursor.at++;
  return cursor.text.slice(start, cursor.at).trim();
}

function skip(cursor: Cursor, characters: string): void {
  while (cursor.at < cursor.text.length && characters.includes(cursor.text[cursor.at] ?? "")) cursor.at++;
}
