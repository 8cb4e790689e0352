/** Makes long outputs of tools (diffs, JSON, logs, prose), in pieces between which a fact can be planted. */

import { between, type Random } from "@pith/bench/random";
import type { Texts } from "@pith/bench/texts";
import type { Fact } from "./facts.ts";
import { coined, digits, filled, type Language, pick } from "./languages/language.ts";

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

export function json({ language, letters, next }: OutputParts): Output {
  const indent = next() < 0.5 ? 2 : undefined;
  const written = (value: unknown): string =>
    indent ? JSON.stringify(value, null, indent).replace(/^/gm, "  ") : JSON.stringify(value);
  return {
    before: indent ? "[\n" : "[",
    pieces: enough(letters, (at) => written(record(at, language, next))),
    between: indent ? ",\n" : ",",
    after: indent ? "\n]\n" : "]",
    planted: (text) => written(withText(text, record(between(next, 1_000, 9_999), language, next), next)),
  };
}

function record(at: number, language: Language, next: Random): Readonly<Record<string, unknown>> {
  return {
    id: digits(next, 16, 10),
    number: at,
    owner: filled("{first} {last}", language, next),
    state: pick(language.slots.state, next),
    path: filled("{path}", language, next),
    size: between(next, 100, 90_000),
    ratio: Math.round(next() * 1e4) / 1e4,
    updated: new Date(Date.UTC(2026, 1, 1) + between(next, 0, 2e10)).toISOString(),
    note: filled("{part} {act}", language, next),
  };
}

/** A record of its own, a member more, or the note that every record has. */
function withText(text: string, like: Readonly<Record<string, unknown>>, next: Random): unknown {
  const parsed = asRecord(text);
  if (parsed) return parsed;
  return next() < 0.5 ? { ...like, note: text } : { ...like, remark: text };
}

function asRecord(text: string): unknown {
  if (!/^\s*[{"]/.test(text)) return null;
  try {
    return JSON.parse(text.trimStart().startsWith("{") ? text : `{${text}}`);
  } catch {
    // A sentence that begins with a quote is no JSON, and is planted as it is.
    return null;
  }
}

export function log({ language, letters, next }: OutputParts): Output {
  const lead = pick(leads, next);
  const begun = Date.UTC(2026, 4, 3) + between(next, 0, 9e8);
  const line = (text: string, at: number): string =>
    `${lead(new Date(begun + at * 4_000 + between(next, 3, 3_900)), next)} ${text}`;
  return {
    before: "",
    pieces: enough(letters, (at) => line(filled(pick(language.logs, next), language, next), at)),
    between: "\n",
    after: "\n",
    planted: (text, at) => (/^\[?\d{4}-\d\d/.test(text) ? text : line(text, at)),
  };
}

type Lead = (time: Date, next: Random) => string;

const leads: readonly Lead[] = [
  (time, next) => `${time.toISOString()} ${pick(levels, next)} [${pick(sources, next)}-${between(next, 1, 16)}]`,
  (time, next) =>
    `[${time.toISOString().slice(0, 19).replace("T", " ")}] ${pick(levels, next)} ${pick(sources, next)}:`,
  (time, next) => `${time.getTime()} ${digits(next, 16, 12)} ${pick(sources, next)} |`,
];

const levels = "INFO INFO INFO INFO INFO INFO DEBUG DEBUG WARN".split(" ");
const sources = ["http", "worker", "db", "cache", "mail"];

export function prose({ language, letters, next, corpus }: OutputParts): Output {
  const hasParagraphs = next() < 0.7;
  const gap = (): string => (hasParagraphs && next() < 0.2 ? "\n\n" : language.space);
  const sentence = (): string => `${filled(pick(language.sentences, next), language, next)}${gap()}`;
  return {
    before: "",
    pieces: corpus ? sentencesIn(corpus(letters)) : enough(letters, sentence),
    between: "",
    after: "",
    planted: (text) => `${text}${language.space}`,
  };
}

/** With what stands between them. */
function sentencesIn(text: string): readonly string[] {
  return text.toWellFormed().match(/[^.!?。！？\n]*[.!?。！？\n]+\s*/g) ?? [text];
}
