/** A long output of a tool, in pieces between which something can be planted. */

import type { Random } from "@pith/bench/random";
import type { Texts } from "@pith/bench/texts";
import type { Fact } from "../facts.ts";
import type { Language } from "../languages/language.ts";

export interface Output {
  readonly before: string;
  readonly pieces: readonly string[];
  readonly between: string;
  readonly after: string;
  /** A fact as a piece like the others, at its place among them. */
  readonly planted: (text: string, at: number) => string;
}

export interface OutputParts {
  readonly language: Language;
  readonly letters: number;
  readonly next: Random;
  /** Prose that somebody wrote, if there is any. */
  readonly corpus: Texts | null;
}

/** The output with a fact in it, where it should stand. */
export function withFact(output: Output, { text, place }: Fact, next: Random): string {
  const { before, pieces, between, after, planted } = output;
  const letters = pieces.reduce((sum, piece) => sum + piece.length + between.length, 0);
  let left = lettersBefore[place](letters, next());
  const found = pieces.findIndex((piece) => {
    left -= piece.length + between.length;
    return left < 0;
  });
  const at = found < 0 ? pieces.length : found;
  return `${before}${pieces.toSpliced(at, 0, planted(text, at)).join(between)}${after}`;
}

const lettersBefore: Readonly<Record<Fact["place"], (letters: number, chance: number) => number>> = {
  head: (_, chance) => chance * EDGE,
  middle: (letters, chance) => letters * (0.25 + chance / 2),
  tail: (letters, chance) => letters - chance * EDGE,
};

const EDGE = 1_000;

/** Pieces until there are letters enough. */
export function enough(letters: number, piece: (at: number) => string): readonly string[] {
  const pieces: string[] = [];
  for (let said = 0; said < letters; said += pieces.at(-1)?.length ?? 0) pieces.push(piece(pieces.length));
  return pieces;
}
