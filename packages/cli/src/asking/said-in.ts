/** What is said on a command line besides its flags: words, and files by their @. */

import type { Wish } from "./wish.ts";

export interface Token {
  readonly kind: string;
  readonly value?: string | undefined;
}

/** An argument that begins with @ is a file. A lone @ is a word, and behind `--` everything is. */
export function saidIn(tokens: readonly Token[]): Pick<Wish, "words" | "files"> {
  const terminator = tokens.findIndex(({ kind }) => kind === "option-terminator");
  const end = terminator < 0 ? tokens.length : terminator;
  const before = said(tokens.slice(0, end));
  const words = [...before.filter((argument) => !isFile(argument)), ...said(tokens.slice(end))];
  return { words: words.join(" ").trim(), files: before.filter(isFile).map((argument) => argument.slice(1)) };
}

function said(tokens: readonly Token[]): readonly string[] {
  return tokens.flatMap(({ kind, value }) => (kind === "positional" && value !== undefined ? [value] : []));
}

function isFile(argument: string): boolean {
  return argument.startsWith("@") && argument.length > 1;
}
