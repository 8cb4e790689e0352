/** Parses JSON that is cut off or printed by Python. Runs in linear time, never throws and limits its depth. */

/** Numbers and words without quotes are strings too: `400`, `null`, `None`. */
export type LooseValue = string | readonly LooseValue[] | ReadonlyMap<string, LooseValue>;

/** What may still be read of a body. It is shared, so that many small values cost no more than a large one. */
export interface ReadBudget {
  values: number;
  characters: number;
}

interface Cursor {
  readonly text: string;
  readonly budget: ReadBudget;
  position: number;
}

const MAX_DEPTH = 32;
/** In both cases, since a body may be in capitals. */
const escapes: ReadonlyMap<string, string> = new Map([
  ...["n", "N"].map((letter) => [letter, "\n"] as const),
  ...["r", "R"].map((letter) => [letter, "\r"] as const),
  ...["t", "T"].map((letter) => [letter, "\t"] as const),
]);

/** The most that is read of one body, nested values included. */
export function createReadBudget(): ReadBudget {
  return { values: 1_000, characters: 131_072 };
}

/** Parses the value at `start` and returns where it ends. */
export function parseLooseJson(
  text: string,
  start: number,
  budget: ReadBudget = createReadBudget(),
): { readonly value: LooseValue; readonly end: number } {
  const cursor: Cursor = { text: text.slice(0, start + budget.characters), budget, position: start };
  const value = readValue(cursor, 0);
  const end = Math.min(cursor.position, text.length);
  budget.characters -= end - start;
  return { value, end };
}

function readValue(cursor: Cursor, depth: number): LooseValue {
  if (cursor.budget.values-- <= 0) return skipRest(cursor);
  skipCharacters(cursor, " \n\r\t");
  const next = cursor.text[cursor.position];
  if (next === '"' || next === "'" || next === "`") return readString(cursor, next);
  if (next === "{" && depth < MAX_DEPTH) return readObject(cursor, depth);
  if (next === "[" && depth < MAX_DEPTH) return readArray(cursor, depth);
  return readBare(cursor);
}

function skipRest(cursor: Cursor): string {
  cursor.position = cursor.text.length;
  return "";
}

function readObject(cursor: Cursor, depth: number): LooseValue {
  const fields = new Map<string, LooseValue>();
  cursor.position++;
  while (hasNextItem(cursor, "}")) {
    const key = readValue(cursor, MAX_DEPTH);
    skipCharacters(cursor, " \n\r\t");
    if (cursor.text[cursor.position] !== ":") continue;
    cursor.position++;
    const value = readValue(cursor, depth + 1);
    if (typeof key === "string") fields.set(key, value);
  }
  return fields;
}

function readArray(cursor: Cursor, depth: number): LooseValue {
  const values: LooseValue[] = [];
  cursor.position++;
  while (hasNextItem(cursor, "]")) values.push(readValue(cursor, depth + 1));
  return values;
}

/** Skips commas. False at the closing bracket, which it skips too, and at the end of the text. */
function hasNextItem(cursor: Cursor, closing: string): boolean {
  skipCharacters(cursor, " \n\r\t,");
  if (cursor.position >= cursor.text.length) return false;
  if (cursor.text[cursor.position] !== closing) return true;
  cursor.position++;
  return false;
}

function readString(cursor: Cursor, quote: string): string {
  const { text } = cursor;
  let value = "";
  let segmentStart = ++cursor.position;
  for (; cursor.position < text.length; cursor.position++) {
    const next = text[cursor.position];
    if (next === quote) return value + text.slice(segmentStart, cursor.position++);
    if (next !== "\\") continue;
    if (segmentStart < cursor.position) value += text.slice(segmentStart, cursor.position);
    value += readEscape(cursor);
    segmentStart = cursor.position + 1;
  }
  return value + text.slice(segmentStart);
}

/** Leaves the cursor on the last character of the escape. */
function readEscape(cursor: Cursor): string {
  const next = cursor.text[++cursor.position] ?? "";
  if (next !== "u" && next !== "U") return escapes.get(next) ?? next;
  const code = Number.parseInt(cursor.text.slice(cursor.position + 1, cursor.position + 5), 16);
  if (Number.isNaN(code)) return next;
  cursor.position += 4;
  return String.fromCharCode(code);
}

/** Reads at least one character, so that parsing always advances. */
function readBare(cursor: Cursor): string {
  const start = cursor.position++;
  while (cursor.position < cursor.text.length && !",:]}\n".includes(cursor.text[cursor.position] ?? ""))
    cursor.position++;
  return cursor.text.slice(start, cursor.position).trim();
}

function skipCharacters(cursor: Cursor, characters: string): void {
  while (cursor.position < cursor.text.length && characters.includes(cursor.text[cursor.position] ?? ""))
    cursor.position++;
}
