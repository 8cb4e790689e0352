/** What stands between the name of a program and what it is told to do, and makes no difference to it: `git -C . push`. */

import type { Word } from "./reader.ts";

/** Without git's own options; any other command as it is. */
export function withoutOptions(words: readonly Word[]): readonly Word[] {
  if (words[0] !== "git") return words;
  let at = 1;
  while (words[at]?.startsWith("-")) at += valued.has(words[at] ?? "") ? 2 : 1;
  return ["git", ...words.slice(at)];
}

const valued: ReadonlySet<string> = new Set([
  ...["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"],
]);

/** Whether options stand before this subcommand: which of them have a value only the program knows. */
export function mayComeLater(words: readonly Word[], [program, subcommand]: readonly string[]): boolean {
  if (subcommand === undefined || words[0] !== program || !words[1]?.startsWith("-")) return false;
  return !subcommand.startsWith("-") && words.slice(2).some((word) => word === null || word === subcommand);
}
