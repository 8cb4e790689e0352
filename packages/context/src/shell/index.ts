/** Exports `@pith/context/shell`: parses lines of bash into commands. Nothing is run, and nothing is guessed. */

export { parseShellLine } from "./parse-line.ts";
export { isNoFile, type ShellCommand, type ShellLine, type ShellSetting } from "./shell-line.ts";
export type { ShellWord } from "./words.ts";
