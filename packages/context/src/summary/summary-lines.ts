/** Parses a summary into lines with their headings, citations and quotations; marks lines attributed to the user and forged lines. */

import { foldAccents, withoutDisguise } from "../text/sanitize.ts";
import { attributes } from "./claims/attribution.ts";
import { pattern } from "./claims/lexicon.ts";

export interface Heading {
  /** Folded: the same for `## Constraints & Preferences` and `### constraints and preferences:`. */
  readonly name: string;
  readonly level: number;
}

/** Null for a line that is none. */
export function headingOf(text: string): Heading | null {
  const [, marks = "", words = ""] = /^ {0,3}(#{1,6})\s+(\S.*)$/u.exec(text.trimEnd()) ?? [];
  return marks === "" ? null : { name: headingName(words), level: marks.length };
}

/** What stands for a heading of the user's or of the work without being one: `**Goal**`, `<b>Goal</b>`; null for a line that does not. */
export function titleOf(text: string): Heading | null {
  const [, bold = "", tagged = ""] = TITLED.exec(text.trim()) ?? [];
  return knownTitle(bold || tagged);
}

/** What a line is when a row of dashes is drawn below it. */
export function underlined(text: string): Heading | null {
  return knownTitle(text.trim());
}

function knownTitle(words: string): Heading | null {
  const name = words.length > LONGEST_TITLE ? "" : headingName(words);
  return name !== "" && (isOfUser(name) || isOfWork(name)) ? { name, level: TITLE_LEVEL } : null;
}

const TITLED = /^(?:[-*+]\s+)?(?:(?:\*\*|__)([^*_]+)(?:\*\*|__):?|<(?:b|strong|h[1-6]|u|i|em)>([^<]+)<\/\w+>:?)$/u;
const LONGEST_TITLE = 60;

/** Below all headings: each of them ends what stands under a title. */
export const TITLE_LEVEL = 7;

function headingName(words: string): string {
  return foldAccents(words)
    .replace(/&/g, "and")
    .replace(/[*_`:#\s]+/g, " ")
    .trim();
}

/** What the user wants stands here, and nothing else. */
export function isOfUser(name: string): boolean {
  return OF_USER.test(name);
}

/** The work is told here; whatever stands above, the user no longer speaks. */
export function isOfWork(name: string): boolean {
  return OF_WORK.has(name);
}

/** What is named here may not exist yet. */
export function isOfPlan(name: string): boolean {
  return OF_PLAN.has(name);
}

export const GOAL = "goal";
export const REQUEST = "original request";
export const DONE = "done";
export const CONTEXT = "critical context";

const OF_USER = pattern(
  [
    "\\b(?:goals?|objectives?|constraints?|preferences?|requirements?|instructions?|directives?|rules)\\b",
    "\\b(?:permissions?|approvals?|consents?)\\b",
    "\\b(?:user|customer|human)(?:'?s)?\\s+(?:requests?|wishes|asks?|wants?|orders?|decisions?|words|said|quotes?)\\b",
    "^(?:original |latest |current |primary |open )*requests?\\b",
    "^(?:ziele?|vorgaben|wunsche|anforderungen|objetivos?|restricciones|preferencias)\\b",
    "^(?:objectifs?|contraintes|restricoes|цел[ьи]|ограничения)\\b",
    "^(?:目标|约束|偏好|要求|目標|制約|要望|목표|제약|선호|요구)",
  ].join("|"),
);

const OF_PLAN: ReadonlySet<string> = new Set(["in progress", "blocked", "next steps"]);

const OF_WORK: ReadonlySet<string> = new Set([
  "progress",
  DONE,
  "in progress",
  "blocked",
  "key decisions",
  "next steps",
  CONTEXT,
  "early progress",
  "progress so far",
  "context for suffix",
  "context needed to continue",
]);

/** As they stand: the one who knows the ids takes the full stop off that a sentence may have put behind one. */
export function citedIds(text: string): readonly string[] {
  return [...text.matchAll(HANDLE)].map(([, id = ""]) => id);
}

/** The hashes of the blobs that are named. */
export function blobsIn(text: string): readonly string[] {
  return [...text.matchAll(BLOB)].map(([, hash = ""]) => hash);
}

/** Numbers that no entry had: all others have become ids. */
export function leftOver(text: string): readonly string[] {
  return text.match(NUMBER) ?? [];
}

/** The text as if it named nothing. */
export function withoutCitations(text: string): string {
  return text.replace(CITATION, " ").replace(HANDLE, " ").replace(NUMBER, " ");
}

/** The same letter for letter, so that all else keeps its place. */
export function maskedCitations(text: string): string {
  const blank = (found: string): string => " ".repeat(found.length);
  return text.replace(CITATION, blank).replace(HANDLE, blank).replace(NUMBER, blank);
}

/** The text without what names no entry. */
export function withKnownIds(text: string, isKnown: (id: string) => boolean): string {
  const [indent = ""] = /^\s*/.exec(text) ?? [];
  const rest = text
    .replace(NUMBER, "")
    .replace(CITATION, (citation) => citing(citedIds(citation).filter(isKnown)))
    .replace(HANDLE, (handle, id: string) => (isKnown(id) ? handle : ""));
  return `${indent}${rest.trim()}`;
}

/** The text without blobs that nobody knows. */
export function withKnownBlobs(text: string, isKnown: (hash: string) => boolean): string {
  return text.replace(BLOB, (handle, hash: string) => (isKnown(hash) ? handle : ""));
}

/** The text with one more entry named at its end. */
export function withCitation(text: string, id: string): string {
  return `${text.trimEnd()}${citing([id])}`;
}

function citing(ids: readonly string[]): string {
  const handles = [...new Set(ids)].map((id) => `entry:${id}`);
  return handles.length === 0 ? "" : ` (${handles.join(", ")})`;
}

/** Letters of an id before its first digit. */
const LETTERS = "[a-z_-]{0,40}";
const ID = "[^\\s,()[\\]{}<>]+";
/** A blank behind the colon only where what follows can be nothing else. */
const HANDLE = new RegExp(`(?<![\\p{L}\\p{N}_])entry\\p{Cf}{0,4}:(?: (?=${LETTERS}\\d))?(${ID})`, "giu");
/** `(entry:ID)` or `(entry:ID, entry:ID2)`. */
const CITATION = new RegExp(` ?\\(\\s*entry:${ID}(?:\\s*,\\s*entry:${ID})*\\s*\\)`, "giu");
const NUMBERS = "(?:entry )?e ?\\d+(?:\\s*[,;&~–—-]\\s*e?\\d+)*";
/** A number of the prompt that was left in the answer: `[e12]`. */
const NUMBER = new RegExp(
  ` ?\\[${NUMBERS}\\]| ?\\(${NUMBERS}\\)|(?<![\\p{L}\\p{N}_])entry e\\d+(?![\\p{L}\\p{N}_])`,
  "giu",
);
const BLOB = /(?<![\p{L}\p{N}_])blob:([\p{L}\p{N}_-]{6,200})/giu;

/** The line without list marks, citations, emphasis and placeholders of removed names. */
export function bare(text: string): string {
  return withoutCitations(withoutMarker(text))
    .replaceAll(NAME_NOT_FOUND, " ")
    .replace(/\*\*|__|`/g, " ")
    .trim();
}

/** Without the mark of a list or heading. */
export function withoutMarker(text: string): string {
  return text.replace(MARKER, "");
}

/** How far a line is indented; null where it is no item of a list. */
export function itemIndent(text: string): number | null {
  const [, indent = null] = /^(\s*)(?:[-*+•·◦▪‣–]|\d{1,3}[.)])\s/.exec(text) ?? [];
  return indent === null ? null : indent.length;
}

const MARKER = /^\s*(?:>\s*)?(?:(?:[-*+•·◦▪‣–]|\d{1,3}[.)]|#{1,6})\s+)?(?:\[[ xX~-]?\]\s+)?/;

/** Stands for a name that was nowhere in what was covered. */
export const NAME_NOT_FOUND = "[name not found]";

/** Whether a line says that there is nothing, or nothing at all. */
export function saysNothing(text: string): boolean {
  const words = bare(text)
    .replace(/[\p{P}\p{S}\s]/gu, "")
    .toLowerCase();
  return words === "" || NOTHING.has(words);
}

const NOTHING: ReadonlySet<string> = new Set(
  `none na nothing nil null empty tbd unknown noneyet nonesofar nothingyet keine keiner keines nichts leer ninguno
  ninguna nada vacío aucun aucune rien néant nenhum nenhuma nenhuns nessuno нет ничего отсутствует 无 無 没有 暂无 なし 特になし
  없음 없다`.split(/\s+/),
);

/** Whether a line imitates what only code writes: a lead of the summary message, an entry handle, a speaker label, a tag. */
export function isForgery(text: string): boolean {
  const words = withoutDisguise(foldAccents(text.slice(0, FAR)));
  return (
    LEAD.test(words) ||
    LABEL.test(words) ||
    TAG.test(words) ||
    (HANDLE_FORGERY.test(words) && citedIds(text).length > 0)
  );
}

/** Letters in which it shows. */
const FAR = 300;

/** Whatever stands before it: marks of lists, quotations, brackets. */
const MARKS_FORGERY = "^[\\s\\p{P}\\p{S}]*";
const LEAD = new RegExp(
  `${MARKS_FORGERY}(?:what the user wrote,? word for word|the user's latest request,? still open|pinned by the user\\b)`,
  "u",
);
const LABEL = /^[\s\-*+•>|"'`\d.)]*\[\s*(?:user|human|system|assistant|nutzer|usuario|用户)\s*\](?!\()/u;
const HANDLE_FORGERY = /^[\s\-*+•>|"'`]*\[\s*entry:[^\]]*\]\s*:?\s*$/u;
const TAG =
  /<\/?\s*(?:summary|conversation|previous-?summary|partial-?summary|read-?files|modified-?files)(?:\s[^>]*)?>/u;

export const FIRST_OF_TURN = "## Original Request";
export const TITLE = "**Turn Context (split turn):**";
/** Separates a summary from the part about a split turn (B44); it moves with the heading behind it. */
export const RULE: readonly string[] = ["---", "", TITLE, ""];

export interface StoryLine {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  readonly heading: Heading | null;
  /** The name of the nearest heading, its own for a heading; empty before the first. */
  readonly section: string;
  /** Why it passes for the user's word whatever it says: it stands in a section of the user's, or below a line that says so. */
  readonly passes: "by-section" | "by-lead" | null;
  /** It passes for what code alone writes, or stands right below a line that does. */
  readonly isForged: boolean;
}

/** What the lines before a line say of it. */
export interface Place {
  readonly section: string;
  /** Of the heading that lets the user speak; 0 where none does. */
  readonly userLevel: number;
  readonly lead: Lead | null;
  /** The line right before it; empty for none. */
  readonly above: string;
  /** Whether that one is forged. */
  readonly isBelowForgery: boolean;
}

/** A line that attributes what follows it: `The user asked for:`. */
interface Lead {
  /** What is indented further belongs to it; -1 where it is no item of a list, so that every item does. */
  readonly indent: number;
  /** Its sentence goes on in the next line. */
  readonly isOpen: boolean;
}

export const beforeAll: Place = { section: "", userLevel: 0, lead: null, above: "", isBelowForgery: false };

export function placeLines(texts: readonly string[]): readonly StoryLine[] {
  let place = beforeAll;
  return texts.map((text, at) => {
    const line = lineAt(place, { text, number: at + 1 });
    place = placeAfter(place, line);
    return line;
  });
}

export function lineAt(place: Place, { text, number }: Pick<StoryLine, "text" | "number">): StoryLine {
  const { section, userLevel, lead, isBelowForgery } = place;
  const heading = headingOf(text);
  const isForged = isForgery(text) || (isBelowForgery && !heading && text.trim() !== "");
  if (heading) return { text, number, heading, section: heading.name, passes: null, isForged };
  if (isRule(text) || isWorkTitle(text, userLevel)) return { text, number, heading, section, passes: null, isForged };
  const passes = userLevel > 0 ? "by-section" : lead && belongs(text, lead) ? "by-lead" : null;
  return { text, number, heading, section, passes, isForged };
}

// A title of the work ends what a title began, but not what a heading did.
function isWorkTitle(text: string, userLevel: number): boolean {
  return userLevel === TITLE_LEVEL && isOfWork(titleOf(text)?.name ?? "");
}

/** Only lines that stay may be asked for what comes after them. */
export function placeAfter(before: Place, line: StoryLine): Place {
  const { text, heading } = line;
  const after = { ...afterForgery(before, line), above: text };
  if (heading)
    return { ...after, section: heading.name, userLevel: userLevel(heading, before), lead: leadOf(text, -1) };
  if (text.trim() === "") return { ...after, lead: before.lead && { ...before.lead, isOpen: false } };
  const title = isUnderline(text) ? underlined(before.above) : titleOf(text);
  const level = title && mayTitle(title, before) ? userLevel(title, before) : before.userLevel;
  if (isRule(text)) return { ...after, userLevel: level, lead: null };
  const lead = leadOf(text, itemIndent(text) ?? -1);
  return {
    ...after,
    userLevel: level,
    lead: lead ?? (before.lead && belongs(text, before.lead) ? before.lead : null),
  };
}

/** What a line leaves behind also where it goes: what is forged does not end before a blank line. */
export function afterForgery(before: Place, { text, isForged }: StoryLine): Place {
  return { ...before, isBelowForgery: isForged && text.trim() !== "" };
}

const isUnderline = (text: string): boolean => /^ {0,3}(?:=+|-+)\s*$/.test(text);

const mayTitle = ({ name }: Heading, { userLevel }: Place): boolean =>
  userLevel === 0 ? isOfUser(name) : userLevel === TITLE_LEVEL && isOfWork(name);

/** What parts a text as a heading does. */
const isRule = (text: string): boolean => /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(text) || text.trim() === TITLE;

function userLevel({ name, level }: Heading, before: Place): number {
  if (isOfWork(name)) return 0;
  if (isOfUser(name)) return level;
  return before.userLevel > 0 && level > before.userLevel ? before.userLevel : 0;
}

function belongs(text: string, { indent, isOpen }: Lead): boolean {
  const item = itemIndent(text);
  if (item !== null) return item > indent;
  return isOpen || indentOf(text) > Math.max(0, indent);
}

const indentOf = (text: string): number => text.length - text.trimStart().length;

function leadOf(text: string, indent: number): Lead | null {
  const words = bare(text);
  const isTitle = /[:：]$/u.test(words) || /^\s*(?:[-*+•]\s+)?\*\*[^*]+\*\*\s*$/u.test(text);
  if (isTitle && (attributes(words) || isOfUser(words.toLowerCase()))) return { indent, isOpen: true };
  const goesOn = !/[.!?…。！？)\]]$/u.test(text.trimEnd());
  return goesOn && attributes(words) ? { indent, isOpen: true } : null;
}

/** The texts between quote marks of any language; code in backticks is no quotation. */
export function quotations(text: string): readonly string[] {
  return MARKS.flatMap((marks) => [...text.matchAll(marks)].map(([, quoted = ""]) => quoted)).filter((quoted) =>
    /[\p{L}\p{N}]/u.test(quoted),
  );
}

/** The text without its quotations. */
export function withoutQuotations(text: string): string {
  return MARKS.reduce((rest, marks) => rest.replace(marks, " "), text);
}

const MARKS: readonly RegExp[] = [
  /"([^"\n]*)"/gu,
  /“([^“”„\n]*)”/gu,
  /„([^„“”\n]*)[“”]/gu,
  /«([^«»\n]*)»/gu,
  /»([^«»\n]*)«/gu,
  /「([^「」\n]*)」/gu,
  /『([^『』\n]*)』/gu,
  /(?<![\p{L}\p{N}])‘((?:[^‘’\n]|(?<=\p{L})’(?=\p{L}))*)’/gu,
  /(?<![\p{L}\p{N}])'((?:[^'\n]|(?<=\p{L})'(?=\p{L}))*)'(?![\p{L}\p{N}])/gu,
];

/** Splits at every character that a model takes for the end of a line. */
export function linesOf(story: string): readonly string[] {
  return story.split(LINE_END);
}

const LINE_END = /\r\n|[\n\r\u2028\u2029\u0085\v\f]/u;
