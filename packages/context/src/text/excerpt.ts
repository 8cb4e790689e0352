/** Shortens a long text to its beginning, its end and its most informative parts, in the order of the text. */

import { textTokens } from "../tokens/estimate-tokens.ts";
import { ranked, type Unit, unitsOf, wholeLetters } from "./score-units.ts";
import type { Shortening } from "./truncate.ts";

export interface Choice extends Worthy {
  readonly tokens: number;
}

interface Worthy extends Unit {
  readonly tells: number;
  /** What it tells, for its length. */
  readonly worth: number;
}

export interface Choices {
  /** From the beginning on. */
  readonly head: readonly Choice[];
  /** From the end back. */
  readonly tail: readonly Choice[];
  /** From the most telling down, for their length. */
  readonly best: readonly Choice[];
}

export const TELLING = {
  /** What tells less has been said: it is not kept for its own sake. */
  least: 0.05,
  /** How much more a long unit must tell: nothing more for 0, twice as much for twice the length with 1. */
  length: 0.3,
  /** Letters below which a unit is as good as no shorter. */
  shortest: 24,
  /** Letters that are ranked against each other: what is rare in its neighbourhood tells something there. */
  stretch: 250_000,
} as const;

/** Of each no more than fills the room. Time is linear in the length of the text. */
export function choicesIn(text: string, tokens: number): Choices {
  let [head, tail]: readonly (readonly Choice[])[] = [];
  const best: Choice[] = [];
  for (const stretch of stretchesOf(text)) {
    const units = rankedUnits(text, stretch);
    if (units.length === 0) continue;
    head ??= filling(text, units, tokens);
    tail = filling(text, units.toReversed(), tokens);
    const telling = units.filter(({ tells }) => tells >= TELLING.least).sort(byWorth);
    for (const choice of filling(text, telling, tokens)) best.push(choice);
  }
  return { head: head ?? [], tail: tail ?? [], best: best.sort(byWorth) };
}

const byWorth = (one: Worthy, other: Worthy): number => other.worth - one.worth;

/** Whole lines where there are any. */
function* stretchesOf(text: string): Generator<Unit> {
  for (let from = 0; from < text.length; ) {
    const least = Math.min(text.length, from + TELLING.stretch);
    const line = text.slice(least, least + TELLING.stretch).search(/[\r\n]|$/);
    const to = wholeLetters(text, least + line);
    yield { from, to };
    from = to;
  }
}

function rankedUnits(text: string, stretch: Unit): readonly Worthy[] {
  const units = unitsOf(text, stretch);
  const told = ranked(units.map(({ from, to }) => text.slice(from, to)));
  return units.map(({ from, to }, at) => {
    const tells = told[at]?.tells ?? 0;
    return { from, to, tells, worth: tells / Math.max(to - from, TELLING.shortest) ** TELLING.length };
  });
}

function filling(text: string, units: readonly Worthy[], tokens: number): readonly Choice[] {
  const choices: Choice[] = [];
  let room = tokens;
  for (const unit of units) {
    if (room < 0) break;
    const size = textTokens(text.slice(unit.from, unit.to));
    choices.push({ ...unit, tokens: size });
    room -= size;
  }
  return choices;
}

export const DIGEST = {
  /** Of the room: what the beginning has, and what the end has. */
  edge: 0.1,
  /** What the very first and the very last unit may have. */
  end: 0.3,
  /** What tells less than this has this share of the room at most, even where more is left. */
  little: 0.2,
  roomForLittle: 0.5,
  /** Tokens of the mark beside a unit, more or less. */
  mark: 3,
  /** What marks need is known only when they are written: more is tried than can fit, then less and less. */
  firstTry: 1.1,
  nextTry: 0.95,
} as const;

/** The text itself where it is short enough; else what is left out is marked, and one mark names what opens it all. */
export function digest(text: string, { tokens, handle }: Shortening): string {
  if (isShort(text, tokens)) return text;
  const choices = choicesIn(text, tokens);
  for (let room = tokens * DIGEST.firstTry; room >= 1; room *= DIGEST.nextTry) {
    const short = written(text, chosen(choices, room), handle);
    if (isShort(short, tokens)) return short;
  }
  return mark("", handle);
}

// No text has more tokens than UTF-8 bytes: a very short one need not be counted.
function isShort(text: string, tokens: number): boolean {
  return text.length * 3 <= tokens || textTokens(text) <= tokens;
}

function chosen({ head, tail, best }: Choices, room: number): readonly Unit[] {
  const telling = best.filter(({ tells }) => tells >= DIGEST.little);
  const others = best.filter(({ tells }) => tells < DIGEST.little);
  const kept = new Map<number, Choice>();
  let left = room;
  const keep = (choices: readonly Choice[], most: number): void => {
    const end = left - most;
    for (const choice of choices) {
      if (kept.has(choice.from)) continue;
      const rest = left - choice.tokens - DIGEST.mark;
      if (rest < end) return;
      kept.set(choice.from, choice);
      left = rest;
    }
  };
  // However small the room: with what it begins, and with what it ends.
  keep(head.slice(0, 1), room * DIGEST.end);
  keep(tail.slice(0, 1), room * DIGEST.end);
  keep(head, room * DIGEST.edge);
  keep(tail, room * DIGEST.edge);
  keep(telling, left);
  keep(others, left - room * (1 - DIGEST.roomForLittle));
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
