/** Supplies text for generated sessions: from a folder, or random words. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Random, randomInteger } from "./random.ts";

/** Returns a text of the given length. */
export type TextSource = (length: number) => string;

export function createTextSource(random: Random, corpus: string | undefined): TextSource {
  const source = corpus === undefined ? makeText(random) : readFolderText(corpus);
  return (length) => {
    const start = randomInteger(random, 0, Math.max(0, source.length - length));
    return source.slice(start, start + length);
  };
}

function readFolderText(folder: string): string {
  const files = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
  const text = files.map((path) => readFileSync(path, "utf8")).join("\n");
  if (text.length < 10_000)
    throw new Error(`--corpus ${folder}: the folder needs at least 10,000 characters of text, but has ${text.length}`);
  return text;
}

function makeText(random: Random): string {
  const makeWord = (): string =>
    SYLLABLES[randomInteger(random, 0, SYLLABLES.length - 1)] +
    (random() < 0.6 ? (SYLLABLES[randomInteger(random, 0, SYLLABLES.length - 1)] ?? "") : "");
  const makeLine = (): string => Array.from({ length: randomInteger(random, 4, 14) }, makeWord).join(" ");
  return Array.from({ length: 2_000 }, makeLine).join("\n");
}

const SYLLABLES =
  "ka to rel mi san do vex lin par us the of and in is const let return import error path file line test src".split(
    " ",
  );
