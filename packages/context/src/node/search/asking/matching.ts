/** Where a question's words stand in a text. The index says which entries have them; this checks it, and marks them. */

import type { Part, Question } from "./question.ts";
import { nameParts, wordsIn } from "./words.ts";

/** Whether a text has all that is asked for: by the very words that the index was given. */
export function matches(text: string, { parts }: Question): boolean {
  const words = wordsIn(text);
  return parts.every((part) => words.some((_, at) => fitsAt(words, at, part)) || isNamePart(nameParts(text), part));
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
  for (const [at, span] of spans.entries()) {
    for (const [number, part] of parts.entries()) {
      const last = spans[at + part.words.length - 1];
      if (last && fitsAt(words, at, part)) marks.push({ start: span.start, end: last.end, part: number });
      else if (isNamePart(nameParts(text.slice(span.start, span.end)), part))
        marks.push({ ...partOfName(text, span, part), part: number });
    }
    if (marks.length >= most) break;
  }
  return marks;
}

function fitsAt(words: readonly string[], at: number, { words: wanted, isPrefix }: Part): boolean {
  const last = wanted.length - 1;
  return wanted.every((word, more) => {
    const found = words[at + more];
    return isPrefix && more === last ? found?.startsWith(word) : found === word;
  });
}

function isNamePart(names: readonly string[], { words: [word = "", more], isPrefix }: Part): boolean {
  if (more !== undefined) return false;
  return names.some((name) => (isPrefix ? name.startsWith(word) : name === word));
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly word: string;
  /** The parts of the name that it is. */
  readonly names: readonly string[];
}

function spansIn(text: string): readonly Span[] {
  return [...text.matchAll(RUN)].flatMap(({ 0: run, index }) => {
    if (SHORT_ASCII.test(run)) return [{ start: index, end: index + run.length, word: run, names: NONE }];
    const words = wordsIn(run);
    const names = nameParts(run);
    // Where letters were put together or taken away, nobody knows which of them stand where.
    const isTraced = words.join("").length === run.length;
    let at = index;
    return words.map((word) => {
      const start = isTraced ? at : index;
      at += word.length;
      return { start, end: isTraced ? at : index + run.length, word, names };
    });
  });
}

function partOfName(text: string, { start, end }: Span, { words: [word = ""] }: Part): Omit<Mark, "part"> {
  const at = start + text.slice(start, end).toLowerCase().indexOf(word);
  return { start: at, end: at + word.length };
}

const NONE: readonly string[] = [];
// Most are such words, and nothing has to be done to them.
const SHORT_ASCII = /^[a-z0-9]{1,40}$/;
const RUN = /[\p{L}\p{N}\p{M}]+/gu;
