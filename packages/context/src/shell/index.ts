/** Exports `@pith/context/shell`: parses lines of bash into commands. Nothing is run, and nothing is guessed. */

export { parseShellLine } from "./parse-line.ts";
export { isStreamOrDevice, type ShellAssignment, type ShellCommand, type ShellLine } from "./shell-line.ts";
export type { ShellWord } from "./words.ts";
