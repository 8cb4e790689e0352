/** Words that wait, in one line: the first of them, and how many more there are; files that are said with them are named in them. Pure. */

import { counted } from "../../printing/amounts.ts";

/** Once, when they begin to wait: they may be long, and are drawn often. */
export function queuedWords(said: readonly string[]): readonly string[] {
  return said.map(inOneLine);
}

function inOneLine(text: string): string {
  const words = text.replaceAll(ATTACHED, "").trim();
  const end = words.indexOf("\n");
  const first = (end < 0 ? words : words.slice(0, end)).slice(0, MOST_LETTERS);
  const more = words.split("\n").length - 1;
  return more === 0 ? first : `${first} (+${counted(more, "line")})`;
}

/** Wider is no terminal. */
const MOST_LETTERS = 1_000;

const ATTACHED =
  /^<(file|folder) path="[^"\n]*">\n[\s\S]*?\n<\/\1>\n|^The picture [^\n]+:\n(?=\[image\/)|^\[picture \d+: [^\]\n]+\]\n(?=\[image\/)|^\[image\/\w+\]\n/gm;
