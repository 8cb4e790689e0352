/** Follows the errors that are still open: a later success of the same command, or on the same file, closes one. */

import { parseShellLine } from "../shell/parse-line.ts";
import { plainText } from "../text/sanitize.ts";
import { lineTemplate } from "../text/score-units.ts";
import { edges } from "../text/truncate.ts";
import { checkKind, hasOwnExitCode, isExitLine, locatedText } from "./check-command.ts";
import { LETTERS, type LedgerError, newestErrors } from "./ledger.ts";
import { type CommandAt, invocation, locatedCommands, runsNothing } from "./located-commands.ts";
import { isLook as onlyShows, shellTouches } from "./shell-files.ts";
import { exitCode, hasEnded, hasFailed, isLook, type Run, runOutput, shellLine } from "./tool-runs.ts";

/** The errors that are open after these runs. */
export function updateErrors(before: readonly LedgerError[], runs: readonly Run[]): readonly LedgerError[] {
  return runs.reduce((open, run) => {
    const { failure, isClosed } = runVerdict(run);
    const left = isClosed ? open.filter((error) => !isClosed(error)) : open;
    return failure ? newestErrors([...left, failure]) : left;
  }, before);
}

interface Verdict {
  readonly failure: LedgerError | null;
  readonly isClosed: ((error: LedgerError) => boolean) | null;
}

const NO_VERDICT: Verdict = { failure: null, isClosed: null };

function runVerdict(run: Run): Verdict {
  const line = shellLine(run);
  // What only looks can be looked at again; its failure is no error of the work.
  if (isLook(run)) return NO_VERDICT;
  if (line !== null) return shellVerdict(run, line);
  const [path] = run.meaning.modifies;
  const [kind, source] = path === undefined ? (["tool", run.tool] as const) : (["file", path] as const);
  if (!hasFailed(run)) {
    const sources = path === undefined ? [source] : run.meaning.modifies;
    return { failure: null, isClosed: (error) => error.kind === kind && sources.includes(error.source) };
  }
  const [first = ""] = visibleLines(runOutput(run));
  return { failure: toError({ kind, source, text: first }), isClosed: null };
}

function toError({ kind, source, text }: LedgerError): LedgerError | null {
  const named = kind === "file" ? source.slice(0, LETTERS.path) : plainText(source, LETTERS.command);
  return /\S/.test(named) ? { kind, source: named, text: plainText(text, LETTERS.line) || "no message" } : null;
}

function shellVerdict(run: Run, line: string): Verdict {
  const commands = locatedCommands(line).filter(({ command }) => !runsNothing(command));
  const at = commands.findLastIndex(isWork);
  const last = commands[at];
  if (!last || !hasEnded(run)) return NO_VERDICT;
  const isCheck = checkKind(last.command.words) !== null;
  const isKnown = hasOwnExitCode(commands, at);
  // A pipe or a later command hides how a check ended: then its output says so.
  const failed = isKnown ? hasFailed(run) : isCheck && errorLines(run).length > 0;
  if (failed) {
    const source = isCheck ? locatedText(last) : shortCommand(line);
    return { failure: toError({ kind: "command", source, text: errorText(run) }), isClosed: null };
  }
  if (!isKnown && !isCheck && errorLines(run).length > 0) return NO_VERDICT;
  return { failure: null, isClosed: closedBy(line, commands.filter(isWork)) };
}

/** Does something, other than looking and changing the folder. */
function isWork({ command }: CommandAt): boolean {
  return !onlyShows(command) && invocation(command.words).name !== "cd";
}

/** LED9: on one line, without the bodies of here-documents. */
export function shortCommand(line: string): string {
  const lines = (parseShellLine(line)?.outline ?? line).split(/[\r\n]+/);
  return plainText(lines.filter((each) => /\S/.test(each)).join("; "), LETTERS.command);
}

/** A line that ran all commands of a failed one, and did not fail, closes its error; so does a check that checks more. */
function closedBy(line: string, work: readonly CommandAt[]): (error: LedgerError) => boolean {
  const whole = shortCommand(line);
  const done = new Set(work.map(commandKey));
  return ({ kind, source }) => {
    if (kind === "tool") return false;
    if (kind === "file") return shellTouches(line).some(({ path, did }) => did === "modified" && path === source);
    const needed = locatedCommands(source).filter((each) => isWork(each) && !runsNothing(each.command));
    if (source === whole) return true;
    return needed.length > 0 && needed.every((each) => done.has(commandKey(each)) || work.some(isWiderThan(each)));
  };
}

/** `npm test` checks all that `npm test src/a` does, in the same folder. An option may select something else. */
function isWiderThan({ command: { words }, folder }: CommandAt): (other: CommandAt) => boolean {
  const kind = checkKind(words);
  return ({ command: { words: others }, folder: otherFolder }) =>
    kind !== null &&
    checkKind(others) === kind &&
    otherFolder === folder &&
    others.length < words.length &&
    others.every((word, at) => word === words[at]) &&
    words.slice(others.length).every((word) => word !== null && !word.startsWith("-"));
}

function commandKey(located: CommandAt): string {
  return plainText(locatedText(located), LETTERS.command);
}

function errorText(run: Run): string {
  const errors = errorLines(run);
  const said = errors.length > 0 ? errors : visibleLines(runOutput(run)).filter((line) => /\p{L}/u.test(line));
  const distinct = [...new Map(said.slice(-READ_LINES).map((line) => [lineTemplate(line), line])).values()];
  const chosen = errors.length > 0 ? distinct.slice(-2) : distinct.slice(-1);
  const text = chosen.map((line) => plainText(line, LETTERS.line / 2)).join(" … ");
  return text === "" ? `exit code ${exitCode(run) ?? "unknown"}` : text;
}

const READ_LINES = 50;

function visibleLines(output: string): readonly string[] {
  const lines = edges(output).flatMap((text) => text.split(/[\r\n]+/));
  return lines.filter((line) => /\S/.test(line) && !isExitLine(line));
}

function errorLines(run: Run): readonly string[] {
  const output = runOutput(run);
  return edges(output).some(mayHoldError) ? visibleLines(output).filter(isErrorLine) : [];
}

function isErrorLine(line: string): boolean {
  const start = plainText(line, LETTERS.line);
  return ERRORS.some((error) => error.test(start));
}

/** `TypeError: …`, `error TS2345: …`, `FAIL a.test.ts`: a word that programs use for trouble, and then what it was. */
const ERRORS: readonly RegExp[] = [
  /(?:^|[\s[(])(?:\w{0,60}(?:Error|Exception)|error|ERROR|fatal|FATAL|panic)\b[^:]{0,30}:/,
  /^(?:FAIL(?:ED)?\s|[✗×✖]|npm (?:error|ERR!) (?:code E|\d{3} ))/,
  /command not found|no such file|permission denied|segmentation fault/i,
];

/** False where no line can be an error: most outputs have none, and are not split into lines. */
function mayHoldError(text: string): boolean {
  if (WORD_AND_WHAT.test(text) || SIGNS.some((sign) => text.includes(sign))) return true;
  const small = text.toLowerCase();
  return SMALL_SIGNS.some((sign) => small.includes(sign));
}

/** One of these is in every line that `ERRORS` finds. */
const WORD_AND_WHAT = /(?:rror|xception|ERROR|fatal|FATAL|panic)\b[^:]{0,30}:/;
const SIGNS = ["FAIL", "✗", "×", "✖", "npm e", "npm ERR!"];
const SMALL_SIGNS = ["command not found", "no such file", "permission denied", "segmentation fault"];
