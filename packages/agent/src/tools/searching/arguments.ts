/** What a model asks of a search, made sure of: models send numbers and flags as text, and leave empty what they do not need. */

import type { Argument, Asked } from "../files/arguments.ts";

/** All of them, or what is wrong with the first that is. */
export function all<Values>(given: { readonly [Name in keyof Values]: Argument<Values[Name]> }): Argument<Values> {
  const each = Object.entries<Argument<unknown>>(given);
  for (const [, argument] of each) if (argument.type === "wrong") return argument;
  const values = each.map(([name, argument]) => [name, argument.type === "right" ? argument.value : undefined]);
  return { type: "right", value: Object.fromEntries(values) as Values };
}

export function textOf(asked: Asked, name: string): Argument<string> {
  const value = asked[name];
  if (typeof value !== "string" || value === "") return wrong(`${name} is missing`);
  return /[\n\0]/.test(value)
    ? wrong(`${name} must be one line: it is held against one line or name at a time`)
    : right(value);
}

/** Where to look; the workspace itself unless said. */
export function placeOf({ path }: Asked): string {
  return typeof path === "string" && path.trim() !== "" ? path : ".";
}

export function flagOf(asked: Asked, name: string): Argument<boolean> {
  const value = asked[name];
  if (!isGiven(value) || value === false || value === "false") return right(false);
  return value === true || value === "true" ? right(true) : wrong(`${name} must be true or false, not ${shown(value)}`);
}

export interface Count {
  readonly unlessSaid: number;
  readonly least: number;
  readonly most: number;
}

/** A whole number, moved within its bounds. */
export function countOf(asked: Asked, name: string, { unlessSaid, least, most }: Count): Argument<number> {
  const value = asked[name];
  if (!isGiven(value)) return right(unlessSaid);
  const count = typeof value === "string" ? Number(value) : value;
  if (typeof count === "number" && Number.isInteger(count)) return right(Math.max(least, Math.min(count, most)));
  return wrong(`${name} must be a whole number, not ${shown(value)}`);
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

function right<Value>(value: Value): Argument<Value> {
  return { type: "right", value };
}

function wrong(message: string): { readonly type: "wrong"; readonly message: string } {
  return { type: "wrong", message };
}
