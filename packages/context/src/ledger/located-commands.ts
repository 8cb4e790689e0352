/** Finds the program that each command of a shell line runs, and the folder it runs in. Nothing is run, and nothing is guessed. */

import { parseShellLine } from "../shell/parse-line.ts";
import type { ShellCommand } from "../shell/shell-line.ts";
import type { ShellWord } from "../shell/words.ts";

/** Empty where the line cannot be understood for certain. */
export function shellCommands(line: string): readonly ShellCommand[] {
  return parseShellLine(line)?.commands ?? [];
}

export interface Invocation {
  /** Without the folder it lies in; git's programs have two words. */
  readonly name: string;
  readonly rest: readonly ShellWord[];
}

export function invocation(words: readonly ShellWord[]): Invocation {
  const at = words.findIndex((word) => word === null || !STANDS_BEFORE.test(word));
  const first = words[at] ?? "";
  const name = first.slice(first.lastIndexOf("/") + 1);
  const rest = words.slice(at + 1);
  return name === "git" ? { name: `git ${rest[0]}`, rest: rest.slice(1) } : { name, rest };
}

/** `LANG=C` behind `env`, and programs that run another. */
const STANDS_BEFORE = /^(?:sudo|env|time|command|nohup|exec|[A-Za-z_]\w{0,99}=.*)$/s;

/** Whether it runs no program: the redirections of a loop, or `set -e`. */
export function runsNothing({ words, settings }: ShellCommand): boolean {
  return words[0] === "set" || words.length + settings.length === 0;
}

/** A command and the folder it runs in: empty where the line starts, null where nobody can say. */
export interface CommandAt {
  readonly command: ShellCommand;
  readonly folder: ShellWord;
}

/** The commands of a line, each with the folder that a `cd` before it leads to. */
export function locatedCommands(line: string): readonly CommandAt[] {
  const folders: ShellWord[] = [START];
  return shellCommands(line).map((command) => {
    enterFolder(folders, command);
    return { command, folder: folders.at(-1) ?? null };
  });
}

const START = "";

/** Where each bracket stands, the innermost last: what is changed inside does not hold outside. */
function enterFolder(folders: ShellWord[], { depth, words }: ShellCommand): void {
  while (folders.length > depth + 1) folders.pop();
  while (folders.length < depth + 1) folders.push(folders.at(-1) ?? null);
  const { name, rest } = invocation(words);
  if (name === "cd") folders[depth] = changeFolder(folders[depth] ?? null, rest);
}

function changeFolder(folder: ShellWord, [to = null, ...more]: readonly ShellWord[]): ShellWord {
  return to === null || to === "-" || more.length > 0 ? null : joinPath(folder, to);
}

/** Null where nobody can say. */
export function joinPath(folder: ShellWord, path: string): ShellWord {
  if (/^(?:[/~]|[A-Za-z]:)/.test(path) || folder === START) return path;
  return folder === null ? null : `${folder.replace(/\/$/, "")}/${path.replace(/^\.\//, "")}`;
}
