/** Writes the summary that needs no model: the summary before it, and a list of the turns since. It never fails. */

import { entryReference } from "../references.ts";
import { fill } from "../summary/prompts.ts";
import { plainText } from "../text/sanitize.ts";
import { shortened } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { isTurn, keptByCode, MOST_LISTED, type TurnNote } from "./kept-work.ts";
import { type Candidate, MODEL_FREE, NARRATIVE, type Plan } from "./plan.ts";

const list = `A turn is one line: what was asked → the last reply, shortened [the entry where the turn begins]. Whether work is finished is not known: check before you rely on it.
{turns}
Next: continue with the latest request. If it only says to go on, continue the newest turn that did not end well, or what the last reply left open.`;

const titles = {
  all: "# Turns so far (an automatic list; no model wrote it)",
  since: "# Turns since that summary (an automatic list; no model wrote it)",
};

/** It lists what the log shows, and calls nothing finished: code cannot know that. */
const modelFreeSections = {
  /** Where there is no summary to go on from. */
  all: `${titles.all}\n${list}`,
  allShort: `${titles.all}\n{turns}`,
  /** After a summary that a model wrote earlier. */
  since: `${titles.since}\nThe list is newer than the summary: where they differ, the list holds. ${list}`,
  sinceShort: `${titles.since}\n{turns}`,
  left: "- (earlier turns are not listed)",
} as const;

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
  const openTurn = isOpen ? turns.findLast(isTurn) : undefined;
  const since = hasStory ? turns.filter(({ inSummary }) => !inSummary) : turns;
  const listed = since.slice(firstListed(since));
  const lines = listed.flatMap((turn) =>
    describeTurn(turn, { isOpen: turn === openTurn, isRequest: referenceOf(turn) === request }),
  );
  if (lines.length === 0) return "";
  const isCut = listed.length < since.length;
  const { all, allShort, since: sinceAll, sinceShort, left } = modelFreeSections;
  const [whole, short] = hasStory ? [sinceAll, sinceShort] : [all, allShort];
  // With little room the title alone stands before the lines, and at last each line is short.
  for (const [frame, line] of [
    [whole, wholeLine],
    [short, wholeLine],
    [short, shortLine],
  ] as const) {
    const room = tokens - textTokens(fill(frame, { turns: "" }));
    const newest = newestLines(lines.map(line), { tokens: room, isCut });
    const notes = fill(frame, { turns: newest });
    if (newest !== "" && textTokens(notes) <= tokens) return notes;
  }
  const bare = fill(short, { turns: left });
  return textTokens(bare) <= tokens ? bare : "";
}

// KEEP5: the note before the first one listed shows that there were more.
function firstListed(turns: readonly TurnNote[]): number {
  const places = turns.flatMap((turn, at) => (isTurn(turn) ? [at] : []));
  const last = places.at(-MOST_LISTED - 1);
  return last === undefined ? 0 : last + 1;
}

interface LinesRoom {
  readonly tokens: number;
  /** Whether earlier turns are left out already. */
  readonly isCut: boolean;
}

function newestLines(lines: readonly string[], { tokens, isCut }: LinesRoom): string {
  const kept: string[] = [];
  let room = tokens - LEFT_OUT;
  for (const line of lines.toReversed()) {
    room -= textTokens(line) + 1;
    if (room < 0) break;
    kept.unshift(line);
  }
  const isNoted = kept.length > 0 && (isCut || kept.length < lines.length);
  return (isNoted ? [modelFreeSections.left, ...kept] : kept).join("\n");
}

/** Tokens of the line that says that turns are left out. */
const LEFT_OUT = 10;

interface TurnPlace {
  readonly isOpen: boolean;
  readonly isRequest: boolean;
}

interface TurnLine {
  readonly label: string;
  /** What was asked, and what came of it. */
  readonly words: readonly string[];
  /** The entry and how the turn ended, or nothing. */
  readonly end: string;
}

/** Empty where there is nothing to say but the request, which stands at the end of the message. */
function describeTurn(turn: TurnNote, { isOpen, isRequest }: TurnPlace): readonly TurnLine[] {
  const { asked, ending = "" } = turn;
  const end = isOpen ? "continues in the messages after this one" : ending;
  const reply = describeReply(turn);
  if (isRequest && reply === "" && ending === "") return [];
  const request = isRequest ? "the user's latest request, see below" : asked;
  const noReply = turn.by === undefined && !isOpen ? "(no reply)" : "";
  return [
    {
      label: turn.by === "branch" ? "(a branch that was left) " : "",
      words: [request, reply || noReply].filter((text) => text !== "").map(onOneLine),
      end: `${isRequest ? "" : ` [${referenceOf(turn)}]`}${end === "" ? "" : ` (${onOneLine(end)})`}`,
    },
  ];
}

const wholeLine = ({ label, words, end }: TurnLine): string => `- ${label}${words.join(" → ")}${end}`;

const shortLine = ({ words, ...line }: TurnLine): string =>
  wholeLine({ ...line, words: words.map((text) => plainText(text, SHORT)) });

/** Letters of what was asked and of what came of it. */
const SHORT = 50;

/** The last text and the work after it; empty where there is neither. */
function describeReply({ said, calls = 0, lastCall = "" }: TurnNote): string {
  if (calls === 0) return said;
  const work = calls === 1 ? `1 tool call: ${lastCall}` : `${calls} tool calls, the last: ${lastCall}`;
  return said === "" ? `(no text; ${work})` : `${said} (then ${work})`;
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
