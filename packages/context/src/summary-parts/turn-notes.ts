/** Collects one note per turn: the request, the assistant's last reply, and how the turn ended. */

import { getOrCompute } from "../cache.ts";
import { isVisibleToModel } from "../compaction/cut-point.ts";
import { formatAttachmentLine } from "../context/attachments.ts";
import { entryMessage, latestEdit } from "../context/build-context.ts";
import { isLostEntry } from "../context/damage-note.ts";
import { authorOf, entryText, splitUserEntry } from "../context/entry-text.ts";
import { formatSkillPlaceholder, readLoadedSkill, SKILL_LIST_TYPE } from "../context/loaded-skills.ts";
import { type ContextEditEntry, type Entry, entryReference, isStateEntry, PIN_TYPE } from "../entry.ts";
import { readUserDecision } from "../ledger/tool-runs.ts";
import { completeToolCalls, toolCallEffects } from "../ledger/touched-files.ts";
import type { ToolCallBlock } from "../message.ts";
import type { ToolRoles } from "../settings.ts";
import { sanitizeLine } from "../text/sanitize.ts";

export interface TurnNote {
  /** The start of the request; empty if the turn began before the covered entries. */
  readonly asked: string;
  /** The start and end of the assistant's last text; empty if there is none. */
  readonly said: string;
  /** The number of tool calls after that text. */
  readonly calls?: number;
  /** The last tool call, such as `edit src/a.ts`. */
  readonly lastCall?: string;
  /** The id of the first entry of the turn. */
  readonly entryId: string;
  /** The reference of that entry; absent in notes of earlier versions. */
  readonly reference?: string;
  /** `program`: a message by a program, listed before its turn. `branch`: a turn that begins with a branch summary. */
  readonly by?: "program" | "branch";
  /** How the turn ended; only set if it was aborted, cut off or failed. */
  readonly ending?: string;
  /** Set if a summary by a model or a hook covers the turn. */
  readonly inSummary?: true;
}

/** Collects notes on the newest turns, only from text that the model sees. */
export function collectTurnNotes(
  covered: readonly Entry[],
  edits: readonly ContextEditEntry[] = [],
  tools: ToolRoles = {},
): readonly TurnNote[] {
  const textOf = createTextReader(edits, maxNoteChars);
  return limitNotes(splitNewestTurns(covered, textOf).flatMap((turn) => createNotes(turn, { textOf, edits, tools })));
}

/**
 * Returns the whole last reply of each turn by the id of the turn's note. Notes store only its start and end; a list of turns shows all of
 * it where it fits.
 */
export function collectLastReplies(
  covered: readonly Entry[],
  edits: readonly ContextEditEntry[] = [],
): ReadonlyMap<string, string> {
  const textOf = createTextReader(edits, () => MAX_REPLY_CHARS + 1);
  const replies = splitNewestTurns(covered, textOf).flatMap((turn): readonly (readonly [string, string])[] => {
    const [note] = createTurnNote(turn, { textOf, edits, tools: {} });
    const reply = turn.findLast((entry) => authorOf(entry) === "assistant" && textOf(entry) !== "");
    const text = reply ? textOf(reply) : "";
    return note && text !== "" && text.length <= MAX_REPLY_CHARS ? [[note.entryId, text]] : [];
  });
  return new Map(replies);
}

function noteText(entry: Entry, edits: readonly ContextEditEntry[]): string {
  if (!isVisibleToModel(entry, edits)) return "";
  const skill = readLoadedSkill(entry);
  if (skill) return formatSkillPlaceholder(skill);
  if (authorOf(entry) !== "person") return entryText(entry, edits);
  const { typed, attachments } = splitUserEntry(entry, edits);
  return /\S/.test(typed) ? typed : formatAttachmentLine(attachments, entryReference(entry));
}

/** Returns the start of an entry's text on one line. */
type EntryTextReader = (entry: Entry) => string;

function createTextReader(edits: readonly ContextEditEntry[], maxChars: (entry: Entry) => number): EntryTextReader {
  const cache = new WeakMap<Entry, string>();
  return (entry) => getOrCompute(cache, entry, () => sanitizeLine(noteText(entry, edits), maxChars(entry)));
}

/** Merges the notes of two consecutive ranges; a turn that continues from the first into the second becomes one note. */
export function mergeTurnNotes(older: readonly TurnNote[], newer: readonly TurnNote[]): readonly TurnNote[] {
  const last = older.at(-1);
  const index = newer.findIndex(isTurn);
  const next = newer[index];
  const continues = last && isTurn(last) && !next?.asked;
  if (!continues) return limitNotes([...older, ...newer]);
  const [between, after] = index < 0 ? [newer, []] : [newer.slice(0, index), newer.slice(index + 1)];
  return limitNotes([...older.slice(0, -1), ...between, next ? joinTurnNotes(last, next) : last, ...after]);
}

// The turn continued, so `ending` and `inSummary` of its first part no longer apply.
function joinTurnNotes({ ending: _ending, inSummary: _inSummary, ...last }: TurnNote, next: TurnNote): TurnNote {
  const { said, calls, lastCall, ending } = next;
  const work = calls !== undefined && { calls, ...(lastCall !== undefined && { lastCall }) };
  if (said === "")
    return { ...last, ...work, ...(calls && { calls: calls + (last.calls ?? 0) }), ...(ending && { ending }) };
  const { calls: _calls, lastCall: _lastCall, ...turn } = last;
  return { ...turn, said, ...work, ...(ending && { ending }) };
}

/** Parses a compaction's `details.pith.turns` and drops invalid notes; notes of earlier versions have fewer fields. */
export function parseTurnNotes(value: unknown): readonly TurnNote[] {
  return Array.isArray(value) ? limitNotes(value.filter(isTurnNote)) : [];
}

/** Marks the notes as covered by a summary that a model or a hook wrote. */
export function markAsSummarized(turns: readonly TurnNote[]): readonly TurnNote[] {
  return turns.map((turn) => ({ ...turn, inSummary: true }));
}

/** Splits the entries at requests and branch summaries. The first turn may have begun before the covered entries. */
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

/** Empty for a turn without a request, a reply, a tool call or a failure. */
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

/** Empty for a reply that the model no longer sees. */
function visibleToolCalls(entry: Entry, edits: readonly ContextEditEntry[]): readonly ToolCallBlock[] {
  if (entry.type !== "message" || entry.message.role !== "assistant") return [];
  const message = entryMessage(entry, latestEdit(edits, entry));
  return message?.role === "assistant" ? completeToolCalls(message) : [];
}

/** The name of the tool, and its file or command. */
function describeCall(call: ToolCallBlock, tools: ToolRoles): string {
  const { modifies, reads, runs } = toolCallEffects(call, tools);
  const [target = ""] = [...modifies, ...reads, ...runs];
  return sanitizeLine(`${call.name} ${target}`, MAX_CALL_CHARS);
}

const MAX_CALL_CHARS = 80;

// The outcome is often at the end of a reply, so both ends are kept.
function firstAndLastChars(text: string): string {
  if ([...sanitizeLine(text, MAX_NOTE_CHARS + 1)].length <= MAX_NOTE_CHARS) return sanitizeLine(text, MAX_NOTE_CHARS);
  const end = [...sanitizeLine(text.slice(-NOTE_TAIL_CHARS * 20), NOTE_TAIL_CHARS * 20)]
    .slice(-NOTE_TAIL_CHARS)
    .join("");
  return `${sanitizeLine(text, NOTE_HEAD_CHARS)} ${end.replace(/^\S{0,15}\s/, "")}`;
}

/** Describes how a turn failed, from stop reasons and tool errors; null if the log shows no failure. */
function describeEnding(turn: readonly Entry[], edits: readonly ContextEditEntry[]): string | null {
  const isRemoved = (entry: Entry): boolean => latestEdit(edits, entry)?.replacement === null;
  const messages = turn.flatMap((entry) => (entry.type === "message" && !isRemoved(entry) ? [entry.message] : []));
  const last = messages.findLast(({ role }) => role === "assistant" || role === "toolResult");
  if (last?.role === "assistant") {
    if (last.stopReason === "aborted") return "stopped before it finished";
    if (last.stopReason === "error")
      return sanitizeLine(`ended in an error: ${last.errorMessage ?? "unknown"}`, MAX_NOTE_CHARS);
    if (last.stopReason === "length") return "the last reply was cut off";
  }
  const result = messages.findLast(({ role }) => role === "toolResult");
  if (result?.role !== "toolResult" || !result.isError) return null;
  const decision = readUserDecision(result.details);
  const outcome = decision === null ? "failed" : decision === "stopped" ? "was stopped by the user" : "was denied";
  return sanitizeLine(`the last tool call ${outcome}: ${result.toolName}`, MAX_NOTE_CHARS);
}

const toNoteReference = (entry: Entry): Pick<TurnNote, "entryId" | "reference"> => ({
  entryId: entry.id,
  reference: entryReference(entry),
});

// Pins are excluded, because the summary message starts with them.
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

/** Keeps the newest notes. Turns and program notes have separate limits, so that programs do not displace requests. */
function limitNotes(notes: readonly TurnNote[]): readonly TurnNote[] {
  const selected = new Set([
    ...notes.filter(isTurn).slice(-MAX_TURN_NOTES),
    ...notes.filter((note) => !isTurn(note)).slice(-MAX_PROGRAM_NOTES),
  ]);
  return notes.filter((note) => selected.has(note));
}

/** The maximum number of listed turns; one more note is stored to detect that earlier turns exist. */
export const MAX_LISTED_TURNS = 60;
const MAX_TURN_NOTES = MAX_LISTED_TURNS + 1;
const MAX_PROGRAM_NOTES = 20;

// The summary message contains a branch summary only in its note, so that note is longer.
function maxNoteChars({ type }: Entry): number {
  return type === "branch_summary" ? MAX_BRANCH_NOTE_CHARS : MAX_NOTE_CHARS;
}

const MAX_REPLY_CHARS = 4_000;
const MAX_NOTE_CHARS = 160;
const NOTE_HEAD_CHARS = 90;
const NOTE_TAIL_CHARS = 68;
const MAX_BRANCH_NOTE_CHARS = 600;
