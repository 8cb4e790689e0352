/** Collects the ledger of entries from their messages and tool runs, and from the ledgers that summaries among them carry. */

import type { BranchSummaryEntry, CompactionEntry, Entry } from "../entry.ts";
import { isObject } from "../format/read-line.ts";
import type { BashExecutionMessage, ToolResultMessage } from "../message.ts";
import { rareLines } from "../text/excerpt.ts";
import { plainText } from "../text/sanitize.ts";
import { lineTemplate } from "../text/score-units.ts";
import { edges } from "../text/truncate.ts";
import {
  emptyLedger,
  LETTERS,
  type Ledger,
  type LedgerCommand,
  type LedgerImage,
  type LedgerLine,
  mergedInOrder,
  newestCommands,
  newestFound,
  wanted,
} from "./ledger.ts";
import { carriesLedger, ledgerIn } from "./read-ledger.ts";
import { imagesOf, referencesOf, type Said, saidIn, textsOf } from "./references.ts";
import { onlyLooks } from "./shell-command.ts";
import { type CallMeaning, callMeaning, callResults, callsIn, fileTouches, type ToolRoles } from "./touched-files.ts";

/** Null for a failure without a code. */
export function toldExitCode({ details, isError }: ToolResultMessage, output: string): number | null {
  const told = isObject(details) ? details.exitCode : null;
  if (Number.isSafeInteger(told)) return Number(told);
  const last = output.slice(-200).trimEnd();
  const [, code] = EXIT.exec(last.slice(last.lastIndexOf("\n") + 1)) ?? [];
  if (code !== undefined) return Number(code);
  return isError === true ? null : 0;
}

/** Whether a line says no more than how the command ended, or that it was silent. */
export function isExitLine(line: string): boolean {
  return line.length < 100 && (EXIT.test(line) || line.trim() === "(no output)");
}

const EXIT = /\bexit(?:ed)?(?: with)?(?: exit)? (?:code|status)[: ] {0,2}(-?\d{1,10})\b/i;

/** A tool call or shell line with its result. The output is not read before it is needed. */
export interface Run {
  readonly meaning: CallMeaning;
  /** Where the call stands. */
  readonly calledIn: string;
  /** Null for a call that was never answered. */
  readonly answer: ToolResultMessage | BashExecutionMessage | null;
  /** Where the output stands. */
  readonly entryId: string;
}

/** In the order in which they ended. */
export function runsIn(said: readonly Said[], roles: ToolRoles): readonly Run[] {
  const results = callResults(said.map(({ message }) => message));
  const calls = new Map<ToolResultMessage, Called>();
  return said.flatMap(({ entryId, message }): readonly Run[] => {
    if (message.role === "bashExecution") return [ofUser(message, entryId)];
    if (message.role === "toolResult") return [answered(message, entryId, calls.get(message))];
    if (message.role !== "assistant") return [];
    return callsIn(message).flatMap((call) => {
      const called = { meaning: callMeaning(call, roles), calledIn: entryId };
      const result = results.get(call);
      if (result) calls.set(result, called);
      return result ? [] : [{ ...called, answer: null, entryId }];
    });
  });
}

type Called = Pick<Run, "meaning" | "calledIn">;

function ofUser(answer: BashExecutionMessage, entryId: string): Run {
  return { meaning: { ...NOTHING_SAID, runs: [answer.command] }, calledIn: entryId, answer, entryId };
}

function answered(answer: ToolResultMessage, entryId: string, called: Called | undefined): Run {
  const { meaning = NOTHING_SAID, calledIn = entryId } = called ?? {};
  return { meaning, calledIn, answer, entryId };
}

const NOTHING_SAID: CallMeaning = { reads: [], modifies: [], runs: [] };

/** Null for a tool that runs no shell line. */
export function shellLine({ meaning: { runs } }: Run): string | null {
  return runs[0] ?? null;
}

/** The first file that the call names. */
export function pathOf({ meaning: { reads, modifies } }: Run): string | null {
  return modifies[0] ?? reads[0] ?? null;
}

export function outputOf({ answer }: Run): string {
  if (answer?.role === "bashExecution") return answer.output ?? "";
  return answer ? textsOf(answer).join("\n") : "";
}

/** Null where it is not known. */
export function exitCode(run: Run): number | null {
  const { answer } = run;
  if (answer?.role === "bashExecution") return typeof answer.exitCode === "number" ? answer.exitCode : null;
  return answer && toldExitCode(answer, outputOf(run));
}

export function failed({ answer }: Run): boolean {
  if (answer?.role === "bashExecution") return answer.cancelled || (answer.exitCode ?? 0) !== 0;
  return answer?.isError === true;
}

/** Whether it shows what can be had again: a file, a search, a listing. */
export function isLook(run: Run): boolean {
  const command = shellLine(run);
  const { reads, modifies } = run.meaning;
  return command === null ? reads.length > 0 && modifies.length === 0 : onlyLooks(command);
}

/** Looked for from the end: a run that ended as a newer one did, with the same output, has nothing new. */
export function unlessRepeated<Item>(find: (run: Run) => readonly Item[]): (run: Run) => readonly Item[] {
  const seen = new Map<string, Run>();
  return (run) => {
    const output = outputOf(run);
    const newer = output === "" ? undefined : seen.get(output);
    if (newer && failed(newer) === failed(run) && isLook(newer) === isLook(run)) return [];
    seen.set(output, run);
    return find(run);
  };
}

/** None for a tool that runs no shell line. */
export function commandOf(run: Run): readonly LedgerCommand[] {
  const command = plainText(shellLine(run) ?? "", LETTERS.command);
  return command === "" ? [] : [{ command, exitCode: exitCode(run), entryId: run.calledIn }];
}

/** The first two and the last; of a failure that names none, its last words. */
export function errorsOf(run: Run): readonly LedgerLine[] {
  const hasFailed = failed(run);
  const ends = edges(outputOf(run));
  if (!hasFailed && !(ends.some(mayTell) && !isLook(run))) return [];
  const lines = ends.flatMap((text) => text.split(/[\r\n]+/)).filter((line) => /\S/.test(line) && !isExitLine(line));
  const errors = distinct(lines.filter(isError));
  const chosen =
    errors.length > 0 || !hasFailed ? [...errors.slice(0, 2), ...errors.slice(2).slice(-1)] : lines.slice(-1);
  return chosen
    .map((line) => ({ text: plainText(line, LETTERS.line), entryId: run.entryId }))
    .filter(({ text }) => text !== "");
}

function distinct(lines: readonly string[]): readonly string[] {
  return [...new Map(lines.map((line) => [lineTemplate(line), line])).values()];
}

function isError(line: string): boolean {
  const start = line.slice(0, LETTERS.line);
  return ERRORS.some((error) => error.test(start));
}

/** `TypeError: …`, `error TS2345: …`, `FAIL a.test.ts`: a word for trouble, and then what it was. */
const ERRORS: readonly RegExp[] = [
  /(?:^|[\s[(])(?:\w{0,60}(?:Error|Exception)|error|ERROR|fatal|FATAL|panic)\b[^:]{0,30}:/,
  /^\s{0,20}(?:FAIL(?:ED)?\s|[✗×✖]|npm (?:error|ERR!) (?:code E|\d{3} ))/,
  /command not found|no such file|permission denied|segmentation fault/i,
];

/** False where no line can be an error: most outputs tell of none, and are not taken apart. */
function mayTell(text: string): boolean {
  if (WORD_AND_WHAT.test(text) || SIGNS.some((sign) => text.includes(sign))) return true;
  const small = text.toLowerCase();
  return SMALL_SIGNS.some((sign) => small.includes(sign));
}

/** One of these is in every line that `ERRORS` finds. */
const WORD_AND_WHAT = /(?:rror|xception|ERROR|fatal|FATAL|panic)\b[^:]{0,30}:/;
const SIGNS = ["FAIL", "✗", "×", "✖", "npm e", "npm ERR!"];
const SMALL_SIGNS = ["command not found", "no such file", "permission denied", "segmentation fault"];

/** None of what can be had again by looking again. */
export function linesOf(run: Run): readonly LedgerLine[] {
  const output = outputOf(run);
  if (output.length < LONG || isLook(run)) return [];
  const told = new Set(errorsOf(run).map(({ text }) => lineTemplate(text)));
  return rareLines(output, { lines: MOST_PER_OUTPUT })
    .filter((text) => !told.has(lineTemplate(text)) && !isExitLine(text))
    .map((text) => ({ text, entryId: run.entryId }));
}

/** In letters. A shorter output is soon told whole. */
const LONG = 2_000;
const MOST_PER_OUTPUT = 6;

/** Of a branch, or of any part of one that does not part a call from its result. */
export function ledgerOf(entries: readonly Entry[], roles: ToolRoles = {}): Ledger {
  const untold = untoldEntries(entries);
  // pi's lists know neither order nor origin, so all that is known better counts as newer.
  const lists = untold.filter(isForeignSummary).map(carried);
  const stretches = stretchesOf(untold.filter((entry) => !isForeignSummary(entry)));
  return mergedInOrder([...lists, ...stretches.map((stretch) => ledgerOfStretch(stretch, roles))]);
}

// What a compaction covers stands in its ledger; told again, files that were rolled up would be counted twice.
function untoldEntries(entries: readonly Entry[]): readonly Entry[] {
  const at = entries.findLastIndex((entry) => entry.type === "compaction" && carriesLedger(entry.details));
  const compaction = entries[at];
  if (compaction?.type !== "compaction") return entries;
  const first = entries.findIndex(({ id }) => id === compaction.firstKeptEntryId);
  const kept = entries.slice(Math.max(first, 0), at).filter(({ type }) => type !== "compaction");
  return [compaction, ...kept, ...entries.slice(at + 1)];
}

type Summary = CompactionEntry | BranchSummaryEntry;

function isSummary(entry: Entry | undefined): entry is Summary {
  return entry?.type === "compaction" || entry?.type === "branch_summary";
}

function isForeignSummary(entry: Entry): entry is Summary {
  return isSummary(entry) && !carriesLedger(entry.details);
}

function carried({ id, details }: Summary): Ledger {
  return ledgerIn(details, id) ?? emptyLedger;
}

/** Each summary by itself, and what stands between them. */
function stretchesOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const stretches: Entry[][] = [[]];
  for (const entry of entries) {
    if (isSummary(entry)) stretches.push([entry], []);
    else stretches.at(-1)?.push(entry);
  }
  return stretches;
}

// A first compaction may cover a hundred thousand entries: only files are taken from all of them.
function ledgerOfStretch(stretch: readonly Entry[], roles: ToolRoles): Ledger {
  if (isSummary(stretch[0])) return carried(stretch[0]);
  const said = saidIn(stretch);
  const runs = runsIn(said, roles);
  const paths = new Map(runs.map((run) => [run.entryId, pathOf(run)]));
  const imagesIn = (each: Said): readonly LedgerImage[] => imagesOf(each, paths.get(each.entryId) ?? null);
  return {
    ...emptyLedger,
    files: fileTouches(stretch, roles),
    commands: newestCommands(runs, commandOf),
    errors: newestFound(runs, { ...wanted.errors, find: unlessRepeated(errorsOf) }),
    lines: newestFound(runs, { ...wanted.lines, find: unlessRepeated(linesOf) }),
    references: newestFound(said, { ...wanted.references, find: referencesOf }),
    images: newestFound(said, { ...wanted.images, find: imagesIn }),
  };
}
