/** What a search is asked for: what to look for, and how many of it. */

import { type Argument, type Asked, right, wholeNumberOf, wrong } from "../arguments.ts";

export function lineOf(asked: Asked, name: string): Argument<string> {
  const value = asked[name];
  if (typeof value !== "string" || value === "") return wrong(`${name} is missing`);
  return /[\n\0]/.test(value)
    ? wrong(`${name} must be one line: it is held against one line or name at a time`)
    : right(value);
}

export interface Count {
  readonly unlessSaid: number;
  readonly from: 0 | 1;
  readonly most: number;
}

export function countOf(asked: Asked, name: string, { unlessSaid, from, most }: Count): Argument<number> {
  const count = wholeNumberOf(asked, name, from);
  return count.type === "wrong" ? count : right(Math.min(count.value ?? unlessSaid, most));
}
