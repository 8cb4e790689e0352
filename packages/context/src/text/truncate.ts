/** Truncates texts and tool arguments to a token budget: head, tail and the handle that opens the whole. */

import { isObject } from "../format/read-line.ts";
import type { ToolCallBlock } from "../message.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";

export interface Shortening {
  /** How many may be left, the mark in the middle included. */
  readonly tokens: number;
  /** What opens the whole, e.g. `#412`. */
  readonly handle: string;
}

/** The text itself where it is short enough. */
export function shortened(text: string, { tokens, handle }: Shortening): string {
  if (isShort(text, tokens)) return text;
  const all = textTokens(text);
  const mark = `\n[… ${(all - tokens).toLocaleString("en-US")} of about ${all.toLocaleString("en-US")} tokens are left out here; ${handle} opens all of it …]\n`;
  const room = Math.max(0, tokens - textTokens(mark));
  for (let letters = Math.floor((text.length / all) * room); ; letters = Math.floor(letters * 0.85)) {
    const short = `${headOf(text, Math.ceil(letters * HEAD))}${mark}${tailOf(text, Math.floor(letters * (1 - HEAD)))}`;
    if (!(letters > 0) || isShort(short, tokens)) return short;
  }
}

/** What comes first says what it is; what comes last says how it ended. */
const HEAD = 0.6;

// No text has more tokens than UTF-8 bytes: a very short one need not be counted.
function isShort(text: string, tokens: number): boolean {
  return text.length * 3 <= tokens || textTokens(text) <= tokens;
}

// At a line end where one is near; never in the middle of a surrogate pair.
function headOf(text: string, letters: number): string {
  const cut = text.slice(0, letters);
  const line = cut.lastIndexOf("\n");
  return line > letters * 0.8 ? cut.slice(0, line) : cut.slice(0, cut.length - (endsInHalf(cut) ? 1 : 0));
}

function tailOf(text: string, letters: number): string {
  const cut = letters === 0 ? "" : text.slice(-letters);
  const line = cut.indexOf("\n");
  return line !== -1 && line < letters * 0.2 ? cut.slice(line + 1) : cut.slice(beginsInHalf(cut) ? 1 : 0);
}

const endsInHalf = (text: string): boolean => /[\ud800-\udbff]$/.test(text);
const beginsInHalf = (text: string): boolean => /^[\udc00-\udfff]/.test(text);

/** How much text comes of a share is known only when it is written as JSON; where it is too much, the share was too big. */
export function shortArguments(
  whole: ToolCallBlock["arguments"],
  { tokens, handle }: Shortening,
): ToolCallBlock["arguments"] {
  let room = tokens;
  while (room >= 1) {
    const short = shortValue(whole, { tokens: Math.floor(room), handle });
    if (!isObject(short)) break;
    const size = textTokens(JSON.stringify(short));
    if (size <= tokens) return short;
    room *= Math.min(0.9, tokens / size);
  }
  return { [MORE]: MARK };
}

function shortValue(value: unknown, how: Shortening): unknown {
  if (typeof value === "string") return shortText(value, how);
  if (typeof value !== "object" || value === null || valueTokens(value) <= how.tokens) return value;
  return how.tokens < MEMBER ? MARK : shortMembers(value, how);
}

// The first of them, with an even share for each; how many are left out is said in the place of the rest.
function shortMembers(value: object, { tokens, handle }: Shortening): unknown {
  const names = Object.keys(value);
  const shown = names.slice(0, Math.floor(tokens / MEMBER)).filter((name) => textTokens(name) <= LONGEST_NAME);
  const members = shown.map((name) => ({ name, each: (value as Readonly<Record<string, unknown>>)[name] }));
  const left = names.length - shown.length;
  const most = evenShare(
    members.map(({ name, each }) => nameTokens(name) + valueTokens(each)),
    tokens - (left > 0 ? NOTE : 0),
  );
  const short = members.map(
    ({ name, each }) => [name, shortValue(each, { handle, tokens: Math.max(0, most - nameTokens(name)) })] as const,
  );
  const note = `${left.toLocaleString("en-US")} more are left out here; ${handle} opens all of it`;
  const noted = left > 0 ? [...short, [MORE, note] as const] : short;
  return Array.isArray(value) ? noted.map(([, each]) => each) : Object.fromEntries(noted);
}

export function shortText(text: string, how: Shortening): string {
  if (how.tokens >= LEAST) return shortened(text, how);
  return textTokens(text) <= how.tokens ? text : MARK;
}

/** Of a value as JSON, about; looked at once, because what was said never changes. */
function valueTokens(value: unknown): number {
  if (typeof value !== "object" || value === null) return textTokens(JSON.stringify(value) ?? "");
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = 1 + total(Object.entries(value).map(([name, each]) => nameTokens(name) + valueTokens(each)));
  sizes.set(value, size);
  return size;
}

const sizes = new WeakMap<object, number>();

const nameTokens = (name: string): number => textTokens(name) + 1;

/** The most that each may have so that all have room: small ones stay whole, and leave what they do not need to the others. */
export function evenShare(sizes: readonly number[], room: number): number {
  let [left, others] = [room, sizes.length];
  for (const size of sizes.toSorted((one, other) => one - other)) {
    if (size * others > left) return Math.max(0, Math.floor(left / others));
    left -= size;
    others--;
  }
  return room;
}

const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** Tokens below which there is no room for head, tail and handle. */
export const LEAST = 60;
/** What is left where there is none, and the name it has among others. */
const MARK = "[…]";
const MORE = "…";
/** Tokens of a member of an object or a list that is worth showing, of its name at most, and of the note about the others. */
const MEMBER = 20;
const LONGEST_NAME = 15;
const NOTE = 30;

/** The beginning and the end of a text that is too long to look at whole; whole lines where there are any. */
export function edges(text: string): readonly string[] {
  if (text.length <= 2 * LETTERS) return [text];
  const head = text.slice(0, LETTERS);
  const tail = text.slice(-LETTERS);
  return [head.slice(0, head.lastIndexOf("\n") + 1 || LETTERS), tail.slice(tail.indexOf("\n") + 1)];
}

const LETTERS = 20_000;
