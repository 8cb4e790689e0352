/** Audits a model's summary against the log: sections, citations, quotations, claims, names, latest request, length and language. */

import { foldAccents } from "../text/sanitize.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { attributed } from "./claims/attribution.ts";
import { claimOf } from "./claims/claim.ts";
import type { Heard } from "./claims/heard.ts";
import { restsOn } from "./claims/rests-on.ts";
import { type Evidence, isCarriedOn } from "./evidence.ts";
import { isKnownName, type Name, namesIn } from "./names.ts";
import {
  bare,
  blobsIn,
  citedIds,
  GOAL,
  headingOf,
  isOfPlan,
  leftOver,
  linesOf,
  maskedCitations,
  placeLines,
  quotations,
  REQUEST,
  type StoryLine,
  saysNothing,
  withoutCitations,
  withoutQuotations,
} from "./summary-lines.ts";

/** AUD1: an empty summary replaces nothing. */
export const empty: Check = ({ lines }) =>
  isEmpty(lines)
    ? [{ code: "empty", note: "the summary says nothing: write what happened under its headings", line: null }]
    : [];

export function isEmpty(lines: readonly StoryLine[]): boolean {
  return lines.every(({ heading, text }) => heading !== null || saysNothing(text));
}

/** Detected by the script and, where that is Latin, by the most common words. */
export interface Language {
  readonly script: string;
  /** Null where it cannot be told. */
  readonly tongue: string | null;
}

/** Null for a text with too few letters. */
export function languageOf(text: string): Language | null {
  const prose = foldAccents(text).replace(/\S+/gu, (word) => (CODE.test(word) ? " " : word));
  const script = scriptOf(prose);
  if (script === null) return null;
  return { script, tongue: script === "Latin" ? tongueOf(prose) : script };
}

/** Names, paths and addresses are written alike everywhere. */
const CODE = /[`\d_/\\@#$=]/;

function scriptOf(text: string): string | null {
  const counts = SCRIPTS.map(({ name, letters, weight }) => ({
    name,
    count: (text.match(letters)?.length ?? 0) * weight,
  }));
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  if (all < FEWEST) return null;
  const [latin, ...others] = counts;
  const most = others.reduce((one, other) => (other.count > one.count ? other : one));
  if (most.count < all * SHARE) return latin?.name ?? null;
  const kana = counts.find(({ name }) => name === "Kana")?.count ?? 0;
  return most.name === "Han" && kana > most.count * KANA ? "Kana" : most.name;
}

const FEWEST = 6;
/** Words of technology are Latin everywhere. */
const SHARE = 0.25;
/** Of a Japanese text at least so much for each Han letter. */
const KANA = 0.15;

const SCRIPTS = [
  { name: "Latin", letters: /\p{sc=Latin}/gu, weight: 1 },
  { name: "Han", letters: /\p{sc=Han}/gu, weight: 3 },
  { name: "Kana", letters: /[\p{sc=Hiragana}\p{sc=Katakana}]/gu, weight: 3 },
  { name: "Hangul", letters: /\p{sc=Hangul}/gu, weight: 3 },
  { name: "Cyrillic", letters: /\p{sc=Cyrillic}/gu, weight: 1 },
  { name: "Greek", letters: /\p{sc=Greek}/gu, weight: 1 },
  { name: "Arabic", letters: /\p{sc=Arabic}/gu, weight: 1 },
  { name: "Hebrew", letters: /\p{sc=Hebrew}/gu, weight: 1 },
  { name: "Devanagari", letters: /\p{sc=Devanagari}/gu, weight: 1 },
  { name: "Thai", letters: /\p{sc=Thai}/gu, weight: 1 },
] as const;

function tongueOf(text: string): string | null {
  const words = text.match(/\p{sc=Latin}+/gu) ?? [];
  const [best, second] = Object.entries(COMMON)
    .map(([name, common]) => ({ name, count: words.filter((word) => common.has(word)).length }))
    .sort((one, other) => other.count - one.count);
  return best && second && best.count >= ENOUGH && best.count >= second.count * 2 ? best.name : null;
}

const ENOUGH = 3;

const COMMON: Readonly<Record<string, ReadonlySet<string>>> = {
  English: listed(
    "the and to of is that for with this it you not are be have from on was what but please when should does in by",
  ),
  German: listed(
    "der die das und ist nicht ich ein eine mit für auf den dem zu wir bitte auch wenn noch kann soll wird sind im von werden",
  ),
  Spanish: listed(
    "el los las que una por con para está como pero más este esta del hay cuando también sin porque se al y",
  ),
  French: listed("le les des est une dans pour qui pas avec sur ce cette vous je il mais être sont du au et ne"),
  Portuguese: listed("não uma os dos das com para é em você está mais isso quando também ao pelo são do da no na o"),
  Italian: listed("il gli che di una per non con sono questo della più nel anche come è la un"),
  Dutch: listed("het een van en dat niet voor met op zijn deze ook wordt de je naar"),
  Polish: listed("nie jest się na do że w z jak dla i ale tylko"),
  Turkish: listed("bir ve bu için ile değil de da çok ama"),
};

function listed(words: string): ReadonlySet<string> {
  return new Set(foldAccents(words).split(" "));
}

/** AUD8: a summary is written in the user's language, so that the work continues in it. */
export const otherLanguage: Check = ({ lines, evidence }) => {
  const spoken = spokenLanguage(evidence.typed());
  const written = languageOf(bodyOf(lines));
  if (!spoken || !written || isSame(spoken, written)) return [];
  const note = `the user writes ${nameOf(spoken)}, the summary is in ${nameOf(written)}: only its headings are English`;
  return [{ code: "other-language", note, line: null }];
};

/** What most messages are written in. What was pasted stands in the middle of one, as a rule. */
function spokenLanguage(typed: readonly string[]): Language | null {
  const votes = typed.flatMap((text) => languageOf(edges(text)) ?? []);
  const script = mostOf(votes.map((vote) => vote.script));
  const tongue = mostOf(votes.flatMap((vote) => (vote.script === script && vote.tongue !== null ? [vote.tongue] : [])));
  return script === null ? null : { script, tongue };
}

function edges(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [first = "", last = ""] = [lines[0], lines.length > 1 ? lines.at(-1) : ""];
  return `${first.slice(0, EDGE)} ${last.slice(-EDGE)}`;
}

const EDGE = 600;

/** Null where no one has more than half of the votes. */
function mostOf(votes: readonly string[]): string | null {
  const counts = Object.entries(Object.groupBy(votes, (vote) => vote));
  return counts.find(([, same = []]) => same.length * 2 > votes.length)?.[0] ?? null;
}

function bodyOf(lines: readonly StoryLine[]): string {
  const said = lines.filter(({ heading }) => heading === null).map(({ text }) => text);
  return withoutQuotations(withoutCitations(said.join("\n")));
}

function isSame(spoken: Language, written: Language): boolean {
  if (spoken.script !== written.script) return false;
  return spoken.tongue === null || written.tongue === null || spoken.tongue === written.tongue;
}

const nameOf = ({ script, tongue }: Language): string => NAMES[script] ?? tongue ?? `${script} letters`;

const NAMES: Readonly<Record<string, string>> = { Han: "Chinese", Kana: "Japanese", Hangul: "Korean" };

export const flawCodes = [
  "empty",
  "sections",
  "unknown-id",
  "false-quote",
  "unfounded",
  "unknown-name",
  "wrong-request",
  "too-long",
  "other-language",
] as const;

export type FlawCode = (typeof flawCodes)[number];

/** Shown to the model that must correct the summary, and to people. */
export interface Flaw {
  readonly code: FlawCode;
  /** One sentence; it names the line. */
  readonly note: string;
  /** Counted from 1; null where it is the whole text. */
  readonly line: number | null;
}

/** The first words of a line, for a note. */
export function shown(text: string): string {
  const words = text
    .slice(0, LONGEST * 4)
    .toWellFormed()
    .replace(/\s+/g, " ")
    .trim();
  const letters = [...words];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join("")}…` : words;
}

const LONGEST = 80;

/** AUD4: what a summary says the user wants, decided or allowed cites a message in which the user says so. */
export const unfounded: LineCheck = (line, evidence) => {
  const claim = claimOf(line);
  if (claim === null || isCarriedOn(line, evidence)) return null;
  const people = peopleIn(line.text, evidence);
  const subject = `line ${line.number} gives as the user's word`;
  if (people.length === 0) {
    return {
      code: "unfounded",
      note: `${subject} what it cites no message of the user for: ${shown(claim)}`,
      line: line.number,
    };
  }
  if (restsOn(claim, people)) return null;
  return {
    code: "unfounded",
    note: `${subject} what the cited messages do not say: ${shown(claim)}`,
    line: line.number,
  };
};

function peopleIn(text: string, evidence: Evidence): readonly Heard[] {
  const ids = new Set(citedIds(text).map((id) => evidence.knownId(id)));
  return [...ids].flatMap((id) => (id === null ? [] : (evidence.heardUnder(id) ?? []))).slice(0, MAX_FOOTING_FLAWS);
}

/** A line that needs more messages than this rests on none. */
const MAX_FOOTING_FLAWS = 12;

/** AUD4: no line imitates what only code writes, least of all the user's own words. */
export const forged: LineCheck = ({ text, number, isForged }) => {
  if (!isForged) return null;
  const note = `line ${number} passes for a part of the record that no story has: ${shown(text)}`;
  return { code: "unfounded", note, line: number };
};

/** AUD2: every entry and blob that a summary cites exists. */
export const unknownId: LineCheck = (line, evidence) =>
  flawOf(line, [...unknownHandles(line.text, evidence), ...leftOver(line.text)]);

/** The same for a line in which a person's own words may look like numbers of a prompt. */
export const unknownHandle: LineCheck = (line, evidence) => flawOf(line, unknownHandles(line.text, evidence));

function unknownHandles(text: string, evidence: Evidence): readonly string[] {
  const blobs = blobsIn(text).filter((hash) => !evidence.isBlob(hash));
  return [...citedIds(text).filter((id) => evidence.knownId(id) === null), ...blobs.map((hash) => `blob:${hash}`)];
}

function flawOf({ number }: StoryLine, unknown: readonly string[]): Flaw | null {
  if (unknown.length === 0) return null;
  const names = unknown
    .slice(0, MAX_NAME_FLAWS)
    .map((id) => shown(id.trim()))
    .join(", ");
  return { code: "unknown-id", note: `line ${number} cites what does not exist: ${names}`, line: number };
}

/** AUD5: every name in a summary occurs in the covered entries. */
export const unknownName: LineCheck = ({ text, number, heading, section }, evidence) => {
  const names = heading || isOfPlan(section) ? [] : unknownNames(text, evidence);
  if (names.length === 0) return null;
  const list = names
    .slice(0, MAX_NAME_FLAWS)
    .map((name) => shown(name.text))
    .join(", ");
  return { code: "unknown-name", note: `line ${number} names what does not occur in the log: ${list}`, line: number };
};

/** Unknown ids or names that one note lists. */
const MAX_NAME_FLAWS = 5;

export function unknownNames(text: string, evidence: Evidence): readonly Name[] {
  return namesIn(maskedCitations(text)).filter((name) => !isKnownName(name, evidence.names()));
}

/** AUD3: the user typed every quotation of the user. */
export const falseQuote: LineCheck = (line, evidence) => {
  if (isCarriedOn(line, evidence)) return null;
  const wrong = quotationsOfUser(line).find((words) => !evidence.isTyped(words));
  if (wrong === undefined) return null;
  const note = `line ${line.number} quotes the user with words nobody typed: "${shown(wrong)}"`;
  return { code: "false-quote", note, line: line.number };
};

function quotationsOfUser({ text, passes }: StoryLine): readonly string[] {
  const words = bare(text);
  const parts = passes ? [words] : attributed(words);
  // A quotation may have been cut where a sentence ends in it.
  return parts.every(isClosed) ? parts.flatMap(quotations) : quotations(words);
}

const isClosed = (text: string): boolean => (text.match(/["“”„«»「」『』]/g) ?? []).length % 2 === 0;

export function lineFlaws(line: StoryLine, evidence: Evidence): readonly Flaw[] {
  if (line.text.trim() === "") return [];
  const fake = forged(line, evidence);
  if (fake) return [fake];
  const checks = isUsersOwn(line, evidence) ? ownChecks : lineChecks;
  return checks.flatMap((check) => check(line, evidence) ?? []);
}

const lineChecks: readonly LineCheck[] = [unknownId, falseQuote, unfounded, unknownName];
const ownChecks: readonly LineCheck[] = [unknownHandle];

// A message's own first words may be cut anywhere, and still are the user's.
function isUsersOwn({ text }: StoryLine, evidence: Evidence): boolean {
  return citedIds(text)
    .slice(0, 1)
    .some((id) => evidence.isOpening(id, text));
}

/** AUD6: a summary cites the user's latest request. */
export function wrongRequest({ lines, evidence }: Pick<Audited, "lines" | "evidence">): readonly Flaw[] {
  const { request } = evidence;
  const asking = lines.filter(({ section }) => section === GOAL || section === REQUEST);
  if (request === null || asking.length === 0) return [];
  const isCited = asking.some(({ text }) => citedIds(text).some((id) => evidence.knownId(id) === request.id));
  const note = `the Goal does not cite the user's latest request, entry:${request.id}`;
  return isCited ? [] : [{ code: "wrong-request", note, line: null }];
}

/** AUD1: every required heading occurs once, in its order. */
export const sections: Check = ({ lines, format }) => sectionFlaws(lines, format.sections);

export function sectionFlaws(lines: readonly StoryLine[], required: readonly string[]): readonly Flaw[] {
  const places = required.map((heading) => ({ heading, at: placesOf(heading, lines) }));
  let last = 0;
  return places.flatMap(({ heading, at: [first, second] }): readonly Flaw[] => {
    if (first === undefined) return [flaw(`the heading "${heading}" is missing`, null)];
    const isLate = first < last;
    last = Math.max(first, last);
    return [
      ...(second === undefined ? [] : [flaw(`the heading "${heading}" stands twice, again in line ${second}`, second)]),
      ...(isLate ? [flaw(`the heading "${heading}" in line ${first} stands behind one that follows it`, first)] : []),
    ];
  });
}

function placesOf(heading: string, lines: readonly StoryLine[]): readonly number[] {
  const name = headingOf(heading)?.name;
  return lines.filter((line) => line.heading?.name === name).map(({ number }) => number);
}

const flaw = (note: string, line: number | null): Flaw => ({ code: "sections", note, line });

/** AUD1: a summary stays within its token limit. */
export function tooLong({ story, format }: Pick<Audited, "story" | "format">): readonly Flaw[] {
  const tokens = textTokens(story);
  const note = `the summary has ${tokens} tokens, ${format.tokens} are allowed`;
  return tokens > format.tokens ? [{ code: "too-long", note, line: null }] : [];
}

/** Nothing where nothing speaks against it. */
export function auditSummary(story: string, evidence: Evidence, format: StoryFormat): readonly Flaw[] {
  const audited = { story, lines: placeLines(linesOf(story)), evidence, format };
  const nothing = empty(audited);
  return nothing.length > 0 ? nothing : checks.flatMap((check) => check(audited));
}

const eachLine: Check = ({ lines, evidence }) => lines.flatMap((line) => lineFlaws(line, evidence));

const checks: readonly Check[] = [sections, eachLine, wrongRequest, tooLong, otherLanguage];

export interface StoryFormat {
  /** Required headings in order, e.g. `## Goal`. */
  readonly sections: readonly string[];
  /** How many it may have at most. */
  readonly tokens: number;
}

export interface Audited {
  readonly story: string;
  readonly lines: readonly StoryLine[];
  readonly evidence: Evidence;
  readonly format: StoryFormat;
}

export type Check = (audited: Audited) => readonly Flaw[];

/** A check that looks at each line by itself. */
export type LineCheck = (line: StoryLine, evidence: Evidence) => Flaw | null;
