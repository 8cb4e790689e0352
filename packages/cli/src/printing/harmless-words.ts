/** Words of a program that is not ours, as one may show them: without inks and moves of the cursor, and of the rest nothing that steers a terminal. */

import { stripVTControlCharacters } from "node:util";
import { clipped } from "./clipped.ts";
import { plain } from "./plain.ts";
import { plainLine } from "./plain-line.ts";

/** In one line of so many signs. */
export function harmlessLine(text: string, most: number): string {
  return clipped(plainLine(stripVTControlCharacters(text)), most);
}

/** In so many lines at most. */
export function harmlessLines(text: string, most: number): readonly string[] {
  const lines = plain(stripVTControlCharacters(text.slice(0, LONGEST_TEXT)).replaceAll("\t", "  "))
    .split("\n")
    .map((line) => [...line].slice(0, LONGEST_LINE).join("").trimEnd());
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), "…"];
}

const LONGEST_TEXT = 20_000;
const LONGEST_LINE = 1_000;
