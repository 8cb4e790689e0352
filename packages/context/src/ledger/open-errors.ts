/** Tracks open errors. A later success of the same command or on the same file closes an error. */

import { parseShellLine } from "../shell/parse-line.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { lineTemplate } from "../text/score-novelty.ts";
import { headAndTail } from "../text/truncate.ts";
import { checkKind, commandInFolderText, decidesExitCode, isExitLine } from "./find-checks.ts";
import { type LedgerError, MAX_LEDGER_CHARS, newestErrors } from "./ledger.ts";
import {
  type CommandInFolder,
  commandsInFolders,
  findShellTouches,
  isReadOnlyCommand,
  parseInvocation,
  runsNoProgram,
} from "./shell-commands.ts";
import {
  hasEnded,
  hasFailed,
  isReadOnlyRun,
  type ToolRun,
  toolRunExitCode,
  toolRunOutput,
  toolRunShellLine,
  wasStoppedOrDenied,
} from "./tool-runs.ts";

/** Returns the errors that are open after these runs. */
export function updateErrors(before: readonly LedgerError[], runs: readonly ToolRun[]): readonly LedgerError[] {
  return runs.reduce((open, run) => {
    const { failure, closesError } = findErrorUpdate(run);
    const stillOpen = closesError ? open.filter((error) => !closesError(error)) : open;
    return failure ? newestErrors([...stillOpen, failure]) : stillOpen;
  }, before);
}

interface ErrorUpdate {
  readonly failure: LedgerError | null;
  readonly closesError: ((error: LedgerError) => boolean) | null;
}

const NO_ERROR_UPDATE: ErrorUpdate = { failure: null, closesError: null };

function findErrorUpdate(run: ToolRun): ErrorUpdate {
  const line = toolRunShellLine(run);
  // A failed read can be repeated, so it is not an open error.
  if (isReadOnlyRun(run) || wasStoppedOrDenied(run)) return NO_ERROR_UPDATE;
  if (line !== null) return findShellErrorUpdate(run, line);
  const [path] = run.effects.modifies;
  const [kind, source] = path === undefined ? (["tool", run.tool] as const) : (["file", path] as const);
  if (!hasFailed(run)) {
    const sources = path === undefined ? [source] : run.effects.modifies;
    return { failure: null, closesError: (error) => error.kind === kind && sources.includes(error.source) };
  }
  const [first = ""] = visibleLines(toolRunOutput(run));
  return { failure: toLedgerError({ kind, source, text: first }), closesError: null };
}

function toLedgerError({ kind, source, text }: LedgerError): LedgerError | null {
  const sourceText =
    kind === "file" ? source.slice(0, MAX_LEDGER_CHARS.path) : sanitizeLine(source, MAX_LEDGER_CHARS.command);
  return /\S/.test(sourceText)
    ? { kind, source: sourceText, text: sanitizeLine(text, MAX_LEDGER_CHARS.line) || "no message" }
    : null;
}

function findShellErrorUpdate(run: ToolRun, line: string): ErrorUpdate {
  const commands = commandsInFolders(line).filter(({ command }) => !runsNoProgram(command));
  const index = commands.findLastIndex(isWorkCommand);
  const last = commands[index];
  if (!last || !hasEnded(run)) return NO_ERROR_UPDATE;
  const isCheck = checkKind(last.command.words) !== null;
  const isExitCodeKnown = decidesExitCode(commands, index);
  // A pipe or a later command may hide the exit code of a check; its output then shows whether it failed.
  const hasFailure = isExitCodeKnown ? hasFailed(run) : isCheck && errorLines(run).length > 0;
  if (hasFailure) {
    const source = isCheck ? commandInFolderText(last) : shortCommand(line);
    return { failure: toLedgerError({ kind: "command", source, text: errorText(run) }), closesError: null };
  }
  if (!isExitCodeKnown && !isCheck && errorLines(run).length > 0) return NO_ERROR_UPDATE;
  return { failure: null, closesError: createErrorCloser(line, commands.filter(isWorkCommand)) };
}

/** Whether a command does more than show something or change the folder. */
function isWorkCommand({ command }: CommandInFolder): boolean {
  return !isReadOnlyCommand(command) && parseInvocation(command.words).name !== "cd";
}

/** Formats a shell line on one line, without the bodies of here-documents (LED9). */
export function shortCommand(line: string): string {
  const lines = (parseShellLine(line)?.outline ?? line).split(/[\r\n]+/);
  return sanitizeLine(lines.filter((text) => /\S/.test(text)).join("; "), MAX_LEDGER_CHARS.command);
}

/** Creates the test for errors that a successful line closes: it ran all commands of the failed line, or a check that covers more. */
function createErrorCloser(line: string, work: readonly CommandInFolder[]): (error: LedgerError) => boolean {
  const lineText = shortCommand(line);
  const successKeys = new Set(work.map(commandKey));
  return ({ kind, source }) => {
    if (kind === "tool") return false;
    if (kind === "file") return findShellTouches(line).some(({ path, did }) => did === "modified" && path === source);
    if (source === lineText) return true;
    const failedCommands = commandsInFolders(source).filter(
      (failed) => isWorkCommand(failed) && !runsNoProgram(failed.command),
    );
    return (
      failedCommands.length > 0 &&
      failedCommands.every((failed) => successKeys.has(commandKey(failed)) || work.some(isWiderCheck(failed)))
    );
  };
}

/** Creates the test for a wider check: `npm test` covers `npm test src/a` in the same folder. An option may select something else. */
function isWiderCheck({ command: { words }, folder }: CommandInFolder): (other: CommandInFolder) => boolean {
  const kind = checkKind(words);
  return ({ command: { words: otherWords }, folder: otherFolder }) =>
    kind !== null &&
    checkKind(otherWords) === kind &&
    otherFolder === folder &&
    otherWords.length < words.length &&
    otherWords.every((word, index) => word === words[index]) &&
    words.slice(otherWords.length).every((word) => word !== null && !word.startsWith("-"));
}

function commandKey(command: CommandInFolder): string {
  return sanitizeLine(commandInFolderText(command), MAX_LEDGER_CHARS.command);
}

function errorText(run: ToolRun): string {
  const errors = errorLines(run);
  const lines = errors.length > 0 ? errors : visibleLines(toolRunOutput(run)).filter((line) => /\p{L}/u.test(line));
  const distinct = [...new Map(lines.slice(-MAX_ERROR_LINES).map((line) => [lineTemplate(line), line])).values()];
  const selection = errors.length > 0 ? distinct.slice(-2) : distinct.slice(-1);
  const text = selection.map((line) => sanitizeLine(line, MAX_LEDGER_CHARS.line / 2)).join(" … ");
  return text === "" ? `exit code ${toolRunExitCode(run) ?? "unknown"}` : text;
}

const MAX_ERROR_LINES = 50;

function visibleLines(output: string): readonly string[] {
  const lines = headAndTail(output).flatMap((text) => text.split(/[\r\n]+/));
  return lines.filter((line) => /\S/.test(line) && !isExitLine(line));
}

function errorLines(run: ToolRun): readonly string[] {
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
