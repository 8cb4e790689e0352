/** The narrative that needs no model: what was asked and said, turn by turn, within its budget. It cannot fail. */

import type { TurnNote } from "../keeping/turns.ts";
import { textTokens } from "../reading/tokens/text-tokens.ts";
import { fill } from "./fill.ts";
import { modelFreeSections } from "./sections.ts";

export interface NotesParts {
  readonly turns: readonly TurnNote[];
  /** Whether a story by a model stands before the notes. */
  readonly hasStory: boolean;
  readonly tokens: number;
}

/** Of more turns than there is room for, the newest. */
export function modelFreeNotes({ turns, hasStory, tokens }: NotesParts): string {
  const current = turns.at(-1);
  const frame = hasStory ? modelFreeSections.since : modelFreeSections.all;
  const goal = current ? tagless(current.asked || current.said) : modelFreeSections.nothing;
  const doing = current?.said ? `- [ ] ${line(current)}` : modelFreeSections.nothing;
  const fixed = fill(frame, { goal, done: "", doing });
  const done = newestLines(turns.slice(0, -1), tokens - textTokens(fixed));
  const notes = fill(frame, { goal, done: done || modelFreeSections.nothing, doing });
  if (textTokens(notes) <= tokens) return notes;
  return newestLines(turns, tokens);
}

function newestLines(turns: readonly TurnNote[], tokens: number): string {
  const lines: string[] = [];
  let room = tokens - LEFT_OUT;
  for (const turn of turns.toReversed()) {
    const text = `- [x] ${line(turn)}`;
    room -= textTokens(text) + 1;
    if (room < 0) break;
    lines.unshift(text);
  }
  const left = turns.length - lines.length;
  return (left > 0 && room > -LEFT_OUT ? [`- (${left} earlier)`, ...lines] : lines).join("\n");
}

/** Tokens of the line that counts what is left out. */
const LEFT_OUT = 8;

function line({ asked, said, entryId }: TurnNote): string {
  const words = [asked, said].filter((text) => text !== "").map(tagless);
  return `${words.join(" → ")} (entry:${entryId})`;
}

// What was said cannot pass for a tag of ours.
const tagless = (text: string): string => text.replaceAll("<", "‹");
