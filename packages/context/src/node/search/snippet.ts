/** The part of a text that shows best why it was found: one line, fit for a screen, with what was asked for marked. */

import { plainText } from "../../session/plain-text.ts";
import { type Mark, marksIn } from "./asking/matching.ts";
import type { Question } from "./asking/question.ts";

export interface Snippet {
  readonly text: string;
  /** Where the words that were asked for begin and end in it. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}

export function snippet(text: string, question: Question): Snippet {
  const start = snippetStart(marksIn(text, question, MOST_MARKS));
  const end = start + LETTERS;
  const line = plainText(text.slice(start, end), LETTERS);
  const shown = `${start > 0 ? "…" : ""}${line}${end < text.length && !line.endsWith("…") ? "…" : ""}`;
  return { text: shown, marks: united(marksIn(shown, question, MOST_MARKS)) };
}

// The stretch with most parts of the question in it; of several the first.
function snippetStart(marks: readonly Mark[]): number {
  let best = { start: marks[0]?.start ?? 0, parts: 0 };
  for (const [at, { start }] of marks.entries()) {
    const parts = new Set<number>();
    for (let more = at; (marks[more]?.end ?? Number.POSITIVE_INFINITY) < start + LETTERS - BEFORE; more++)
      parts.add(marks[more]?.part ?? 0);
    if (parts.size > best.parts) best = { start, parts: parts.size };
  }
  return best.start <= BEFORE ? 0 : best.start - BEFORE;
}

/** Marks that touch or overlap become one. */
function united(marks: readonly Mark[]): readonly (readonly [number, number])[] {
  const all: [number, number][] = [];
  for (const { start, end } of [...marks].sort((one, other) => one.start - other.start)) {
    const last = all.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else all.push([start, end]);
  }
  return all;
}

const LETTERS = 240;
/** Letters before what was asked for, so that one sees where it belongs. */
const BEFORE = 60;
const MOST_MARKS = 500;
