/** Extracts what a line claims of the user, and quotes the first words of a user message. */

import { wordsIn } from "../../text/sanitize.ts";
import { bare, isOfUser, type StoryLine, saysNothing, withCitation } from "../summary-lines.ts";
import { attributed } from "./attribution.ts";
import { clausesOf } from "./clauses.ts";
import { unitsOf, weightOf } from "./units.ts";

/** Null where nothing is. */
export function claimOf({ text, heading, passes }: StoryLine): string | null {
  const words = bare(text);
  if (saysNothing(words)) return null;
  if (heading && isOfUser(heading.name)) return claimOfTitle(words);
  const claim = passes ? words : attributedClaim(words);
  return claim === null || isLead(claim) ? null : claim;
}

/** A title says where the user speaks, as a rule; it may go on and say what. */
function claimOfTitle(words: string): string | null {
  const said = words.slice(words.search(/[:：]|$/u) + 1).trim();
  if (!saysNothing(said)) return said;
  return clausesOf(words).some(({ grave }) => grave.size > 0) ? words : null;
}

function attributedClaim(words: string): string | null {
  const parts = attributed(words);
  if (parts.length === 0) return null;
  const said = parts.join(". ");
  // "Force push, as the user asked": the attribution stands beside what it is about.
  return weightOf(unitsOf(said)) < SUBSTANCE ? words : said;
}

/** One word. */
const SUBSTANCE = 1;

/** A line that only says that something follows claims nothing by itself. */
function isLead(words: string): boolean {
  if (!/[:：]$/u.test(words)) return false;
  return clausesOf(words).every(({ units, grave, tellsConsent }) => units.length + grave.size === 0 && !tellsConsent);
}

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
