/** Collects what code keeps of the covered part, whoever writes the summary: the ledger, a note per turn, and the touched files. */

import { attachedLine } from "../context/attachments.ts";
import { entryMessage, latestEdit } from "../context/build-context.ts";
import { isLost } from "../context/damage-note.ts";
import { entryWords, provenance, userParts } from "../context/entry-text.ts";
import { LISTED, referenceLine, referenceOf } from "../context/loaded-skills.ts";
import { type CompactionEntry, type ContextEditEntry, type Entry, isStateEntry, PIN } from "../entry.ts";
import { ledgerOf } from "../ledger/collect-ledger.ts";
import { emptyLedger, type Ledger } from "../ledger/ledger.ts";
import { ledgerIn } from "../ledger/read-ledger.ts";
import {
  callMeaning,
  callsIn,
  carriedFiles,
  fileTouches,
  newestFiles,
  type ToolRoles,
  type TouchedFiles,
} from "../ledger/touched-files.ts";
import type { ToolCallBlock } from "../message.ts";
import { entryReference } from "../references.ts";
import { plainText } from "../text/sanitize.ts";
import { isShown } from "./cut-point.ts";
import { MODEL_FREE, type Plan } from "./plan.ts";

export interface TurnNote {
  /** The first words of the request; empty where the turn began before. */
  readonly asked: string;
  /** The last text of the assistant, shortened to its first and last words; empty where it wrote none. */
  readonly said: string;
  /** Tool calls after that text. */
  readonly calls?: number;
  /** The last of them, such as `edit src/a.ts`. */
  readonly lastCall?: string;
  /** Where the turn begins. */
  readonly entryId: string;
  /** What opens that entry; absent in notes of earlier versions. */
  readonly reference?: string;
  /** What a program said begins no turn, and stands before the one in which it was said. The summary of a left branch begins one. */
  readonly by?: "program" | "branch";
  /** How the turn ended, where the log shows that it did not end well. */
  readonly ending?: string;
  /** Whether a summary by a model or a hook covers the turn; then `keptByCode` sets it. */
  readonly inSummary?: true;
}

/** Notes on the newest turns. Only text that the model saw is read. */
export function turnNotes(
  covered: readonly Entry[],
  edits: readonly ContextEditEntry[] = [],
  tools: ToolRoles = {},
): readonly TurnNote[] {
  const known = new Map<Entry, string>();
  const wordsOf: Words = (entry) => {
    const words = known.get(entry) ?? plainText(wordsIn(entry, edits), lettersOf(entry));
    known.set(entry, words);
    return words;
  };
  return bounded(newestTurns(covered, wordsOf).flatMap((turn) => notesOf(turn, { wordsOf, edits, tools })));
}

function wordsIn(entry: Entry, edits: readonly ContextEditEntry[]): string {
  if (!isShown(entry, edits)) return "";
  const reference = referenceOf(entry);
  if (reference) return referenceLine(reference);
  if (provenance(entry) !== "person") return entryWords(entry, edits);
  const { typed, attachments } = userParts(entry, edits);
  return /\S/.test(typed) ? typed : attachedLine(attachments, entryReference(entry));
}

/** The first words of an entry on one line. */
type Words = (entry: Entry) => string;

/** The notes of two stretches that follow each other, where a turn may go on from the first into the second. */
export function mergedTurns(older: readonly TurnNote[], newer: readonly TurnNote[]): readonly TurnNote[] {
  const last = older.at(-1);
  const at = newer.findIndex(isTurn);
  const next = newer[at];
  const goesOn = last && isTurn(last) && !next?.asked;
  if (!goesOn) return bounded([...older, ...newer]);
  const [between, after] = at < 0 ? [newer, []] : [newer.slice(0, at), newer.slice(at + 1)];
  return bounded([...older.slice(0, -1), ...between, next ? continuedTurn(last, next) : last, ...after]);
}

// The turn went on: how its first part ended, and whether a summary covers that part, no longer counts.
function continuedTurn({ ending: _ending, inSummary: _inSummary, ...last }: TurnNote, next: TurnNote): TurnNote {
  const { said, calls, lastCall, ending } = next;
  const work = calls !== undefined && { calls, ...(lastCall !== undefined && { lastCall }) };
  if (said === "")
    return { ...last, ...work, ...(calls && { calls: calls + (last.calls ?? 0) }), ...(ending && { ending }) };
  const { calls: _calls, lastCall: _lastCall, ...turn } = last;
  return { ...turn, said, ...work, ...(ending && { ending }) };
}

/** From a compaction's `details.pith.turns`; nothing in it is taken on trust. Notes of earlier versions have fewer fields. */
export function turnsIn(value: unknown): readonly TurnNote[] {
  return Array.isArray(value) ? bounded(value.filter(isNote)) : [];
}

/** Of a compaction with a summary by a model or a hook, which covers all of them. */
export function summarizedTurns(turns: readonly TurnNote[]): readonly TurnNote[] {
  return turns.map((turn) => ({ ...turn, inSummary: true }));
}

/** Each from what opens it to the next; the first may have begun before. */
function newestTurns(covered: readonly Entry[], wordsOf: Words): readonly (readonly Entry[])[] {
  const turns: (readonly Entry[])[] = [];
  let end = covered.length;
  for (let at = end - 1; at >= 0 && turns.length < MOST; at--) {
    if (at > 0 && !opensNote(covered[at] as Entry, wordsOf)) continue;
    turns.push(covered.slice(at, end));
    end = at;
  }
  return turns.reverse();
}

function opensNote(entry: Entry, wordsOf: Words): boolean {
  return (provenance(entry) === "person" || entry.type === "branch_summary") && wordsOf(entry) !== "";
}

interface Reading {
  readonly wordsOf: Words;
  readonly edits: readonly ContextEditEntry[];
  readonly tools: ToolRoles;
}

function notesOf(turn: readonly Entry[], reading: Reading): readonly TurnNote[] {
  const programs = turn.filter(isNamed).slice(-MOST_BY_PROGRAMS);
  return [...programs.flatMap((entry) => programNote(entry, reading.wordsOf)), ...turnNote(turn, reading)];
}

/** None for a turn without a request in which the assistant neither wrote nor did anything. */
function turnNote(turn: readonly Entry[], { wordsOf, edits, tools }: Reading): readonly TurnNote[] {
  const isReply = (entry: Entry): boolean => provenance(entry) === "assistant";
  const speaks = (entry: Entry): boolean => isReply(entry) && wordsOf(entry) !== "";
  const opening = turn.find((entry, at) => at === 0 && opensNote(entry, wordsOf));
  const answerAt = turn.findLastIndex(speaks);
  const answer = turn[answerAt];
  const calls = turn.slice(Math.max(answerAt, 0)).flatMap((entry) => callsOf(entry, edits));
  const lastCall = calls.at(-1);
  const ending = endingOf(turn, edits);
  const begins =
    opening ?? turn.find((entry) => speaks(entry) || callsOf(entry, edits).length > 0) ?? turn.find(isReply);
  if (!begins || !(opening || answer || lastCall || ending)) return [];
  return [
    {
      asked: opening ? wordsOf(opening) : "",
      said: answer ? firstAndLastWords(wordsIn(answer, edits)) : "",
      ...namesOf(begins),
      ...(opening?.type === "branch_summary" && { by: "branch" as const }),
      ...(lastCall && { calls: calls.length, lastCall: describeCall(lastCall, tools) }),
      ...(ending && { ending }),
    },
  ];
}

/** None of a reply that the model does not see any more. */
function callsOf(entry: Entry, edits: readonly ContextEditEntry[]): readonly ToolCallBlock[] {
  if (entry.type !== "message" || entry.message.role !== "assistant") return [];
  const message = entryMessage(entry, latestEdit(edits, entry));
  return message?.role === "assistant" ? callsIn(message) : [];
}

/** The tool, and the file or the command. */
function describeCall(call: ToolCallBlock, tools: ToolRoles): string {
  const { modifies, reads, runs } = callMeaning(call, tools);
  const [target = ""] = [...modifies, ...reads, ...runs];
  return plainText(`${call.name} ${target}`, LONGEST_CALL);
}

const LONGEST_CALL = 80;

// A reply often begins with its plan and ends with its outcome.
function firstAndLastWords(text: string): string {
  if ([...plainText(text, LONGEST + 1)].length <= LONGEST) return plainText(text, LONGEST);
  const end = [...plainText(text.slice(-LAST * 20), LAST * 20)].slice(-LAST).join("");
  return `${plainText(text, FIRST)} ${end.replace(/^\S{0,15}\s/, "")}`;
}

/** What the log says of the end of a turn, beside words; null where nothing went wrong that code could know of. */
function endingOf(turn: readonly Entry[], edits: readonly ContextEditEntry[]): string | null {
  const isRemoved = (entry: Entry): boolean => latestEdit(edits, entry)?.replacement === null;
  const messages = turn.flatMap((entry) => (entry.type === "message" && !isRemoved(entry) ? [entry.message] : []));
  const last = messages.findLast(({ role }) => role === "assistant" || role === "toolResult");
  if (last?.role === "assistant") {
    if (last.stopReason === "aborted") return "stopped before it was finished";
    if (last.stopReason === "error") return plainText(`ended in an error: ${last.errorMessage ?? "unknown"}`, LONGEST);
    if (last.stopReason === "length") return "the last reply was cut off";
  }
  const result = messages.findLast(({ role }) => role === "toolResult");
  return result?.role === "toolResult" && result.isError
    ? plainText(`the last tool call failed: ${result.toolName}`, LONGEST)
    : null;
}

const namesOf = (entry: Entry): Pick<TurnNote, "entryId" | "reference"> => ({
  entryId: entry.id,
  reference: entryReference(entry),
});

// A pin stands word for word at the front.
function isNamed(entry: Entry): boolean {
  if (entry.type === "custom_message") return !isStateEntry(entry) && ![PIN, LISTED].includes(entry.customType);
  if (isLost(entry)) return true;
  return entry.type === "message" && entry.message.role !== "system" && provenance(entry) === "program";
}

function programNote(entry: Entry, wordsOf: Words): readonly TurnNote[] {
  const words = wordsOf(entry);
  const message = entryMessage(entry, undefined);
  const kind = message?.role === "custom" ? message.customType : "program";
  const asked = plainText(`[${kind}] ${words}`, LONGEST);
  return words === "" ? [] : [{ asked, said: "", ...namesOf(entry), by: "program" }];
}

function isNote(value: unknown): value is TurnNote {
  const {
    asked,
    said,
    entryId,
    ending = "",
    calls = 0,
    lastCall = "",
  } = Object(value) as Readonly<Record<string, unknown>>;
  return (
    [asked, said, entryId, ending, lastCall].every((text) => typeof text === "string") && Number.isSafeInteger(calls)
  );
}

export const isTurn = ({ by }: TurnNote): boolean => by !== "program";

/** The newest; what programs say pushes out nothing that was asked. */
function bounded(notes: readonly TurnNote[]): readonly TurnNote[] {
  const kept = new Set([
    ...notes.filter(isTurn).slice(-MOST),
    ...notes.filter((note) => !isTurn(note)).slice(-MOST_BY_PROGRAMS),
  ]);
  return notes.filter((note) => kept.has(note));
}

/** Turns that are listed. One more is kept: it shows that there were earlier ones. */
export const MOST_LISTED = 60;
const MOST = MOST_LISTED + 1;
const MOST_BY_PROGRAMS = 20;

// A branch that was left is told nowhere else.
function lettersOf({ type }: Entry): number {
  return type === "branch_summary" ? LONGEST_SUMMARY : LONGEST;
}

const LONGEST = 160;
const FIRST = 90;
const LAST = 68;
const LONGEST_SUMMARY = 600;

export interface Kept {
  readonly ledger: Ledger;
  readonly turns: readonly TurnNote[];
  /** For pi, which lists them in its own summaries. */
  readonly files: TouchedFiles;
}

/** The same plan always keeps the same; it is worked out once. */
export function keptByCode(plan: Plan): Kept {
  const known = keptOf.get(plan);
  if (known) return known;
  const kept = gathered(plan);
  keptOf.set(plan, kept);
  return kept;
}

const keptOf = new WeakMap<Plan, Kept>();

// The compaction before stands behind what it kept; what it carries is older than that all the same. Those before it
// may stand among the covered too, and are told by it: told again, their files would be counted twice.
function gathered(plan: Plan): Kept {
  const { window, covered, budget } = plan;
  const before = window.entries[window.compactionAt];
  const compaction = before?.type === "compaction" ? before : null;
  const ledger = ledgerBefore(compaction);
  const since = covered.filter((entry) => entry.type !== "compaction");
  // pi's lists know no order, the ledger has that of the newest.
  const touches = [...carriedFiles(compaction?.details), ...ledger.files, ...fileTouches(since, budget.tools)];
  return {
    ledger: ledgerOf([...since, ...laterEdits(plan)], budget.tools, ledger),
    turns: withOpenEnd(mergedTurns(carriedTurns(compaction), turnNotes(since, window.edits, budget.tools)), plan),
    files: newestFiles(touches, MOST_FILES),
  };
}

// A model or a hook that wrote the summary was shown all turns before it.
function carriedTurns(compaction: CompactionEntry | null): readonly TurnNote[] {
  const { turns, receipt } = Object(Object(compaction?.details).pith) as {
    readonly turns?: unknown;
    readonly receipt?: unknown;
  };
  const notes = turnsIn(turns);
  return Object(receipt).route === MODEL_FREE ? notes : summarizedTurns(notes);
}

// A turn whose rest is kept has not ended yet.
function withOpenEnd(turns: readonly TurnNote[], { cut }: Plan): readonly TurnNote[] {
  const at = cut.turnAt === null ? -1 : turns.findLastIndex(isTurn);
  return turns.map((turn, index) => (index === at ? withoutEnding(turn) : turn));
}

function withoutEnding({ ending: _ending, ...turn }: TurnNote): TurnNote {
  return turn;
}

// What an edit in the kept part has removed from the covered one does not come back either.
function laterEdits({ kept }: Plan): readonly Entry[] {
  return kept.filter((entry) => entry.type === "context_edit");
}

function ledgerBefore(compaction: CompactionEntry | null): Ledger {
  return (compaction && ledgerIn(compaction.details)) ?? emptyLedger;
}

// B49: what is written for pi stays small; the log itself has them all.
const MOST_FILES = 500;
