/** The commands that a shell line holds, as data. */

import type { ShellWord } from "./words.ts";

export interface ShellAssignment {
  readonly name: string;
  readonly value: ShellWord;
}

/** One command of a shell line: its assignments, words and redirections. */
export interface ShellCommand {
  /** The program and its arguments, without quotes. Empty where only variables are set, or where a group of commands is redirected. */
  readonly words: readonly ShellWord[];
  /** Each word as far as it is known: `--exec=` of `--exec=$X`. */
  readonly knownPrefixes: readonly string[];
  /** Variables set before it: `CI=1 npm test`. */
  readonly assignments: readonly ShellAssignment[];
  /** As it was written, without here-documents and without redirections that name no file. */
  readonly text: string;
  /** What joins it to the command before it: `&&`, `||`, `|`, `|&`, `;`, `&` or a line end; empty for the first one. */
  readonly operator: string;
  /** How many parentheses and substitutions it stands in. */
  readonly depth: number;
  readonly inputPaths: readonly ShellWord[];
  readonly outputPaths: readonly ShellWord[];
  /** The bodies of its here-documents and here-strings. */
  readonly heredocBodies: readonly ShellWord[];
  /** Nothing but words: no variable set, nothing substituted, redirected, commented or nested. */
  readonly isPlain: boolean;
}

export interface ShellLine {
  /** What is substituted in a command comes before it, what is substituted in its here-document behind it. */
  readonly commands: readonly ShellCommand[];
  /** The line without the bodies of its here-documents. */
  readonly outline: string;
}

/** Standard input, the numbers of open files, and devices. */
export function isStreamOrDevice(path: string): boolean {
  return /^(?:-|\d{1,3}|\/dev\/.*)$/s.test(path);
}
