/** What happened turn by turn, a line each: what was asked, and what the assistant said last. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import { plainText } from "../session/plain-text.ts";
import { entryWords } from "./entry-text.ts";
import { provenance } from "./provenance.ts";

export interface TurnNote {
  /** The first words of the request; empty where the turn began before. */
  readonly asked: string;
  /** The first words of the last thing the assistant said; empty where it said nothing. */
  readonly said: string;
  /** Where the turn begins. */
  readonly entryId: string;
}

/** Bounded: of very many turns the newest. */
export function turnNotes(covered: readonly Entry[], edits: readonly ContextEditEntry[] = []): readonly TurnNote[] {
  const notes: TurnNote[] = [];
  for (const entry of covered) {
    const words = plainText(entryWords(entry, edits), LONGEST);
    const last = notes.at(-1);
    if (words === "") continue;
    if (startsTurn(entry)) notes.push({ asked: words, said: "", entryId: entry.id });
    else if (provenance(entry) === "assistant" && last) notes[notes.length - 1] = { ...last, said: words };
    else if (provenance(entry) === "assistant") notes.push({ asked: "", said: words, entryId: entry.id });
  }
  return notes.slice(-MOST);
}

/** The notes of two stretches that follow each other, where a turn may go on from the first into the second. */
export function mergedTurns(older: readonly TurnNote[], newer: readonly TurnNote[]): readonly TurnNote[] {
  const [last, first] = [older.at(-1), newer[0]];
  const goesOn = last && first && first.asked === "";
  const merged = goesOn
    ? [...older.slice(0, -1), { ...last, said: first.said }, ...newer.slice(1)]
    : [...older, ...newer];
  return merged.slice(-MOST);
}

/** From a compaction's `details.pith.turns`; nothing in it is taken on trust. */
export function turnsIn(value: unknown): readonly TurnNote[] {
  return Array.isArray(value) ? value.filter(isNote).slice(-MOST) : [];
}

function startsTurn(entry: Entry): boolean {
  return provenance(entry) === "person" || entry.type === "branch_summary";
}

function isNote(value: unknown): value is TurnNote {
  const { asked, said, entryId } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof asked === "string" && typeof said === "string" && typeof entryId === "string";
}

const LONGEST = 160;
const MOST = 60;
