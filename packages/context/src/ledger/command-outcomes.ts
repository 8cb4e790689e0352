/** Finds which commands of a shell line succeeded and which one failed, by the operators, the exit code and the output. */

import { sanitizeLine } from "../text/sanitize.ts";
import { headAndTail } from "../text/truncate.ts";
import { checkKind, decidesExitCode, isExitLine } from "./find-checks.ts";
import { MAX_LEDGER_CHARS } from "./ledger.ts";
import {
  type CommandInFolder,
  commandsInFolders,
  isReadOnlyCommand,
  parseInvocation,
  runsNoProgram,
} from "./shell-commands.ts";
import { hasEnded, hasFailed, type ToolRun, toolRunOutput, toolRunShellLine } from "./tool-runs.ts";

/** What is known about the commands of a shell line after it ran. */
export interface CommandOutcomes {
  readonly commands: readonly CommandInFolder[];
  /** The commands whose failure would have made the line fail. */
  readonly deciding: readonly CommandInFolder[];
  readonly succeeded: ReadonlySet<CommandInFolder>;
  /** The command that made the line fail; null if the line did not fail, or if it is unknown which one did. */
  readonly failed: CommandInFolder | null;
}

export function findCommandOutcomes(run: ToolRun): CommandOutcomes {
  const commands = programCommands(toolRunShellLine(run) ?? "");
  const deciding = commands.filter((_, index) => decidesExitCode(commands, index));
  if (!hasEnded(run)) return { commands, deciding, succeeded: new Set(), failed: null };
  if (!hasFailed(run)) return { commands, deciding, succeeded: new Set(deciding), failed: null };
  const failed = findFailedCommand(deciding, run);
  // Only `&&` is between these commands, so those before the failed one succeeded.
  const succeeded = new Set(failed === null ? [] : deciding.slice(0, deciding.indexOf(failed)));
  return { commands, deciding, succeeded, failed };
}

/** Parses the commands of a line that run a program. */
export function programCommands(line: string): readonly CommandInFolder[] {
  return commandsInFolders(line).filter(({ command }) => !runsNoProgram(command));
}

/** Whether a command does more than show something or change the folder. */
export function isWorkCommand({ command }: CommandInFolder): boolean {
  return !isReadOnlyCommand(command) && parseInvocation(command.words).name !== "cd";
}

/** Returns the command that failed: the only one, the one that its error message names, or the only one that can print an error. */
function findFailedCommand(deciding: readonly CommandInFolder[], run: ToolRun): CommandInFolder | null {
  if (deciding.length <= 1) return deciding[0] ?? null;
  const lines = visibleLines(toolRunOutput(run)).slice(-MAX_SEARCHED_LINES);
  const named = deciding.filter(({ command: { words } }) => {
    const isMessage = createMessageTest(parseInvocation(words).name);
    return lines.some(isMessage);
  });
  if (named.length > 0) return named.length === 1 ? (named[0] ?? null) : null;
  if (errorLines(run).length === 0) return null;
  const work = deciding.filter(isWorkCommand);
  const checks = work.filter(({ command: { words } }) => checkKind(words) !== null);
  const [only, ...more] = work.length === 1 ? work : checks;
  return only !== undefined && more.length === 0 ? only : null;
}

const MAX_SEARCHED_LINES = 50;

/** Creates the test for an error message of a program: `cp: …`, `bash: line 1: foo: command not found`, `npm error …`, `fatal: …` of git. */
function createMessageTest(name: string): (line: string) => boolean {
  const [program = ""] = name.split(" ");
  if (program === "") return () => false;
  const starts = [`${program}: `, `${program} error `, `${program} ERR! `, ...(program === "git" ? ["fatal: "] : [])];
  const inShell = `: ${program}: `;
  return (line) =>
    starts.some((start) => line.startsWith(start)) ||
    (/^(?:\/bin\/)?(?:ba|da|z)?sh: /.test(line) && line.includes(inShell));
}

/** Returns the lines of an output that have text and do not only state the exit code. */
export function visibleLines(output: string): readonly string[] {
  const lines = headAndTail(output).flatMap((text) => text.split(/[\r\n]+/));
  return lines.filter((line) => /\S/.test(line) && !isExitLine(line));
}

/** Returns the lines of an output that report an error. */
export function errorLines(run: ToolRun): readonly string[] {
  const output = toolRunOutput(run);
  return headAndTail(output).some(mayContainError) ? visibleLines(output).filter(isErrorLine) : [];
}

function isErrorLine(line: string): boolean {
  const start = sanitizeLine(line, MAX_LEDGER_CHARS.line);
  return ERROR_LINE_PATTERNS.some((pattern) => pattern.test(start));
}

/** Lines such as `TypeError: …`, `error TS2345: …`, `FAIL a.test.ts`. */
const ERROR_LINE_PATTERNS: readonly RegExp[] = [
  /(?:^|[\s[(])(?:\w{0,60}(?:Error|Exception)|error|ERROR|fatal|FATAL|panic)\b[^:]{0,30}:/,
  /^(?:FAIL(?:ED)?\s|[✗×✖]|npm (?:error|ERR!) (?:code E|\d{3} ))/,
  /command not found|no such file|permission denied|segmentation fault/i,
];

/** Returns false if no line can be an error. Most outputs have no error, and are then not split into lines. */
function mayContainError(text: string): boolean {
  if (ERROR_WORD_PATTERN.test(text) || ERROR_SIGNS.some((sign) => text.includes(sign))) return true;
  const lowercase = text.toLowerCase();
  return LOWERCASE_ERROR_SIGNS.some((sign) => lowercase.includes(sign));
}

/** Every line that matches `ERROR_LINE_PATTERNS` contains one of these. */
const ERROR_WORD_PATTERN = /(?:rror|xception|ERROR|fatal|FATAL|panic)\b[^:]{0,30}:/;
const ERROR_SIGNS = ["FAIL", "✗", "×", "✖", "npm e", "npm ERR!"];
const LOWERCASE_ERROR_SIGNS = ["command not found", "no such file", "permission denied", "segmentation fault"];
