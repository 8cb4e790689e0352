/** Supplies text to fill made-up sessions with: from a folder, or words put together at random. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { between, type Random } from "./random.ts";

/** A piece of text of this length. */
export type Texts = (length: number) => string;

export function texts(next: Random, corpus: string | undefined): Texts {
  const source = corpus === undefined ? madeUp(next) : fromFolder(corpus);
  return (length) => {
    const start = between(next, 0, Math.max(0, source.length - length));
    return source.slice(start, start + length);
  };
}

function fromFolder(folder: string): string {
  const files = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
  const all = files.map((path) => readFileSync(path, "utf8")).join("\n");
  if (all.length < 10_000)
    throw new Error(`--corpus ${folder}: at least 10,000 letters of text are needed, there are ${all.length}`);
  return all;
}

function madeUp(next: Random): string {
  const word = (): string =>
    syllables[between(next, 0, syllables.length - 1)] +
    (next() < 0.6 ? (syllables[between(next, 0, syllables.length - 1)] ?? "") : "");
  const line = (): string => Array.from({ length: between(next, 4, 14) }, word).join(" ");
  return Array.from({ length: 2_000 }, line).join("\n");
}

const syllables =
  "ka to rel mi san do vex lin par us the of and in is const let return import error path file line test src".split(
    " ",
  );
