/** Splits a text into weighted units that survive inflection. */

import { APART, foldAccents, isJoined, JOINED } from "../../text/sanitize.ts";
import { stem } from "./lexicon.ts";
import { hasContrary, isPlain, joinedFrames, otherSpelling } from "./word-lists.ts";

export interface Unit {
  /** Any of them in another text is this unit said again. */
  readonly keys: readonly string[];
  /** What it weighs when it is missing; nothing where it matters only what it is the contrary of. */
  readonly weight: number;
  /** Of a script without spaces, where more is said in other words. */
  readonly isJoined: boolean;
  /** A number, or a name in code: it is said again only by itself. */
  readonly isExact: boolean;
}

export function unitsOf(text: string): readonly Unit[] {
  const tokens = text.normalize("NFKC").match(TOKEN) ?? [];
  return tokens.flatMap((token, at) => {
    if (isJoined(token)) return joinedUnits(token);
    return counted(token).flatMap((word) => wordUnits(at === 0 ? lowered(word) : word));
  });
}

/** With a share of the weight, where one is given. */
export function weightOf(units: readonly Unit[], share: Share = { words: 1, joined: 1 }): number {
  return units.reduce((sum, { weight, isJoined }) => sum + weight * (isJoined ? share.joined : share.words), 0);
}

export interface Share {
  readonly words: number;
  readonly joined: number;
}

/** All under which they are found again; a letter of a script without spaces may stand alone elsewhere. */
export function keysOf(units: readonly Unit[]): ReadonlySet<string> {
  return new Set(units.flatMap(({ keys, isJoined }) => (isJoined ? [...keys, ...keys.join("")] : keys)));
}

const TOKEN = new RegExp(`[[${JOINED}]--\\p{sc=Hangul}]+|\\p{sc=Hangul}+|--[a-z][\\w\\-]*|[${APART}]+`, "gv");

/** A number and what is counted, with or without a space: `500ms`. */
function counted(token: string): readonly string[] {
  const [, count, what] = /^(\d+)(\p{L}{1,3})$/u.exec(token) ?? [];
  return count !== undefined && what !== undefined ? [count, what] : [token];
}

function wordUnits(token: string): readonly Unit[] {
  const word = foldAccents(token);
  const exact = `=${word}`;
  if (isCode(token)) return [unit([exact], { weight: NAME, isExact: true })];
  if (/\d/.test(word)) return [unit([exact], { weight: NAME })];
  const key = stem(word);
  if (isPlain(word)) return hasContrary(key) ? [unit([key], { weight: 0 })] : [];
  if (/\p{Ll}\p{Lu}/u.test(token)) return [unit([exact, key], { weight: NAME })];
  return [
    unit([key, exact, ...withoutPrefix(word), ...otherSpelling(word)], { weight: /^\p{Lu}/u.test(token) ? NAME : 1 }),
  ];
}

// Where a sentence begins, a capital says nothing.
const lowered = (word: string): string => word.replace(/^\p{Lu}(?=\p{Ll}*$)/u, (letter) => letter.toLowerCase());

/** Numbers, flags, and names as programs have them. */
const isCode = (token: string): boolean => /^\d+$|^--|\w_\w|^\p{Ll}+\p{Lu}/u.test(token);

// German takes verbs apart: "umbauen", "bau … um".
function withoutPrefix(word: string): readonly string[] {
  const [, rest] =
    /^(?:um|an|auf|aus|ab|ein|vor|nach|weg|mit|zu|hinzu|zurück|zuruck|raus|heraus|rein|hoch|los|fest)(\p{L}{2,}en)$/u.exec(
      word,
    ) ?? [];
  return rest === undefined ? [] : [stem(rest)];
}

function joinedUnits(token: string): readonly Unit[] {
  const runs = foldAccents(token)
    .replace(joinedFrames, " ")
    .replace(/[\p{sc=Hiragana}]+/gu, " ")
    .split(" ");
  return runs.flatMap((run) => {
    const letters = [...run];
    if (letters.length === 1 && /\p{sc=Hangul}/u.test(run)) return [];
    return letters.map((letter, at) => unit(pairs(letters, at) ?? [letter], { weight: HALF, isJoined: true }));
  });
}

function pairs(letters: readonly string[], at: number): readonly string[] | null {
  const [before, letter, after] = [letters[at - 1], letters[at], letters[at + 1]];
  const found = [...(before ? [`${before}${letter}`] : []), ...(after ? [`${letter}${after}`] : [])];
  return found.length > 0 ? found : null;
}

function unit(keys: readonly string[], given: Partial<Unit> & Pick<Unit, "weight">): Unit {
  return { isJoined: false, isExact: false, ...given, keys };
}

/** A name is worth two words. */
const NAME = 2;
const HALF = 0.5;
