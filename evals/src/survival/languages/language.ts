/** Defines what a language supplies to made-up sessions (sentences with slots), and fills the slots at random. */

import { between, type Random } from "@pith/bench/random";

/** In each text `{slot}` stands for something by chance; in a fact «…» is what is looked for. */
export interface Language {
  readonly name: "en" | "de" | "es" | "zh";
  /** Between sentences. */
  readonly space: string;
  readonly slots: Readonly<Record<Slot, readonly string[]>>;
  /** How a sentence of prose is built. */
  readonly sentences: readonly string[];
  readonly logs: readonly string[];
  readonly requests: readonly string[];
  readonly replies: readonly string[];
  readonly facts: Readonly<Record<Sort, readonly string[]>>;
}

export type Slot = "part" | "act" | "when" | "aside" | "thing" | "first" | "last" | "state" | "fixed";

/** The sorts of facts, from the most to the least striking. */
export const sorts = [
  "identifier",
  "path",
  "port",
  "version",
  "date",
  "number",
  "name",
  "decision",
  "unusual",
  "plain",
] as const;

export type Sort = (typeof sorts)[number];

export function filled(pattern: string, language: Language, next: Random): string {
  return pattern.replace(/\{(\w+)\}/g, (_, slot: string) => value(slot, language, next));
}

function value(slot: string, language: Language, next: Random): string {
  const made = madeUp[slot];
  if (made) return made(next);
  const words = language.slots[slot.toLowerCase() as Slot];
  const text = filled(pick(words, next), language, next);
  return slot === "Part" ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

export function pick<Each>(from: readonly Each[], next: Random): Each {
  return from[between(next, 0, from.length - 1)] as Each;
}

const madeUp: Readonly<Record<string, (next: Random) => string>> = {
  n: (next) => String(between(next, 2, 10 ** between(next, 1, 3) - 1)),
  id: (next) => digits(next, 16, 8),
  ticket: (next) => `${pick(["OPS", "WEB", "PAY"], next)}-${between(next, 10, 4999)}`,
  month: (next) => `2025-${two(between(next, 1, 12))}`,
  date: (next) => `2027-${two(between(next, 1, 12))}-${two(between(next, 1, 28))}`,
  port: (next) => String(between(next, 1_025, 65_000)),
  version: (next) => `${between(next, 0, 30)}.${between(next, 0, 40)}.${between(next, 0, 19)}`,
  path: (next) =>
    `/${pick(["etc", "var/log", "srv", "opt", "home/app"], next)}/${coined(next)}/${coined(next)}.${pick(["conf", "log", "json", "pem"], next)}`,
  coined,
  coinedZh: (next) => pick(["欧阳", "司马", "诸葛", "上官", "慕容"], next) + pick([..."岚屿澜祁骁霁翊"], next),
  camel: (next) => `${coined(next)}${capital(coined(next))}`,
  pascal: (next) => `${capital(coined(next))}${capital(coined(next))}`,
  snake: (next) => `${coined(next)}_${coined(next)}`,
  upper: (next) => `${coined(next)}_${coined(next)}`.toUpperCase(),
};

/** A word that no language has. */
export function coined(next: Random): string {
  return Array.from({ length: between(next, 2, 3) }, () => pick(syllables, next)).join("");
}

const syllables =
  "ka to rel mi san do vex lin par us bor ne quo tal fir gam hol jut wex zan ori pel sku dra vim lo".split(" ");
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const two = (number: number): string => String(number).padStart(2, "0");

export function digits(next: Random, radix: number, count: number): string {
  return Array.from({ length: count }, () => between(next, 0, radix - 1).toString(radix)).join("");
}
