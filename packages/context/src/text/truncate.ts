/** Truncates texts and tool arguments to a token budget. The result has the head, the tail and the handle that opens the full text. */

import { isObject } from "../json.ts";
import type { ToolCallBlock } from "../message.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";

export interface TruncateOptions {
  /** The maximum, including the mark in the middle. */
  readonly tokens: number;
  /** The reference that opens the full text, e.g. `#412`. */
  readonly handle: string;
}

/** Leaves out the middle of a text that exceeds the budget. */
export function truncateMiddle(text: string, options: TruncateOptions): string {
  return truncateAt(text, options, HEAD_SHARE);
}

/** Leaves out the end of a text that exceeds the budget. */
export function truncateEnd(text: string, options: TruncateOptions): string {
  return truncateAt(text, options, 1);
}

function truncateAt(text: string, { tokens, handle }: TruncateOptions, headShare: number): string {
  const allTokens = text.length * 3 <= tokens ? 0 : textTokens(text);
  if (allTokens <= tokens) return text;
  const mark = `\n[… ${(allTokens - tokens).toLocaleString("en-US")} of about ${allTokens.toLocaleString("en-US")} tokens are left out here; ${handle} opens all of it …]\n`;
  const textBudget = Math.max(0, tokens - textTokens(mark));
  for (let chars = Math.floor((text.length / allTokens) * textBudget); ; chars = Math.floor(chars * 0.85)) {
    const result = `${takeHead(text, Math.ceil(chars * headShare))}${mark}${takeTail(text, Math.floor(chars * (1 - headShare)))}`;
    if (!(chars > 0) || fitsTokenBudget(result, tokens)) return result;
  }
}

/** The head says what the text is, the tail says how it ended; the head gets slightly more. */
const HEAD_SHARE = 0.6;

/** Whether a text has at most so many tokens. No text has more tokens than UTF-8 bytes, so very short ones are not counted. */
export function fitsTokenBudget(text: string, tokens: number): boolean {
  return text.length * 3 <= tokens || textTokens(text) <= tokens;
}

// Cuts at a line end if one is near, and never inside a surrogate pair.
function takeHead(text: string, chars: number): string {
  const cut = text.slice(0, chars);
  const lineEnd = cut.lastIndexOf("\n");
  return lineEnd > chars * 0.8 ? cut.slice(0, lineEnd) : cut.slice(0, cut.length - (endsInHighSurrogate(cut) ? 1 : 0));
}

function takeTail(text: string, chars: number): string {
  const cut = chars === 0 ? "" : text.slice(-chars);
  const lineEnd = cut.indexOf("\n");
  return lineEnd !== -1 && lineEnd < chars * 0.2
    ? cut.slice(lineEnd + 1)
    : cut.slice(startsWithLowSurrogate(cut) ? 1 : 0);
}

const endsInHighSurrogate = (text: string): boolean => /[\ud800-\udbff]$/.test(text);
const startsWithLowSurrogate = (text: string): boolean => /^[\udc00-\udfff]/.test(text);

/** Truncates the arguments of a tool call. The size is known only after they are written as JSON, so the budget shrinks until it fits. */
export function truncateArguments(
  args: ToolCallBlock["arguments"],
  { tokens, handle }: TruncateOptions,
): ToolCallBlock["arguments"] {
  let budget = tokens;
  while (budget >= 1) {
    const result = truncateValue(args, { tokens: Math.floor(budget), handle });
    if (!isObject(result)) break;
    const size = textTokens(JSON.stringify(result));
    if (size <= tokens) return result;
    budget *= Math.min(0.9, tokens / size);
  }
  return { [OMISSION_KEY]: OMISSION_MARK };
}

function truncateValue(value: unknown, options: TruncateOptions): unknown {
  if (typeof value === "string") return truncateText(value, options);
  if (typeof value !== "object" || value === null || valueTokens(value) <= options.tokens) return value;
  return options.tokens < MIN_MEMBER_TOKENS ? OMISSION_MARK : truncateMembers(value, options);
}

// Keeps the first members with an even share for each; a note takes the place of the others.
function truncateMembers(value: object, { tokens, handle }: TruncateOptions): unknown {
  const names = Object.keys(value);
  const shownNames = names
    .slice(0, Math.floor(tokens / MIN_MEMBER_TOKENS))
    .filter((name) => textTokens(name) <= MAX_MEMBER_NAME_TOKENS);
  const members = shownNames.map((name) => ({ name, each: (value as Readonly<Record<string, unknown>>)[name] }));
  const omittedCount = names.length - shownNames.length;
  const memberTokens = evenShare(
    members.map(({ name, each }) => nameTokens(name) + valueTokens(each)),
    tokens - (omittedCount > 0 ? OMISSION_NOTE_TOKENS : 0),
  );
  const truncatedMembers = members.map(
    ({ name, each }) =>
      [name, truncateValue(each, { handle, tokens: Math.max(0, memberTokens - nameTokens(name)) })] as const,
  );
  const note = `${omittedCount.toLocaleString("en-US")} more are left out here; ${handle} opens all of it`;
  const membersWithNote = omittedCount > 0 ? [...truncatedMembers, [OMISSION_KEY, note] as const] : truncatedMembers;
  return Array.isArray(value) ? membersWithNote.map(([, each]) => each) : Object.fromEntries(membersWithNote);
}

/** Truncates a text, or replaces it with a mark if the budget has no room for head, tail and handle. */
export function truncateText(text: string, options: TruncateOptions): string {
  if (options.tokens >= MIN_TRUNCATION_TOKENS) return truncateMiddle(text, options);
  return textTokens(text) <= options.tokens ? text : OMISSION_MARK;
}

/** The approximate tokens of a value as JSON. Cached, because arguments never change. */
function valueTokens(value: unknown): number {
  if (typeof value !== "object" || value === null) return textTokens(JSON.stringify(value) ?? "");
  const cached = valueTokenCache.get(value);
  if (cached !== undefined) return cached;
  const size = 1 + sumNumbers(Object.entries(value).map(([name, each]) => nameTokens(name) + valueTokens(each)));
  valueTokenCache.set(value, size);
  return size;
}

const valueTokenCache = new WeakMap<object, number>();

const nameTokens = (name: string): number => textTokens(name) + 1;

/** The largest share for each size so that all fit the budget: what small ones do not need goes to the others. */
export function evenShare(sizes: readonly number[], budget: number): number {
  let [remaining, others] = [budget, sizes.length];
  for (const size of sizes.toSorted((one, other) => one - other)) {
    if (size * others > remaining) return Math.max(0, Math.floor(remaining / others));
    remaining -= size;
    others--;
  }
  return budget;
}

const sumNumbers = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** The smallest budget with room for head, tail and handle. */
export const MIN_TRUNCATION_TOKENS = 60;
/** Stands for an omitted value, and the key for omitted members. */
const OMISSION_MARK = "[…]";
const OMISSION_KEY = "…";
/** The smallest budget of a member of an object or list, the largest of its name, and the tokens of the note about omitted members. */
const MIN_MEMBER_TOKENS = 20;
const MAX_MEMBER_NAME_TOKENS = 15;
const OMISSION_NOTE_TOKENS = 30;

/** Returns the beginning and the end of a very long text, cut at line ends where possible. */
export function headAndTail(text: string): readonly string[] {
  if (text.length <= 2 * HEAD_AND_TAIL_CHARS) return [text];
  const head = text.slice(0, HEAD_AND_TAIL_CHARS);
  const tail = text.slice(-HEAD_AND_TAIL_CHARS);
  return [head.slice(0, head.lastIndexOf("\n") + 1 || HEAD_AND_TAIL_CHARS), tail.slice(tail.indexOf("\n") + 1)];
}

const HEAD_AND_TAIL_CHARS = 20_000;
