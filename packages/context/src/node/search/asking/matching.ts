/** Where a question's words stand in a text. The index says which entries have them; this checks it, and marks them. */

import type { Part, Question } from "./question.ts";
import { ASCII_WORD, IS_ASCII, nameParts, wordsIn } from "./words.ts";

/** Whether a text has all that is asked for: by the very words that the index was given. */
export function matches(text: string, { parts }: Question): boolean {
  const words = wordsIn(text);
  const missing = parts.filter((part) => !words.some((_, at) => fitsAt(words, at, part)));
  const names = missing.length > 0 ? nameParts(text) : NONE;
  return missing.every((part) => isNamePart(names, part));
}

export interface Mark {
  readonly start: number;
  readonly end: number;
  /** Which part of the question it is. */
  readonly part: number;
}

/** In the order of the text, about so many at most. What cannot be traced to a place in the text has no mark. */
export function marksIn(text: string, { parts }: Question, most: number): readonly Mark[] {
  const spans = spansIn(text);
  const words = spans.map(({ word }) => word);
  const marks: Mark[] = [];
  spans.forEach((span, at) => {
    if (marks.length >= most) return;
    parts.forEach((part, number) => {
      const last = spans[at + part.words.length - 1];
      if (last && fitsAt(words, at, part)) marks.push({ start: span.start, end: last.end, part: number });
      else if (isNamePart(span.names, part)) marks.push({ ...partOfName(text, span, part), part: number });
    });
  });
  return marks;
}

// Plain loops and no lists: it is asked at each of many thousand words.
function fitsAt(words: readonly string[], at: number, { words: wanted, isPrefix }: Part): boolean {
  const last = wanted.length - 1;
  for (let more = 0; more < last; more++) if (words[at + more] !== wanted[more]) return false;
  const found = words[at + last];
  return found === wanted[last] || (isPrefix && found?.startsWith(wanted[last] ?? "") === true);
}

/** Whether it is one word, and that is a part of a name. */
function isNamePart(names: readonly string[], part: Part): boolean {
  return part.words.length === 1 && names.some((_, at) => fitsAt(names, at, part));
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly word: string;
  /** Its parts, where it is a name. */
  readonly names: readonly string[];
}

function spansIn(text: string): readonly Span[] {
  const runs = text.match(IS_ASCII.test(text) ? ASCII_WORD : RUN) ?? [];
  const spans: Span[] = [];
  let end = 0;
  for (const run of runs) {
    const start = text.indexOf(run, end);
    end = start + run.length;
    if (SHORT_ASCII.test(run)) spans.push({ start, end, word: run.toLowerCase(), names: namesIn(run) });
    else spans.push(...spansOf(run, start));
  }
  return spans;
}

function spansOf(run: string, start: number): readonly Span[] {
  const words = wordsIn(run);
  // Where letters were put together or taken away, nobody knows which of them stand where.
  if (words.join("").length !== run.length)
    return words.map((word) => ({ start, end: start + run.length, word, names: namesIn(run) }));
  let at = 0;
  return words.map((word) => {
    const from = at;
    at += word.length;
    return { start: start + from, end: start + at, word, names: namesIn(run.slice(from, at)) };
  });
}

// Most words are none.
function namesIn(word: string): readonly string[] {
  return CAPITAL.test(word) ? nameParts(word) : NONE;
}

function partOfName(text: string, { start, end }: Span, { words: [word = ""] }: Part): Omit<Mark, "part"> {
  const at = start + text.slice(start, end).toLowerCase().indexOf(word);
  return { start: at, end: at + word.length };
}

const NONE: readonly string[] = [];
const CAPITAL = /[A-Z]/;
// Most are such words, and hardly anything has to be done to them.
const SHORT_ASCII = /^[A-Za-z0-9]{1,40}$/;
const RUN = /[\p{L}\p{N}\p{M}]+/gu;
