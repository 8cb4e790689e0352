/** A story made short enough: the oldest of what is done goes first, then context, then the longest lines are cut. */

import { textTokens } from "../../../reading/tokens/text-tokens.ts";
import { citedIds, withCitation, withoutCitations } from "../story/citations.ts";
import { CONTEXT, DONE } from "../story/headings.ts";
import { bodies } from "./bodies.ts";

export interface Fitting {
  readonly tokens: number;
  /** What becomes of lines that were cut. */
  readonly mend: (texts: readonly string[]) => readonly string[];
}

/** As short as it can be, where that is not short enough. */
export function fitTokens(texts: readonly string[], { tokens, mend }: Fitting): readonly string[] {
  const fits = (lines: readonly string[]): boolean => textTokens(mend(lines).join("\n")) <= tokens;
  const isShort = (lines: readonly string[]): boolean => textTokens(lines.join("\n")) <= tokens;
  const done = withoutFirst(texts, { name: DONE, isShort });
  const told = isShort(done) ? done : withoutFirst(done, { name: CONTEXT, isShort });
  if (fits(told)) return mend(told);
  let short = told;
  for (const letters of lengths(told)) {
    const cut = told.map((text) => cutLine(text, letters));
    if (letters > SHORTEST && !isShort(cut)) continue;
    short = mend(cut);
    if (isShort(short)) break;
  }
  return short;
}

interface Dropping {
  readonly name: string;
  readonly isShort: (lines: readonly string[]) => boolean;
}

/** The fewest lines go that have to. */
function withoutFirst(texts: readonly string[], { name, isShort }: Dropping): readonly string[] {
  const places = bodies(texts)
    .filter(({ heading }) => heading.name === name)
    .flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at))
    .filter((at) => texts[at]?.trim() !== "");
  const without = (count: number): readonly string[] => {
    const gone = new Set(places.slice(0, count));
    return texts.filter((_, at) => !gone.has(at));
  };
  let [least, most] = [0, places.length];
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (isShort(without(middle))) most = middle;
    else least = middle + 1;
  }
  return without(least);
}

/** From half of the longest line down, each half of the one before. */
function lengths(texts: readonly string[]): readonly number[] {
  const longest = texts.reduce((most, { length }) => Math.max(most, length), 0);
  const halves: number[] = [];
  for (let letters = Math.floor(longest / 2); letters > SHORTEST; letters = Math.floor(letters / 2))
    halves.push(letters);
  return [...halves, SHORTEST];
}

const SHORTEST = 80;

function cutLine(text: string, letters: number): string {
  const words = withoutCitations(text).trimEnd();
  if (words.length <= letters) return text;
  const head = words
    .slice(0, letters)
    .toWellFormed()
    .replace(/\s\S*$/, "");
  return [...new Set(citedIds(text))].slice(0, MOST).reduce(withCitation, `${head.trimEnd()}…`);
}

const MOST = 3;
