/** The headings of a summary: what they are called, however they are written, and under which of them the user is taken to speak. */

import { pattern } from "../wording/comparing/any-of.ts";
import { folded } from "../wording/comparing/folded.ts";

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
  return folded(words)
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
