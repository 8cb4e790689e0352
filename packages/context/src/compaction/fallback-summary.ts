/** Writes the summary that needs no model: the summary before it, and a list of the turns since. It never fails. */

import { entryReference } from "../references.ts";
import { fill } from "../summary/prompts.ts";
import { shortened } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { keptByCode, type TurnNote } from "./kept-work.ts";
import { type Candidate, MODEL_FREE, NARRATIVE, type Plan } from "./plan.ts";

const list = `No model wrote a summary of them. Each line is one turn: what was asked → how the last reply begins [the entry where the turn begins]. Whether the work is finished is not known: check before you rely on it.
{turns}
Next: continue with the user's latest request.`;

/** It lists what the log shows, and calls nothing finished: code cannot know that. */
export const modelFreeSections: Readonly<Record<"all" | "since" | "left", string>> = {
  /** Where there is no summary to go on from. */
  all: `# Turns so far, listed by code\n${list}`,
  /** Behind a summary that a model wrote earlier. */
  since: `# Turns since that summary, listed by code\n${list}`,
  left: "- (earlier turns that are not listed: {count})",
};

export interface NotesParts {
  readonly turns: readonly TurnNote[];
  /** Whether a summary by a model stands before the notes. */
  readonly hasStory: boolean;
  /** Whether the last turn goes on in the messages that are kept. */
  readonly isOpen?: boolean;
  /** The entry of the latest request, where the summary message ends with it: it is not repeated. */
  readonly request?: string | undefined;
  readonly tokens: number;
}

/** Of more turns than there is room for, the newest. Turns that the summary before covers are not listed again. */
export function modelFreeNotes({ turns, hasStory, isOpen = false, request, tokens }: NotesParts): string {
  const listed = hasStory ? turns.filter(({ inSummary }) => !inSummary) : turns;
  const lines = listed.flatMap((turn, at) =>
    describeTurn(turn, { isOpen: isOpen && at === listed.length - 1, isRequest: referenceOf(turn) === request }),
  );
  if (lines.length === 0) return "";
  const frame = hasStory ? modelFreeSections.since : modelFreeSections.all;
  const notes = fill(frame, { turns: newestLines(lines, tokens - textTokens(fill(frame, { turns: "" }))) });
  return textTokens(notes) <= tokens ? notes : newestLines(lines, tokens);
}

function newestLines(lines: readonly string[], tokens: number): string {
  const kept: string[] = [];
  let room = tokens - LEFT_OUT;
  for (const line of lines.toReversed()) {
    room -= textTokens(line) + 1;
    if (room < 0) break;
    kept.unshift(line);
  }
  const left = lines.length - kept.length;
  const note = fill(modelFreeSections.left, { count: String(left) });
  return (left > 0 && room > -LEFT_OUT ? [note, ...kept] : kept).join("\n");
}

/** Tokens of the line that counts what is left out. */
const LEFT_OUT = 14;

interface TurnPlace {
  readonly isOpen: boolean;
  readonly isRequest: boolean;
}

/** Empty where there is nothing to say but the request, which stands at the end of the message. */
function describeTurn(turn: TurnNote, { isOpen, isRequest }: TurnPlace): readonly string[] {
  const { asked, said, by, ending = "" } = turn;
  const end = isOpen ? "continues in the messages after this one" : ending;
  if (isRequest && said === "" && ending === "") return [];
  const request = isRequest ? "the user's latest request, see below" : asked;
  const reply = said === "" && by !== "program" && !isOpen ? "(no reply)" : said;
  const words = [request, reply].filter((text) => text !== "").map(onOneLine);
  const place = isRequest ? "" : ` [${referenceOf(turn)}]`;
  return [`- ${words.join(" → ")}${place}${end === "" ? "" : ` (${onOneLine(end)})`}`];
}

function referenceOf({ entryId, reference = `entry:${entryId}` }: TurnNote): string {
  return reference;
}

// What was said cannot pass for a tag or a heading of ours.
const onOneLine = (text: string): string => text.replaceAll("<", "‹").replaceAll(/\s+/g, " ");

/** The summary that a model wrote before is carried on, and code lists what came since. */
export function modelFree(plan: Plan): Candidate {
  const { checkpoint, cut, window, covered } = plan;
  const before = window.entries[window.compactionAt];
  const story = carriedStory(plan, before ? entryReference(before) : "");
  const tokens = Math.max(checkpoint * NOTES - textTokens(story), checkpoint * LEAST_NOTES);
  const parts = {
    turns: keptByCode(plan).turns,
    hasStory: story !== "",
    isOpen: cut.turnAt !== null,
    request: plan.requestText === "" ? undefined : plan.request?.reference,
  };
  return {
    route: MODEL_FREE,
    story,
    notes: modelFreeNotes({ ...parts, tokens: Math.floor(tokens) }),
    covers: new Set([...covered, ...(before ? [before] : [])].map(({ id }) => id)),
  };
}

// CMP11: whole on every level that keeps the whole front. Below that it keeps to a narrative's room, and its place is named:
// what it says can be read again.
function carriedStory({ rung, checkpoint, carried: { story } }: Plan, handle: string): string {
  if (story === "" || rung.front === 1) return story;
  const tokens = Math.floor(checkpoint * NARRATIVE);
  const short = shortened(story, { tokens, handle });
  if (textTokens(short) <= tokens) return short;
  const place = `The summary before this one does not fit here; ${handle} opens it.`;
  return textTokens(place) <= tokens ? place : "";
}

/** Of the checkpoint: the carried summary and the list of turns together, and the list at least. The rest is mostly ledger. */
const NOTES = 0.5;
const LEAST_NOTES = 0.15;
