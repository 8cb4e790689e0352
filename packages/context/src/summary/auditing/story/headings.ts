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
  const [, marks = "", words = ""] = /^(#{1,6})\s+(\S.*)$/u.exec(text.trimEnd()) ?? [];
  return marks === "" ? null : { name: headingName(words), level: marks.length };
}

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
