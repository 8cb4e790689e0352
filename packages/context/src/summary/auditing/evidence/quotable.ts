/** Whether words stand in what was typed, in a row and in one entry; `…` in a quotation leaves words out. */

import { wordsIn } from "../wording/comparing/words-in.ts";

export type Quotable = (quotation: string) => boolean;

/** What is asked costs what the quotation is long, not what was typed. */
export function quotable(texts: readonly string[]): Quotable {
  const typed = typedWords(texts);
  return (quotation) => {
    const parts = partsOf(quotation).map((words) => ({ length: words.length, starts: startsOf(words, typed) }));
    const [first] = parts;
    if (!first) return true;
    return [...new Set(first.starts.map((at) => typed.entryOf[at]))].some((entry) => {
      const isHere = (at: number): boolean => typed.entryOf[at] === entry;
      return followEachOther(parts, isHere);
    });
  };
}

interface Typed {
  readonly words: readonly string[];
  /** In which of the texts a word stands. */
  readonly entryOf: readonly number[];
  /** Where a word stands, and where two follow each other; of very many places the first. */
  readonly places: ReadonlyMap<string, readonly number[]>;
}

function typedWords(texts: readonly string[]): Typed {
  const rows = texts.map((text) => [...wordsIn(text), END]);
  const words = rows.flat();
  const places = new Map<string, number[]>();
  words.forEach((word, at) => {
    note(places, word, at);
    note(places, `${word} ${words[at + 1]}`, at);
  });
  return { words, entryOf: rows.flatMap((row, entry) => row.map(() => entry)), places };
}

/** No word. */
const END = "\n";

function note(places: Map<string, number[]>, key: string, at: number): void {
  const known = places.get(key);
  if (!known) places.set(key, [at]);
  else if (known.length < MOST) known.push(at);
}

const MOST = 100;

function partsOf(quotation: string): readonly (readonly string[])[] {
  const parts = quotation.normalize("NFKC").split(/\.{3,}/);
  return parts.map(wordsIn).filter((words) => words.length > 0);
}

function startsOf(part: readonly string[], { words, places }: Typed): readonly number[] {
  const [first = "", ...others] = part;
  let rarest = { places: places.get(first) ?? [], offset: 0 };
  others.forEach((word, offset) => {
    const pair = places.get(`${part[offset]} ${word}`) ?? [];
    if (offset === 0 || pair.length < rarest.places.length) rarest = { places: pair, offset };
  });
  const starts = rarest.places.map((at) => at - rarest.offset);
  return starts.filter((start) => part.every((word, offset) => words[start + offset] === word));
}

interface Part {
  readonly length: number;
  readonly starts: readonly number[];
}

function followEachOther(parts: readonly Part[], isHere: (at: number) => boolean): boolean {
  let from = 0;
  return parts.every(({ length, starts }) => {
    const start = starts.find((at) => at >= from && isHere(at));
    from = (start ?? 0) + length;
    return start !== undefined;
  });
}
