/** Collects what code keeps of the covered part, whoever writes the summary: the ledger, a note per turn, and the touched files. */

import { entryMessage, latestEdit } from "../context/build-context.ts";
import { entryWords, provenance } from "../context/entry-text.ts";
import { LISTED, referenceLine, referenceOf } from "../context/loaded-skills.ts";
import { type CompactionEntry, type ContextEditEntry, type Entry, isStateEntry, PIN } from "../entry.ts";
import { ledgerOf } from "../ledger/collect-ledger.ts";
import { emptyLedger, type Ledger } from "../ledger/ledger.ts";
import { ledgerIn } from "../ledger/read-ledger.ts";
import { carriedFiles, fileTouches, newestFiles, type TouchedFiles } from "../ledger/touched-files.ts";
import { entryReference } from "../references.ts";
import { plainText } from "../text/sanitize.ts";
import { isShown } from "./cut-point.ts";
import type { Plan } from "./plan.ts";

export interface TurnNote {
  /** The first words of the request; empty where the turn began before. */
  readonly asked: string;
  /** The first words of the last thing the assistant said; empty where it said nothing. */
  readonly said: string;
  /** Where the turn begins. */
  readonly entryId: string;
  /** What opens that entry; absent in notes of earlier versions. */
  readonly reference?: string;
  /** What a program said begins no turn, and stands before the one in which it was said. */
  readonly by?: "program";
  /** How the turn ended, where the log shows that it did not end well. */
  readonly ending?: string;
  /** Whether a summary by a model or a hook covers the turn. */
  readonly inSummary?: true;
}

/** Bounded: of very many turns the newest. Nothing is read that is not told, and no words that the model did not see. */
export function turnNotes(covered: readonly Entry[], edits: readonly ContextEditEntry[] = []): readonly TurnNote[] {
  const known = new Map<Entry, string>();
  const wordsOf: Words = (entry) => {
    const words = known.get(entry) ?? plainText(wordsIn(entry, edits), lettersOf(entry));
    known.set(entry, words);
    return words;
  };
  return bounded(newestTurns(covered, wordsOf).flatMap((turn) => notesOf(turn, { wordsOf, edits })));
}

function wordsIn(entry: Entry, edits: readonly ContextEditEntry[]): string {
  if (!isShown(entry, edits)) return "";
  const reference = referenceOf(entry);
  return reference ? referenceLine(reference) : entryWords(entry, edits);
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

// It went on since: how it ended before, and who told of it, no longer counts.
function continuedTurn({ ending: _ending, inSummary: _inSummary, ...last }: TurnNote, next: TurnNote): TurnNote {
  return { ...last, said: next.said, ...(next.ending !== undefined && { ending: next.ending }) };
}

/** From a compaction's `details.pith.turns`; nothing in it is taken on trust. Notes of earlier versions have fewer fields. */
export function turnsIn(value: unknown): readonly TurnNote[] {
  return Array.isArray(value) ? bounded(value.filter(isNote)) : [];
}

/** As they are stored with a summary by a model or a hook, which covers all of them. */
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
}

function notesOf(turn: readonly Entry[], reading: Reading): readonly TurnNote[] {
  const programs = turn.filter(isNamed).slice(-MOST_BY_PROGRAMS);
  return [...programs.flatMap((entry) => programNote(entry, reading.wordsOf)), ...turnNote(turn, reading)];
}

/** None where nobody asked and nobody answered. */
function turnNote(turn: readonly Entry[], { wordsOf, edits }: Reading): readonly TurnNote[] {
  const speaks = (entry: Entry): boolean => provenance(entry) === "assistant" && wordsOf(entry) !== "";
  const opening = turn.find((entry, at) => at === 0 && opensNote(entry, wordsOf));
  const begins = opening ?? turn.find(speaks);
  if (!begins) return [];
  const answer = turn.findLast(speaks);
  const ending = endingOf(turn, edits);
  return [
    {
      asked: opening ? wordsOf(opening) : "",
      said: answer ? wordsOf(answer) : "",
      ...namesOf(begins),
      ...(ending && { ending }),
    },
  ];
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
  const { asked, said, entryId, ending = "" } = Object(value) as Readonly<Record<string, unknown>>;
  return [asked, said, entryId, ending].every((text) => typeof text === "string");
}

const isTurn = ({ by }: TurnNote): boolean => by !== "program";

/** The newest; what programs say pushes out nothing that was asked. */
function bounded(notes: readonly TurnNote[]): readonly TurnNote[] {
  const kept = new Set([
    ...notes.filter(isTurn).slice(-MOST),
    ...notes.filter((note) => !isTurn(note)).slice(-MOST_BY_PROGRAMS),
  ]);
  return notes.filter((note) => kept.has(note));
}

const MOST = 60;
const MOST_BY_PROGRAMS = 20;

// A branch that was left is told nowhere else.
function lettersOf({ type }: Entry): number {
  return type === "branch_summary" ? LONGEST_SUMMARY : LONGEST;
}

const LONGEST = 160;
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
  const carried = (compaction?.details as { readonly pith?: { readonly turns?: unknown } } | undefined)?.pith?.turns;
  // pi's lists know no order, the ledger has that of the newest.
  const touches = [...carriedFiles(compaction?.details), ...ledger.files, ...fileTouches(since, budget.tools)];
  return {
    ledger: ledgerOf([...since, ...laterEdits(plan)], budget.tools, ledger),
    turns: withOpenEnd(mergedTurns(turnsIn(carried), turnNotes(since, window.edits)), plan),
    files: newestFiles(touches, MOST_FILES),
  };
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
