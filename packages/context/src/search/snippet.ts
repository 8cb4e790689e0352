/** Cuts a snippet with the matches of a query out of a text. */

import { sanitizeLine } from "../text/sanitize.ts";
import { findMarks, type HighlightMark, matchesQuery, type SearchQuery } from "./query.ts";

/** A short part of an entry's text with the matches marked. */
export interface Snippet {
  readonly text: string;
  /** The ranges of the matched words. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}

/** Cuts out the part of a text that contains the most terms of the query, and says where it starts; null if the text does not match. */
export function createSnippet(text: string, query: SearchQuery): (Snippet & { readonly start: number }) | null {
  const region = findRegion(text, query);
  if (!region) return null;
  const { start, ...snippet } = cutSnippet(text.slice(region.start, region.end), query);
  return { ...snippet, start: region.start + start };
}

interface TextRegion {
  readonly start: number;
  readonly end: number;
}

/** The part of a text that a snippet is taken from; null if the text does not match. Of a long text, it is the part around the rarest word. */
function findRegion(text: string, query: SearchQuery): TextRegion | null {
  const matches = ({ start, end }: TextRegion): boolean => matchesQuery(text.slice(start, end), query);
  const [rarest] = query.terms.toSorted((one, other) => (other.weight ?? 1) - (one.weight ?? 1));
  const index = text.length > LONG_TEXT_CHARS ? text.toLowerCase().indexOf(rarest?.words[0] ?? "") : -1;
  const region = { start: Math.max(0, index - REGION_CHARS), end: index + REGION_CHARS };
  if (index >= 0 && matches(region)) return region;
  const whole = { start: 0, end: text.length };
  return matches(whole) ? whole : null;
}

/** It takes tens of milliseconds to find the words in a longer text. */
const LONG_TEXT_CHARS = 32 * 1024;
const REGION_CHARS = 2 * 1024;

function cutSnippet(text: string, query: SearchQuery): Snippet & { readonly start: number } {
  // At the end of the text, more of what is before the words is shown.
  const lastStart = Math.max(0, text.length - SNIPPET_CHARS);
  const start = Math.min(lastStart, snippetStart(findMarks(text, query, MAX_MARKS), query));
  const end = start + SNIPPET_CHARS;
  const line = sanitizeLine(text.slice(start, end), SNIPPET_CHARS);
  const snippetText = `${start > 0 ? "…" : ""}${line}${end < text.length && !line.endsWith("…") ? "…" : ""}`;
  return { start, text: snippetText, marks: mergeMarks(findMarks(snippetText, query, MAX_MARKS)) };
}

// The shortest range that contains the most query terms, counted by their weight: then the text after them is shown, too.
function snippetStart(marks: readonly HighlightMark[], { terms }: SearchQuery): number {
  let best = { start: marks[0]?.start ?? 0, weight: 0, chars: 0 };
  for (const [index, { start }] of marks.entries()) {
    const found = new Set<number>();
    let range = { start, weight: 0, chars: 0 };
    for (const { end, termIndex } of marks.slice(index)) {
      if (end >= start + SNIPPET_CHARS - CHARS_BEFORE_MATCH) break;
      if (found.has(termIndex)) continue;
      found.add(termIndex);
      range = { start, weight: range.weight + (terms[termIndex]?.weight ?? 1), chars: end - start };
    }
    if (range.weight > best.weight || (range.weight === best.weight && range.chars < best.chars)) best = range;
  }
  return best.start <= CHARS_BEFORE_MATCH ? 0 : best.start - CHARS_BEFORE_MATCH;
}

/** Joins marks that touch or overlap. */
function mergeMarks(marks: readonly HighlightMark[]): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const { start, end } of [...marks].sort((one, other) => one.start - other.start)) {
    const last = ranges.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else ranges.push([start, end]);
  }
  return ranges;
}

const SNIPPET_CHARS = 240;

/** The characters of context before the first match. */
const CHARS_BEFORE_MATCH = 60;

const MAX_MARKS = 500;
