/** Diffs: files, hunks, and hundreds of changed lines with comments among them. */

import { between, type Random } from "@pith/bench/random";
import { coined, digits, filled, pick } from "../languages/filled.ts";
import type { Language } from "../languages/language.ts";
import { enough, type Output, type OutputParts } from "./output.ts";

export function diff({ language, letters, next }: OutputParts): Output {
  const isHeader = (at: number): boolean => at % LINES_OF_FILE === 0;
  const isHunk = (at: number): boolean => at % LINES_OF_HUNK === 1;
  return {
    before: "",
    pieces: enough(letters, (at) => {
      if (isHeader(at)) return fileHeader(next);
      return isHunk(at) ? hunkHeader(next) : `${pick(marks, next)}${code(language, next)}`;
    }),
    between: "\n",
    after: "\n",
    planted: (text) => (/^[+-]/.test(text) ? text : `+  // ${text}`),
  };
}

const LINES_OF_HUNK = 20;
const LINES_OF_FILE = 80;
const marks = ["+", "+", "-", " ", " "];

function fileHeader(next: Random): string {
  const path = `src/${coined(next)}/${coined(next)}.ts`;
  const index = `index ${digits(next, 16, 7)}..${digits(next, 16, 7)} 100644`;
  return `diff --git a/${path} b/${path}\n${index}\n--- a/${path}\n+++ b/${path}`;
}

function hunkHeader(next: Random): string {
  return `@@ -${between(next, 1, 900)},7 +${between(next, 1, 900)},9 @@ function ${pick(names, next)}() {`;
}

function code(language: Language, next: Random): string {
  const name = (): string => pick(names, next);
  const line = pick<() => string>(
    [
      () => `  const ${name()} = ${name()}(${name()}, ${between(next, 0, 99)});`,
      () => `  if (${name()}.${name()} > ${between(next, 0, 999)}) return ${name()};`,
      () => `    ${name()}: ${name()}.map((each) => each.${name()}),`,
      () => `  // ${filled("{Part} {act}", language, next)}`,
      () => `export function ${name()}(${name()}: string): number {`,
      () => `  ${name()}.push({ ${name()}, ${name()}: "${name()}" });`,
      () => "}",
      () => "",
    ],
    next,
  );
  return line();
}

const names =
  "rows total index entry cursor buffer limit offset label width parent child token value source target reader writer queue batch count first last open close merge split parse render update remove insert filter find result state config options".split(
    " ",
  );
