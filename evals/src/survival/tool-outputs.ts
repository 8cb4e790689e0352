/** Generates long tool outputs (diffs, JSON, logs, prose) in pieces, between which a fact can be planted. */

import { type Random, randomInteger } from "@pith/bench/random";
import type { TextSource } from "@pith/bench/texts";
import type { PlantedFact } from "./facts.ts";
import { coinWord, fillSlots, type Language, pick, randomDigits } from "./languages/language.ts";

export interface ToolOutput {
  readonly prefix: string;
  readonly pieces: readonly string[];
  readonly separator: string;
  readonly suffix: string;
  /** Formats a fact like the other pieces, for its index. */
  readonly formatFact: (text: string, index: number) => string;
}

/** Inserts a fact at its place in the output. */
export function insertFact(output: ToolOutput, { text, place }: PlantedFact, random: Random): string {
  const { prefix, pieces, separator, suffix, formatFact } = output;
  const letters = pieces.reduce((sum, piece) => sum + piece.length + separator.length, 0);
  let lettersLeft = lettersBefore[place](letters, random());
  const pieceIndex = pieces.findIndex((piece) => {
    lettersLeft -= piece.length + separator.length;
    return lettersLeft < 0;
  });
  const index = pieceIndex < 0 ? pieces.length : pieceIndex;
  return `${prefix}${pieces.toSpliced(index, 0, formatFact(text, index)).join(separator)}${suffix}`;
}

const EDGE_LETTERS = 1_000;

const lettersBefore: Readonly<Record<PlantedFact["place"], (letters: number, chance: number) => number>> = {
  head: (_, chance) => chance * EDGE_LETTERS,
  middle: (letters, chance) => letters * (0.25 + chance / 2),
  tail: (letters, chance) => letters - chance * EDGE_LETTERS,
};

export interface OutputOptions {
  readonly language: Language;
  readonly letters: number;
  readonly random: Random;
  /** Real prose, or null. */
  readonly corpus: TextSource | null;
}

/** Makes pieces until they have the given number of letters. */
function makePieces(letters: number, makePiece: (index: number) => string): readonly string[] {
  const pieces: string[] = [];
  for (let letterCount = 0; letterCount < letters; letterCount += pieces.at(-1)?.length ?? 0)
    pieces.push(makePiece(pieces.length));
  return pieces;
}

export function makeDiff({ language, letters, random }: OutputOptions): ToolOutput {
  const isHeader = (index: number): boolean => index % LINES_PER_FILE === 0;
  const isHunk = (index: number): boolean => index % LINES_PER_HUNK === 1;
  return {
    prefix: "",
    pieces: makePieces(letters, (index) => {
      if (isHeader(index)) return makeFileHeader(random);
      return isHunk(index) ? makeHunkHeader(random) : `${pick(LINE_MARKS, random)}${makeCodeLine(language, random)}`;
    }),
    separator: "\n",
    suffix: "\n",
    formatFact: (text) => (/^[+-]/.test(text) ? text : `+  // ${text}`),
  };
}

const LINES_PER_HUNK = 20;
const LINES_PER_FILE = 80;
const LINE_MARKS = ["+", "+", "-", " ", " "];

function makeFileHeader(random: Random): string {
  const path = `src/${coinWord(random)}/${coinWord(random)}.ts`;
  const index = `index ${randomDigits(random, 16, 7)}..${randomDigits(random, 16, 7)} 100644`;
  return `diff --git a/${path} b/${path}\n${index}\n--- a/${path}\n+++ b/${path}`;
}

function makeHunkHeader(random: Random): string {
  return `@@ -${randomInteger(random, 1, 900)},7 +${randomInteger(random, 1, 900)},9 @@ function ${pick(NAMES, random)}() {`;
}

const NAMES =
  "rows total index entry cursor buffer limit offset label width parent child token value source target reader writer queue batch count first last open close merge split parse render update remove insert filter find result state config options".split(
    " ",
  );

function makeCodeLine(language: Language, random: Random): string {
  const pickName = (): string => pick(NAMES, random);
  const makeLine = pick<() => string>(
    [
      () => `  const ${pickName()} = ${pickName()}(${pickName()}, ${randomInteger(random, 0, 99)});`,
      () => `  if (${pickName()}.${pickName()} > ${randomInteger(random, 0, 999)}) return ${pickName()};`,
      () => `    ${pickName()}: ${pickName()}.map((each) => each.${pickName()}),`,
      () => `  // ${fillSlots("{Part} {act}", language, random)}`,
      () => `export function ${pickName()}(${pickName()}: string): number {`,
      () => `  ${pickName()}.push({ ${pickName()}, ${pickName()}: "${pickName()}" });`,
      () => "}",
      () => "",
    ],
    random,
  );
  return makeLine();
}

export function makeJson({ language, letters, random }: OutputOptions): ToolOutput {
  const indent = random() < 0.5 ? 2 : undefined;
  const formatRecord = (value: unknown): string =>
    indent ? JSON.stringify(value, null, indent).replace(/^/gm, "  ") : JSON.stringify(value);
  return {
    prefix: indent ? "[\n" : "[",
    pieces: makePieces(letters, (index) => formatRecord(makeRecord(index, language, random))),
    separator: indent ? ",\n" : ",",
    suffix: indent ? "\n]\n" : "]",
    formatFact: (text) =>
      formatRecord(insertText(text, makeRecord(randomInteger(random, 1_000, 9_999), language, random), random)),
  };
}

function makeRecord(index: number, language: Language, random: Random): Readonly<Record<string, unknown>> {
  return {
    id: randomDigits(random, 16, 10),
    number: index,
    owner: fillSlots("{first} {last}", language, random),
    state: pick(language.slots.state, random),
    path: fillSlots("{path}", language, random),
    size: randomInteger(random, 100, 90_000),
    ratio: Math.round(random() * 1e4) / 1e4,
    updated: new Date(Date.UTC(2026, 1, 1) + randomInteger(random, 0, 2e10)).toISOString(),
    note: fillSlots("{part} {act}", language, random),
  };
}

/** Returns a separate record, an additional member, or the note of a record. */
function insertText(text: string, template: Readonly<Record<string, unknown>>, random: Random): unknown {
  const ownRecord = parseRecord(text);
  if (ownRecord) return ownRecord;
  return random() < 0.5 ? { ...template, note: text } : { ...template, remark: text };
}

function parseRecord(text: string): unknown {
  if (!/^\s*[{"]/.test(text)) return null;
  try {
    return JSON.parse(text.trimStart().startsWith("{") ? text : `{${text}}`);
  } catch {
    // A sentence that begins with a quote is not JSON and is planted as a text.
    return null;
  }
}

export function makeLog({ language, letters, random }: OutputOptions): ToolOutput {
  const makePrefix = pick(LINE_PREFIXES, random);
  const startTime = Date.UTC(2026, 4, 3) + randomInteger(random, 0, 9e8);
  const makeLine = (text: string, index: number): string =>
    `${makePrefix(new Date(startTime + index * 4_000 + randomInteger(random, 3, 3_900)), random)} ${text}`;
  return {
    prefix: "",
    pieces: makePieces(letters, (index) => makeLine(fillSlots(pick(language.logs, random), language, random), index)),
    separator: "\n",
    suffix: "\n",
    formatFact: (text, index) => (/^\[?\d{4}-\d\d/.test(text) ? text : makeLine(text, index)),
  };
}

const LOG_LEVELS = "INFO INFO INFO INFO INFO INFO DEBUG DEBUG WARN".split(" ");
const LOG_SOURCES = ["http", "worker", "db", "cache", "mail"];

type LinePrefix = (time: Date, random: Random) => string;

const LINE_PREFIXES: readonly LinePrefix[] = [
  (time, random) =>
    `${time.toISOString()} ${pick(LOG_LEVELS, random)} [${pick(LOG_SOURCES, random)}-${randomInteger(random, 1, 16)}]`,
  (time, random) =>
    `[${time.toISOString().slice(0, 19).replace("T", " ")}] ${pick(LOG_LEVELS, random)} ${pick(LOG_SOURCES, random)}:`,
  (time, random) => `${time.getTime()} ${randomDigits(random, 16, 12)} ${pick(LOG_SOURCES, random)} |`,
];

export function makeProse({ language, letters, random, corpus }: OutputOptions): ToolOutput {
  const hasParagraphs = random() < 0.7;
  const makeGap = (): string => (hasParagraphs && random() < 0.2 ? "\n\n" : language.sentenceSeparator);
  const makeSentence = (): string => `${fillSlots(pick(language.sentences, random), language, random)}${makeGap()}`;
  return {
    prefix: "",
    pieces: corpus ? splitSentences(corpus(letters)) : makePieces(letters, makeSentence),
    separator: "",
    suffix: "",
    formatFact: (text) => `${text}${language.sentenceSeparator}`,
  };
}

/** Each sentence includes the space after it. */
function splitSentences(text: string): readonly string[] {
  return text.toWellFormed().match(/[^.!?。！？\n]*[.!?。！？\n]+\s*/g) ?? [text];
}
