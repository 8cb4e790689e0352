/** Words of bash that take the name of a variable: a name may have a subscript, and what is substituted in a subscript is run, whatever quotes it came in. */

import type { Word } from "./reader.ts";

type Check = (others: readonly Word[]) => boolean;

/** By its name: whether these words could run anything. */
export const naming: ReadonlyMap<string, Check> = new Map([
  ...each(["test"], (others) => others.some((word) => word !== null && isRun(word)) || isTestOfName(others)),
  ...each(["printf"], (others) => others[0] !== undefined && isNaming(others[0]) && others.some(isRun)),
  ...each(["read", "unset", "getopts", "wait"], (others) => others.some(isRun)),
  ...each(["mapfile", "readarray"], (others) => others.some((word) => isRun(word) || /^-\w*C/.test(word ?? ""))),
  // An integer is computed, and a reference is another name.
  ...each(["declare", "typeset", "local", "readonly"], (others) =>
    others.some((word) => isRun(word) || /^-\w*[in]/.test(word ?? "")),
  ),
  ...each(["export"], (others) => others.some((word) => word !== null && isRun(word))),
]);

function isTestOfName(others: readonly Word[]): boolean {
  return others.includes(null) && others.some((word) => word === "-v" || word === "-R");
}

function isNaming(word: Word): boolean {
  return word === null || word.startsWith("-v");
}

function isRun(word: Word): boolean {
  return word === null || /\[[^\]]*[$`]/.test(word);
}

function each(names: readonly string[], check: Check): readonly (readonly [string, Check])[] {
  return names.map((name) => [name, check]);
}
