/** The words of a command apart: the letters of its options, and what is left to be files. */

import type { Word } from "./shell-words.ts";

export interface Operands {
  /** One letter each, in order. */
  readonly options: string;
  readonly paths: readonly Word[];
}

/** How a program takes its words. */
export interface Taking {
  /** Options that take the word behind them. */
  readonly takes?: string;
  /** The first operand is a pattern or a script, unless one of these options brings it. */
  readonly script?: string;
}

export function operands(words: readonly Word[], { takes = "", script }: Taking): Operands {
  const over = words.indexOf("--");
  const paths: Word[] = [];
  let options = "";
  let isTaken = false;
  for (const word of over < 0 ? words : words.slice(0, over)) {
    const said: Options | null = isTaken ? null : optionsIn(word, takes);
    if (said) options += said.letters;
    else if (!isTaken) paths.push(word);
    isTaken = said?.takesNext ?? false;
  }
  // The empty word is how one kind of `sed -i` says that it wants no copy.
  const named = paths.concat(over < 0 ? [] : words.slice(over + 1)).filter((path) => path !== "");
  const isScripted = script !== undefined && ![...script].some((letter) => options.includes(letter));
  return { options, paths: isScripted ? named.slice(1) : named };
}

interface Options {
  readonly letters: string;
  readonly takesNext: boolean;
}

/** `-ni.bak` says n and i; behind a letter that takes a value comes the value. Null for a word that is no option. */
function optionsIn(word: Word, takes: string): Options | null {
  const [, long, short] = /^-(?:(-[\w-]{1,40})|(\w{1,40}))/.exec(word ?? "") ?? [];
  if (long !== undefined) return { letters: LONG[long] ?? "", takesNext: false };
  if (short === undefined) return null;
  const valued = [...short].findIndex((letter) => takes.includes(letter));
  if (valued < 0) return { letters: short, takesNext: false };
  return { letters: short.slice(0, valued + 1), takesNext: word?.length === valued + 2 };
}

const LONG: Readonly<Record<string, string>> = { "-in-place": "i", "-recursive": "r" };
