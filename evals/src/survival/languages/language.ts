/** Defines the sentences of a language for generated sessions, and fills their slots at random. */

import { type Random, randomInteger } from "@pith/bench/random";

/** In each text, `{slot}` is replaced at random. In a fact, «…» encloses the needle. */
export interface Language {
  readonly name: "en" | "de" | "es" | "zh";
  /** The separator between sentences. */
  readonly sentenceSeparator: string;
  readonly slots: Readonly<Record<Slot, readonly string[]>>;
  /** Patterns of prose sentences. */
  readonly sentences: readonly string[];
  readonly logs: readonly string[];
  readonly requests: readonly string[];
  readonly replies: readonly string[];
  readonly facts: Readonly<Record<FactType, readonly string[]>>;
}

export type Slot = "part" | "act" | "when" | "aside" | "thing" | "first" | "last" | "state" | "fixed";

/** The types of facts, from the most to the least conspicuous. */
export const FACT_TYPES = [
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

export type FactType = (typeof FACT_TYPES)[number];

export function fillSlots(pattern: string, language: Language, random: Random): string {
  return pattern.replace(/\{(\w+)\}/g, (_, slot: string) => fillSlot(slot, language, random));
}

function fillSlot(slot: string, language: Language, random: Random): string {
  const maker = slotMakers[slot];
  if (maker) return maker(random);
  const choices = language.slots[slot.toLowerCase() as Slot];
  const text = fillSlots(pick(choices, random), language, random);
  return slot === "Part" ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

export function pick<Each>(list: readonly Each[], random: Random): Each {
  return list[randomInteger(random, 0, list.length - 1)] as Each;
}

const slotMakers: Readonly<Record<string, (random: Random) => string>> = {
  n: (random) => String(randomInteger(random, 2, 10 ** randomInteger(random, 1, 3) - 1)),
  id: (random) => randomDigits(random, 16, 8),
  ticket: (random) => `${pick(["OPS", "WEB", "PAY"], random)}-${randomInteger(random, 10, 4999)}`,
  month: (random) => `2025-${twoDigits(randomInteger(random, 1, 12))}`,
  date: (random) => `2027-${twoDigits(randomInteger(random, 1, 12))}-${twoDigits(randomInteger(random, 1, 28))}`,
  port: (random) => String(randomInteger(random, 1_025, 65_000)),
  version: (random) =>
    `${randomInteger(random, 0, 30)}.${randomInteger(random, 0, 40)}.${randomInteger(random, 0, 19)}`,
  path: (random) =>
    `/${pick(["etc", "var/log", "srv", "opt", "home/app"], random)}/${coinWord(random)}/${coinWord(random)}.${pick(["conf", "log", "json", "pem"], random)}`,
  coined: coinWord,
  coinedZh: (random) => pick(["欧阳", "司马", "诸葛", "上官", "慕容"], random) + pick([..."岚屿澜祁骁霁翊"], random),
  camel: (random) => `${coinWord(random)}${capitalize(coinWord(random))}`,
  pascal: (random) => `${capitalize(coinWord(random))}${capitalize(coinWord(random))}`,
  snake: (random) => `${coinWord(random)}_${coinWord(random)}`,
  upper: (random) => `${coinWord(random)}_${coinWord(random)}`.toUpperCase(),
};

/** Makes up a word from random syllables. */
export function coinWord(random: Random): string {
  return Array.from({ length: randomInteger(random, 2, 3) }, () => pick(SYLLABLES, random)).join("");
}

const SYLLABLES =
  "ka to rel mi san do vex lin par us bor ne quo tal fir gam hol jut wex zan ori pel sku dra vim lo".split(" ");
const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const twoDigits = (number: number): string => String(number).padStart(2, "0");

export function randomDigits(random: Random, radix: number, count: number): string {
  return Array.from({ length: count }, () => randomInteger(random, 0, radix - 1).toString(radix)).join("");
}
