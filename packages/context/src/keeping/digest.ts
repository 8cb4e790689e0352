/** A long text in few words of its own: how it begins, how it ends, and what tells most between, in the order of the text. */

import { textTokens } from "../reading/tokens/text-tokens.ts";
import type { Shortening } from "./shortened.ts";
import { type Choice, type Choices, choicesIn } from "./telling/choices.ts";
import type { Unit } from "./telling/units.ts";

/** The text itself where it is short enough; else what is left out is marked, and one mark names what opens it all. */
export function digest(text: string, { tokens, handle }: Shortening): string {
  if (isShort(text, tokens)) return text;
  const choices = choicesIn(text, tokens);
  for (let room = tokens * ROOM.first; room >= 1; room *= ROOM.next) {
    const short = written(text, chosen(choices, room), handle);
    if (isShort(short, tokens)) return short;
  }
  return mark("", handle);
}

// What marks will need is known only when they are written: more is tried than can fit, then less and less.
const ROOM = { first: 1.1, next: 0.95 };
/** Of the room: what the beginning has, and what the end has. */
const EDGE = 0.1;
/** What tells little finds no place once this share of the room is all that is left. */
const LITTLE = 0.2;
const EMPTY = 0.5;
/** Tokens of the mark beside a unit, more or less. */
const MARK = 3;

// No text has more tokens than UTF-8 bytes: a very short one need not be counted.
function isShort(text: string, tokens: number): boolean {
  return text.length * 3 <= tokens || textTokens(text) <= tokens;
}

function chosen({ head, tail, best }: Choices, room: number): readonly Unit[] {
  const kept = new Map<number, Choice>();
  let left = room;
  const keep = (choices: readonly Choice[], share: number): void => {
    const least = left - share;
    for (const choice of choices) {
      if (left - choice.tokens - MARK < least) break;
      if (kept.has(choice.from)) continue;
      kept.set(choice.from, choice);
      left -= choice.tokens + MARK;
    }
  };
  keep(head, room * EDGE);
  keep(tail, room * EDGE);
  keep(
    best.filter(({ tells }) => tells >= LITTLE),
    left,
  );
  keep(
    best.filter(({ tells }) => tells < LITTLE),
    left - room * EMPTY,
  );
  return [...kept.values()].sort((one, other) => one.from - other.from);
}

function written(text: string, kept: readonly Unit[], handle: string): string {
  const parts: string[] = [];
  let [at, toOpen] = [0, handle];
  for (const { from, to } of [...kept, { from: text.length, to: text.length }]) {
    const gap = text.slice(at, from);
    const isKept = gap.length <= SHORTEST_GAP || !/\S/.test(gap);
    parts.push(isKept ? narrow(gap) : markFor(gap, toOpen), text.slice(from, to));
    if (!isKept) toOpen = "";
    at = to;
  }
  return parts.join("").trim();
}

/** Letters for which a mark would be as long. */
const SHORTEST_GAP = 12;

function narrow(gap: string): string {
  if (/\S/.test(gap) || gap.length <= 2) return gap;
  return gap.includes("\n") ? "\n\n" : " ";
}

function markFor(gap: string, handle: string): string {
  if (!gap.includes("\n")) return ` ${mark("", handle)} `;
  const lines = lineEnds(gap) - 1;
  return `\n${mark(lines < COUNTED ? "" : `${lines.toLocaleString("en-US")} lines`, handle)}\n`;
}

/** Lines that are worth counting; fewer may be anything. */
const COUNTED = 10;

/** The first names what opens the whole. */
function mark(what: string, handle: string): string {
  const said = [what, handle && `${handle} opens all of it`].filter((part) => part !== "");
  return said.length === 0 ? "[…]" : `[… ${said.join("; ")} …]`;
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
