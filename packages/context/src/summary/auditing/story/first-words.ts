/** A line with the first words of what a person typed, as a quotation that names its entry. */

import { wordsIn } from "../wording/comparing/words-in.ts";
import { bare } from "./bare.ts";
import { withCitation } from "./citations.ts";

export interface Said {
  readonly id: string;
  readonly text: string;
}

export function quotingLine({ id, text }: Said): string {
  return withCitation(`- "${firstWords(text)}"`, id);
}

function firstWords(text: string): string {
  const words = text
    .slice(0, LETTERS * 4)
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  const letters = [...words];
  const cut = letters.slice(0, LETTERS).join("");
  const whole = letters.length > LETTERS ? `${cut.slice(0, endOfWord(cut))}…` : words;
  return harmless(whole);
}

const LETTERS = 100;

const endOfWord = (text: string): number => (/\s/.test(text) ? text.search(/\s\S*$/) : text.length);

// What was typed cannot end the quotation, cite an entry or open a tag. Compared with what was typed, it is the same.
function harmless(text: string): string {
  return text
    .replace(/["“”„«»]/g, "'")
    .replace(/</g, "‹")
    .replace(/\[/g, "(")
    .replace(/\]/g, ")")
    .replace(/(entry):/giu, "$1：");
}

/** Whether a line is one of these, of this text. */
export function isQuotingLine(line: string, said: Said): boolean {
  const quoting = quotingLine(said);
  if (line.length > quoting.length * 2) return false;
  const wanted = wordsIn(bare(quoting));
  const found = wordsIn(bare(line));
  return wanted.length > 0 && wanted.length === found.length && wanted.every((word, at) => word === found[at]);
}
