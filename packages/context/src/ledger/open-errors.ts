/** Tracks open errors. A later success of the same command or on the same file closes an error. */

import { parseShellLine } from "../shell/parse-line.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { lineTemplate } from "../text/score-novelty.ts";
import { fileKey } from "./apply-touches.ts";
import {
  type CommandOutcomes,
  errorLines,
  findCommandOutcomes,
  isWorkCommand,
  programCommands,
  visibleLines,
} from "./command-outcomes.ts";
import { checkKind, commandInFolderText, decidesExitCode } from "./find-checks.ts";
import { type LedgerError, MAX_LEDGER_CHARS, newestErrors } from "./ledger.ts";
import { type CommandInFolder, findShellTouches, parseInvocation } from "./shell-commands.ts";
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
  if (!hasEnded(run)) return NO_ERROR_UPDATE;
  const outcomes = findCommandOutcomes(run);
  const source = findFailedSource(run, line, outcomes);
  const failure = source === null ? null : toLedgerError({ kind: "command", source, text: errorText(run) });
  const succeeded = findSucceededWork(run, outcomes);
  return { failure, closesError: succeeded.length === 0 ? null : createErrorCloser(line, succeeded) };
}

/** Returns the command that failed, or the whole line if it is unknown which one did; null if nothing failed that must succeed later. */
function findFailedSource(run: ToolRun, line: string, outcomes: CommandOutcomes): string | null {
  const { commands, deciding, failed } = outcomes;
  const last = commands.findLast(isWorkCommand);
  if (!last) return null;
  // A pipe or a later command may hide the exit code of a check; its output then shows whether it failed.
  if (!deciding.includes(last)) return isCheck(last) && errorLines(run).length > 0 ? commandInFolderText(last) : null;
  if (!hasFailed(run)) return null;
  if (failed) return isWorkCommand(failed) ? commandInFolderText(failed) : null;
  // A search that finds nothing fails without a message.
  const isSearch = !deciding.every(isWorkCommand) && errorLines(run).length === 0;
  return isSearch ? null : shortCommand(line);
}

/** Returns the commands that succeeded. One whose exit code is hidden succeeded if nothing in the output looks like an error. */
function findSucceededWork(run: ToolRun, { commands, succeeded }: CommandOutcomes): readonly CommandInFolder[] {
  const isClean = !hasFailed(run) && errorLines(run).length === 0;
  return commands.filter((command) => isWorkCommand(command) && (isClean || succeeded.has(command)));
}

const isCheck = ({ command: { words } }: CommandInFolder): boolean => checkKind(words) !== null;

/** Formats a shell line on one line, without the bodies of here-documents (LED9). */
function shortCommand(line: string): string {
  const lines = (parseShellLine(line)?.outline ?? line).split(/[\r\n]+/);
  return sanitizeLine(lines.filter((text) => /\S/.test(text)).join("; "), MAX_LEDGER_CHARS.command);
}

/** Creates the test for errors that successful commands close: the command that failed succeeded, or a check that covers more. */
function createErrorCloser(line: string, succeeded: readonly CommandInFolder[]): (error: LedgerError) => boolean {
  const successKeys = new Set(succeeded.map(commandKey));
  const changedPaths = new Set(
    findShellTouches(line).flatMap(({ path, did }) => (did === "read" ? [] : fileKey(path))),
  );
  return ({ kind, source }) => {
    if (kind === "tool") return false;
    if (kind === "file") return changedPaths.has(fileKey(source));
    // A long source is cut, so that it cannot be parsed.
    if (successKeys.has(source)) return true;
    const failed = lastDecidingCommand(source);
    return failed !== null && (successKeys.has(commandKey(failed)) || succeeded.some(isWiderCheck(failed)));
  };
}

/** In a line of which some command failed, the last one runs only if all before it succeed. So it stands for the line. */
function lastDecidingCommand(line: string): CommandInFolder | null {
  const commands = programCommands(line);
  const work = commands.filter(isWorkCommand);
  const deciding = work.filter((command) => decidesExitCode(commands, commands.indexOf(command)));
  return deciding.at(-1) ?? work.at(-1) ?? null;
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

/** The message and the options of a commit differ from one commit to the next. */
function commandKey({ command, folder }: CommandInFolder): string {
  const { name } = parseInvocation(command.words);
  const text = name === "git commit" ? name : command.text;
  return sanitizeLine(commandInFolderText({ command: { ...command, text }, folder }), MAX_LEDGER_CHARS.command);
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
