/** Writes the summary that needs no model, from turn notes and the summary carried on. It never fails. */

import { entryReference } from "../references.ts";
import { fill } from "../summary/prompts.ts";
import { shortened } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { keptByCode, type TurnNote } from "./kept-work.ts";
import { type Candidate, MODEL_FREE, type Plan } from "./plan.ts";

const progress = `## Progress
### Done
{done}
### In Progress
{doing}`;

/** The headings are those of every summary. */
export const modelFreeSections: Readonly<Record<"all" | "since" | "nothing", string>> = {
  /** Where there is nothing else to go on from. */
  all: `# Summary, put together by code without a model

## Goal
{goal}
## Constraints & Preferences
- as the user's messages say
${progress}
### Blocked
- see the open errors below, if any
## Key Decisions
- in the entries named here; code does not judge them
## Next Steps
1. continue with the user's latest request
## Critical Context
- each line begins with the request and ends with the assistant's last words; every entry named here can be read`,

  /** Behind a story that a model wrote earlier. */
  since: `# What happened after that, put together by code without a model

## Goal
{goal}
${progress}`,

  nothing: "- (none)",
};

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

function line({ asked, said, entryId, reference = `entry:${entryId}` }: TurnNote): string {
  const words = [asked, said].filter((text) => text !== "").map(tagless);
  return `${words.join(" → ")} [${reference}]`;
}

// What was said cannot pass for a tag of ours.
const tagless = (text: string): string => text.replaceAll("<", "‹");

/** A story that a model wrote before is carried on, and code adds what came since. */
export function modelFree(plan: Plan): Candidate {
  const tokens = Math.floor(plan.checkpoint * NARRATIVE);
  const before = plan.window.entries[plan.window.compactionAt];
  const story = carriedStory(plan.carried.story, {
    tokens: Math.floor(tokens * STORY),
    handle: before ? entryReference(before) : "",
  });
  const room = story === "" ? tokens : Math.floor(tokens * (1 - STORY));
  return {
    route: MODEL_FREE,
    story,
    notes: modelFreeNotes({ turns: keptByCode(plan).turns, hasStory: story !== "", tokens: room }),
    covers: new Set([...plan.covered, ...(before ? [before] : [])].map(({ id }) => id)),
  };
}

// With hardly any room its place is named instead: what it covers can be read again.
function carriedStory(story: string, room: { readonly tokens: number; readonly handle: string }): string {
  const short = shortened(story, room);
  return textTokens(short) <= room.tokens ? short : "";
}

/** Of the checkpoint: what code writes is mostly ledger. */
const NARRATIVE = 0.5;
/** Of the narrative: what a story may have that is carried on. */
const STORY = 0.6;
