/** The arguments of a call made short: the first members of every object and list, head and tail of long texts. */

import type { ToolCallBlock } from "../message.ts";
import { textTokens } from "../reading/tokens/text-tokens.ts";
import { isObject } from "../session/codec/line/read-line.ts";
import { type Shortening, shortened } from "./shortened.ts";

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
