/** Lists the few commands that are harmless with any arguments. Only these are offered as a rule on all that begins so. */

import type { Rule } from "./rules.ts";

/**
 * What a command must hold to be in these lists: none of its options and arguments writes a file, runs a program, sends anything or changes
 * where the next command acts. So `sort` (`-o`), `uniq` (a second file), `tree` (`-o`), `date` (`-s`), `sourceFile` (`-C`, `-z`), `makeDiff` (`-l`
 * runs pr), `find`, `rg` (`--pre`), `less`, `printf` (`-v`), `cd`, and `git log`, `git diff`, `git show` and `git blame` (`--output`) are
 * in none of them. `harmless-commands.test.ts` runs each one with every way out that its kind has.
 */
const NAME_COMMANDS: readonly string[] = [
  ...["ls", "pwd", "stat", "echo", "basename", "dirname", "realpath", "readlink"],
  ...["which", "uname", "whoami", "id", "nproc"],
  ...["git status", "git ls-files", "git rev-parse"],
];

/** They show what is in a file. In a sandbox that is what the sandbox shows; without one it is every key of the user. */
const FILE_READING_COMMANDS: readonly string[] = ["cat", "head", "tail", "wc", "du", "grep", "cut", "nl", "tac"];

export interface HarmlessOptions {
  /** Whether the command runs in a sandbox, in which the places where secrets are kept are closed. */
  readonly isConfined: boolean;
}

/** The beginning of this command that may be permitted with any arguments, such as `git status`; null where there is none. */
export function harmlessPrefix(words: readonly string[], { isConfined }: HarmlessOptions): string | null {
  const prefixes = isConfined ? [...NAME_COMMANDS, ...FILE_READING_COMMANDS] : NAME_COMMANDS;
  return prefixes.find((prefix) => startsWithWords(words, prefix.split(" "))) ?? null;
}

function startsWithWords(words: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((word, index) => words[index] === word);
}

/** False for a rule on all that begins so, where it would permit more than harmless commands. */
export function isHarmlessRule({ pattern }: Rule): boolean {
  if (pattern?.type !== "command" || !pattern.isPrefix) return true;
  return harmlessPrefix(pattern.words ?? [], { isConfined: true }) !== null;
}

/** Every beginning that can be offered. */
export const HARMLESS_PREFIXES: readonly string[] = [...NAME_COMMANDS, ...FILE_READING_COMMANDS];
