/** What is wrong with a summary: told to the model that must correct it, and to people. */

export const flawCodes = [
  "empty",
  "sections",
  "unknown-id",
  "false-quote",
  "unfounded",
  "unknown-name",
  "wrong-request",
  "too-long",
  "other-language",
] as const;

export type FlawCode = (typeof flawCodes)[number];

export interface Flaw {
  readonly code: FlawCode;
  /** One sentence; it names the line. */
  readonly note: string;
  /** Counted from 1; null where it is the whole text. */
  readonly line: number | null;
}

/** The first words of a line, for a note. */
export function shown(text: string): string {
  const words = text
    .slice(0, LONGEST * 4)
    .toWellFormed()
    .replace(/\s+/g, " ")
    .trim();
  const letters = [...words];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join("")}…` : words;
}

const LONGEST = 80;
