/** Collects a note per turn: what was asked, what the assistant replied last, and how the turn ended. */

import { isVisibleToModel } from "../compaction/cut-point.ts";
import { formatAttachmentLine } from "../context/attachments.ts";
import { entryMessage, latestEdit } from "../context/build-context.ts";
import { isLostEntry } from "../context/damage-note.ts";
import { authorOf, entryText, splitUserEntry } from "../context/entry-text.ts";
import { formatSkillPlaceholder, readLoadedSkill, SKILL_LIST_TYPE } from "../context/loaded-skills.ts";
import { type ContextEditEntry, type Entry, isStateEntry, PIN_TYPE } from "../entry.ts";
import { completeToolCalls, toolCallEffects } from "../ledger/touched-files.ts";
import type { ToolCallBlock } from "../message.ts";
import { entryReference } from "../references.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import type { ToolRoles } from "../tool-roles.ts";

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
export function collectTurnNotes(
  covered: readonly Entry[],
  edits: readonly ContextEditEntry[] = [],
  tools: ToolRoles = {},
): readonly TurnNote[] {
  const cache = new Map<Entry, string>();
  const textOf: EntryTextReader = (entry) => {
    const text = cache.get(entry) ?? sanitizeLine(noteText(entry, edits), maxNoteChars(entry));
    cache.set(entry, text);
    return text;
  };
  return limitNotes(splitNewestTurns(covered, textOf).flatMap((turn) => createNotes(turn, { textOf, edits, tools })));
}

function noteText(entry: Entry, edits: readonly ContextEditEntry[]): string {
  if (!isVisibleToModel(entry, edits)) return "";
  const skill = readLoadedSkill(entry);
  if (skill) return formatSkillPlaceholder(skill);
  if (authorOf(entry) !== "person") return entryText(entry, edits);
  const { typed, attachments } = splitUserEntry(entry, edits);
  return /\S/.test(typed) ? typed : formatAttachmentLine(attachments, entryReference(entry));
}

/** The first words of an entry on one line. */
type EntryTextReader = (entry: Entry) => string;

/** The notes of two stretches that follow each other, where a turn may go on from the first into the second. */
export function mergeTurnNotes(older: readonly TurnNote[], newer: readonly TurnNote[]): readonly TurnNote[] {
  const last = older.at(-1);
  const index = newer.findIndex(isTurn);
  const next = newer[index];
  const continues = last && isTurn(last) && !next?.asked;
  if (!continues) return limitNotes([...older, ...newer]);
  const [between, after] = index < 0 ? [newer, []] : [newer.slice(0, index), newer.slice(index + 1)];
  return limitNotes([...older.slice(0, -1), ...between, next ? joinTurnNotes(last, next) : last, ...after]);
}

// The turn went on: how its first part ended, and whether a summary covers that part, no longer counts.
function joinTurnNotes({ ending: _ending, inSummary: _inSummary, ...last }: TurnNote, next: TurnNote): TurnNote {
  const { said, calls, lastCall, ending } = next;
  const work = calls !== undefined && { calls, ...(lastCall !== undefined && { lastCall }) };
  if (said === "")
    return { ...last, ...work, ...(calls && { calls: calls + (last.calls ?? 0) }), ...(ending && { ending }) };
  const { calls: _calls, lastCall: _lastCall, ...turn } = last;
  return { ...turn, said, ...work, ...(ending && { ending }) };
}

/** From a compaction's `details.pith.turns`; nothing in it is taken on trust. Notes of earlier versions have fewer fields. */
export function parseTurnNotes(value: unknown): readonly TurnNote[] {
  return Array.isArray(value) ? limitNotes(value.filter(isTurnNote)) : [];
}

/** Of a compaction with a summary by a model or a hook, which covers all of them. */
export function markAsSummarized(turns: readonly TurnNote[]): readonly TurnNote[] {
  return turns.map((turn) => ({ ...turn, inSummary: true }));
}

/** Each from what opens it to the next; the first may have begun before. */
function splitNewestTurns(covered: readonly Entry[], textOf: EntryTextReader): readonly (readonly Entry[])[] {
  const turns: (readonly Entry[])[] = [];
  let end = covered.length;
  for (let index = end - 1; index >= 0 && turns.length < MAX_TURN_NOTES; index--) {
    if (index > 0 && !startsNote(covered[index] as Entry, textOf)) continue;
    turns.push(covered.slice(index, end));
    end = index;
  }
  return turns.reverse();
}

function startsNote(entry: Entry, textOf: EntryTextReader): boolean {
  return (authorOf(entry) === "person" || entry.type === "branch_summary") && textOf(entry) !== "";
}

interface NoteContext {
  readonly textOf: EntryTextReader;
  readonly edits: readonly ContextEditEntry[];
  readonly tools: ToolRoles;
}

function createNotes(turn: readonly Entry[], context: NoteContext): readonly TurnNote[] {
  const programEntries = turn.filter(isProgramEntry).slice(-MAX_PROGRAM_NOTES);
  return [
    ...programEntries.flatMap((entry) => createProgramNote(entry, context.textOf)),
    ...createTurnNote(turn, context),
  ];
}

/** None for a turn without a request in which the assistant neither wrote nor did anything. */
function createTurnNote(turn: readonly Entry[], { textOf, edits, tools }: NoteContext): readonly TurnNote[] {
  const isReply = (entry: Entry): boolean => authorOf(entry) === "assistant";
  const hasText = (entry: Entry): boolean => isReply(entry) && textOf(entry) !== "";
  const firstEntry = turn.find((entry, index) => index === 0 && startsNote(entry, textOf));
  const answerIndex = turn.findLastIndex(hasText);
  const answer = turn[answerIndex];
  const calls = turn.slice(Math.max(answerIndex, 0)).flatMap((entry) => visibleToolCalls(entry, edits));
  const lastCall = calls.at(-1);
  const ending = describeEnding(turn, edits);
  const start =
    firstEntry ??
    turn.find((entry) => hasText(entry) || visibleToolCalls(entry, edits).length > 0) ??
    turn.find(isReply);
  if (!start || !(firstEntry || answer || lastCall || ending)) return [];
  return [
    {
      asked: firstEntry ? textOf(firstEntry) : "",
      said: answer ? firstAndLastChars(noteText(answer, edits)) : "",
      ...toNoteReference(start),
      ...(firstEntry?.type === "branch_summary" && { by: "branch" as const }),
      ...(lastCall && { calls: calls.length, lastCall: describeCall(lastCall, tools) }),
      ...(ending && { ending }),
    },
  ];
}

/** None of a reply that the model does not see any more. */
function visibleToolCalls(entry: Entry, edits: readonly ContextEditEntry[]): readonly ToolCallBlock[] {
  if (entry.type !== "message" || entry.message.role !== "assistant") return [];
  const message = entryMessage(entry, latestEdit(edits, entry));
  return message?.role === "assistant" ? completeToolCalls(message) : [];
}

/** The tool, and the file or the command. */
function describeCall(call: ToolCallBlock, tools: ToolRoles): string {
  const { modifies, reads, runs } = toolCallEffects(call, tools);
  const [target = ""] = [...modifies, ...reads, ...runs];
  return sanitizeLine(`${call.name} ${target}`, MAX_CALL_CHARS);
}

const MAX_CALL_CHARS = 80;

// A reply often begins with its plan and ends with its outcome.
function firstAndLastChars(text: string): string {
  if ([...sanitizeLine(text, MAX_NOTE_CHARS + 1)].length <= MAX_NOTE_CHARS) return sanitizeLine(text, MAX_NOTE_CHARS);
  const end = [...sanitizeLine(text.slice(-NOTE_TAIL_CHARS * 20), NOTE_TAIL_CHARS * 20)]
    .slice(-NOTE_TAIL_CHARS)
    .join("");
  return `${sanitizeLine(text, NOTE_HEAD_CHARS)} ${end.replace(/^\S{0,15}\s/, "")}`;
}

/** What the log says of the end of a turn, beside words; null where nothing went wrong that code could know of. */
function describeEnding(turn: readonly Entry[], edits: readonly ContextEditEntry[]): string | null {
  const isRemoved = (entry: Entry): boolean => latestEdit(edits, entry)?.replacement === null;
  const messages = turn.flatMap((entry) => (entry.type === "message" && !isRemoved(entry) ? [entry.message] : []));
  const last = messages.findLast(({ role }) => role === "assistant" || role === "toolResult");
  if (last?.role === "assistant") {
    if (last.stopReason === "aborted") return "stopped before it was finished";
    if (last.stopReason === "error")
      return sanitizeLine(`ended in an error: ${last.errorMessage ?? "unknown"}`, MAX_NOTE_CHARS);
    if (last.stopReason === "length") return "the last reply was cut off";
  }
  const result = messages.findLast(({ role }) => role === "toolResult");
  return result?.role === "toolResult" && result.isError
    ? sanitizeLine(`the last tool call failed: ${result.toolName}`, MAX_NOTE_CHARS)
    : null;
}

const toNoteReference = (entry: Entry): Pick<TurnNote, "entryId" | "reference"> => ({
  entryId: entry.id,
  reference: entryReference(entry),
});

// A pin stands word for word at the front.
function isProgramEntry(entry: Entry): boolean {
  if (entry.type === "custom_message")
    return !isStateEntry(entry) && ![PIN_TYPE, SKILL_LIST_TYPE].includes(entry.customType);
  if (isLostEntry(entry)) return true;
  return entry.type === "message" && entry.message.role !== "system" && authorOf(entry) === "program";
}

function createProgramNote(entry: Entry, textOf: EntryTextReader): readonly TurnNote[] {
  const text = textOf(entry);
  const message = entryMessage(entry, undefined);
  const kind = message?.role === "custom" ? message.customType : "program";
  const asked = sanitizeLine(`[${kind}] ${text}`, MAX_NOTE_CHARS);
  return text === "" ? [] : [{ asked, said: "", ...toNoteReference(entry), by: "program" }];
}

function isTurnNote(value: unknown): value is TurnNote {
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
function limitNotes(notes: readonly TurnNote[]): readonly TurnNote[] {
  const selected = new Set([
    ...notes.filter(isTurn).slice(-MAX_TURN_NOTES),
    ...notes.filter((note) => !isTurn(note)).slice(-MAX_PROGRAM_NOTES),
  ]);
  return notes.filter((note) => selected.has(note));
}

/** Turns that are listed. One more is kept: it shows that there were earlier ones. */
export const MAX_LISTED_TURNS = 60;
const MAX_TURN_NOTES = MAX_LISTED_TURNS + 1;
const MAX_PROGRAM_NOTES = 20;

// A branch that was left is told nowhere else.
function maxNoteChars({ type }: Entry): number {
  return type === "branch_summary" ? MAX_BRANCH_NOTE_CHARS : MAX_NOTE_CHARS;
}

const MAX_NOTE_CHARS = 160;
const NOTE_HEAD_CHARS = 90;
const NOTE_TAIL_CHARS = 68;
const MAX_BRANCH_NOTE_CHARS = 600;
