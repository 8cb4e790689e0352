/** Finds the program that each command of a shell line runs, and the folder it runs in. Nothing is run, and nothing is guessed. */

import { parseShellLine } from "../shell/parse-line.ts";
import type { ShellCommand } from "../shell/shell-line.ts";
import type { ShellWord } from "../shell/words.ts";

/** Empty where the line cannot be understood for certain. */
export function parseShellCommands(line: string): readonly ShellCommand[] {
  return parseShellLine(line)?.commands ?? [];
}

export interface Invocation {
  /** Without the folder it lies in; git's programs have two words. */
  readonly name: string;
  readonly args: readonly ShellWord[];
}

export function parseInvocation(words: readonly ShellWord[]): Invocation {
  const index = words.findIndex((word) => word === null || !COMMAND_PREFIX_PATTERN.test(word));
  const first = words[index] ?? "";
  const name = first.slice(first.lastIndexOf("/") + 1);
  const args = words.slice(index + 1);
  return name === "git" ? { name: `git ${args[0]}`, args: args.slice(1) } : { name, args };
}

/** `LANG=C` behind `env`, and programs that run another. */
const COMMAND_PREFIX_PATTERN = /^(?:sudo|env|time|command|nohup|exec|[A-Za-z_]\w{0,99}=.*)$/s;

/** Whether it runs no program: the redirections of a loop, or `set -e`. */
export function runsNoProgram({ words, assignments }: ShellCommand): boolean {
  return words[0] === "set" || words.length + assignments.length === 0;
}

/** A command and the folder it runs in: empty where the line starts, null where nobody can say. */
export interface CommandInFolder {
  readonly command: ShellCommand;
  readonly folder: ShellWord;
}

/** The commands of a line, each with the folder that a `cd` before it leads to. */
export function commandsInFolders(line: string): readonly CommandInFolder[] {
  const folders: ShellWord[] = [START_FOLDER];
  return parseShellCommands(line).map((command) => {
    enterFolder(folders, command);
    return { command, folder: folders.at(-1) ?? null };
  });
}

const START_FOLDER = "";

/** Where each bracket stands, the innermost last: what is changed inside does not hold outside. */
function enterFolder(folders: ShellWord[], { depth, words }: ShellCommand): void {
  while (folders.length > depth + 1) folders.pop();
  while (folders.length < depth + 1) folders.push(folders.at(-1) ?? null);
  const { name, args } = parseInvocation(words);
  if (name === "cd") folders[depth] = changeFolder(folders[depth] ?? null, args);
}

function changeFolder(folder: ShellWord, [target = null, ...more]: readonly ShellWord[]): ShellWord {
  return target === null || target === "-" || more.length > 0 ? null : joinPath(folder, target);
}

/** Null where nobody can say. */
export function joinPath(folder: ShellWord, path: string): ShellWord {
  if (/^(?:[/~]|[A-Za-z]:)/.test(path) || folder === START_FOLDER) return path;
  return folder === null ? null : `${folder.replace(/\/$/, "")}/${path.replace(/^\.\//, "")}`;
}
