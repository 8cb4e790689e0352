/** Writes the summary that needs no model: the summary before it, and a list of the turns since. It never fails. */

import { type CompactionPlan, MODEL_FREE_ROUTE, NARRATIVE_SHARE, type SummaryCandidate } from "../compaction/plan.ts";
import { collectPart } from "../compaction/summary-part.ts";
import { entryReference } from "../references.ts";
import { fillTemplate } from "../summary/prompts.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { truncateMiddle } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { latestRequest } from "./latest-request.ts";
import { isTurn, MAX_LISTED_TURNS, type TurnNote } from "./turn-notes.ts";
import { collectWorkRecord } from "./work-record.ts";

const TURN_LIST_TEMPLATE = `A turn is one line: what was asked → the last reply, shortened [the entry where the turn begins]. Whether work is finished is not known: check before you rely on it.
{turns}
Next: continue with the latest request. If it only says to go on, continue the newest turn that did not end well, or what the last reply left open.`;

const TURN_LIST_TITLES = {
  all: "# Turns so far (an automatic list; no model wrote it)",
  since: "# Turns since that summary (an automatic list; no model wrote it)",
};

/** It lists what the log shows, and calls nothing finished: code cannot know that. */
const turnListTemplates = {
  /** Where there is no summary to go on from. */
  all: `${TURN_LIST_TITLES.all}\n${TURN_LIST_TEMPLATE}`,
  allShort: `${TURN_LIST_TITLES.all}\n{turns}`,
  /** After a summary that a model wrote earlier. */
  since: `${TURN_LIST_TITLES.since}\nThe list is newer than the summary: where they differ, the list holds. ${TURN_LIST_TEMPLATE}`,
  sinceShort: `${TURN_LIST_TITLES.since}\n{turns}`,
  left: "- (earlier turns are not listed)",
} as const;

export interface RenderTurnNotesOptions {
  readonly turns: readonly TurnNote[];
  /** Whether a summary by a model stands before the notes. */
  readonly hasNarrative: boolean;
  /** Whether the last turn goes on in the messages that are kept. */
  readonly isOpen?: boolean;
  /** The entry of the latest request, where the summary message ends with it: it is not repeated. */
  readonly request?: string | undefined;
  readonly tokens: number;
}

/** Of more turns than there is room for, the newest. Turns that the summary before covers are not listed again. */
export function renderTurnNotes({
  turns,
  hasNarrative,
  isOpen = false,
  request,
  tokens,
}: RenderTurnNotesOptions): string {
  const openTurn = isOpen ? turns.findLast(isTurn) : undefined;
  const unsummarizedTurns = hasNarrative ? turns.filter(({ inSummary }) => !inSummary) : turns;
  const listedTurns = unsummarizedTurns.slice(firstListedIndex(unsummarizedTurns));
  const lines = listedTurns.flatMap((turn) =>
    describeTurn(turn, { isOpen: turn === openTurn, isRequest: turnReference(turn) === request }),
  );
  if (lines.length === 0) return "";
  const hasOmittedTurns = listedTurns.length < unsummarizedTurns.length;
  const { all, allShort, since: sinceAll, sinceShort, left: omissionLine } = turnListTemplates;
  const [fullTemplate, shortTemplate] = hasNarrative ? [sinceAll, sinceShort] : [all, allShort];
  // With little room the title alone stands before the lines, and at last each line is short.
  for (const [template, renderLine] of [
    [fullTemplate, renderFullLine],
    [shortTemplate, renderFullLine],
    [shortTemplate, renderShortLine],
  ] as const) {
    const freeTokens = tokens - textTokens(fillTemplate(template, { turns: "" }));
    const newestText = joinNewestLines(lines.map(renderLine), { tokens: freeTokens, hasOmittedTurns });
    const notes = fillTemplate(template, { turns: newestText });
    if (newestText !== "" && textTokens(notes) <= tokens) return notes;
  }
  const titleOnly = fillTemplate(shortTemplate, { turns: omissionLine });
  return textTokens(titleOnly) <= tokens ? titleOnly : "";
}

// KEEP5: the note before the first one listed shows that there were more.
function firstListedIndex(turns: readonly TurnNote[]): number {
  const turnIndexes = turns.flatMap((turn, index) => (isTurn(turn) ? [index] : []));
  const last = turnIndexes.at(-MAX_LISTED_TURNS - 1);
  return last === undefined ? 0 : last + 1;
}

interface NewestLinesOptions {
  readonly tokens: number;
  /** Whether earlier turns are left out already. */
  readonly hasOmittedTurns: boolean;
}

function joinNewestLines(lines: readonly string[], { tokens, hasOmittedTurns }: NewestLinesOptions): string {
  const newest: string[] = [];
  let remainingTokens = tokens - OMISSION_LINE_TOKENS;
  for (const line of lines.toReversed()) {
    remainingTokens -= textTokens(line) + 1;
    if (remainingTokens < 0) break;
    newest.unshift(line);
  }
  const showsOmission = newest.length > 0 && (hasOmittedTurns || newest.length < lines.length);
  return (showsOmission ? [turnListTemplates.left, ...newest] : newest).join("\n");
}

/** Tokens of the line that says that turns are left out. */
const OMISSION_LINE_TOKENS = 10;

interface TurnLineOptions {
  readonly isOpen: boolean;
  readonly isRequest: boolean;
}

interface TurnLine {
  readonly label: string;
  /** What was asked, and what came of it. */
  readonly texts: readonly string[];
  /** The entry and how the turn ended, or nothing. */
  readonly end: string;
}

/** Empty where there is nothing to say but the request, which stands at the end of the message. */
function describeTurn(turn: TurnNote, { isOpen, isRequest }: TurnLineOptions): readonly TurnLine[] {
  const { asked, ending = "" } = turn;
  const end = isOpen ? "continues in the messages after this one" : ending;
  const reply = describeReply(turn);
  if (isRequest && reply === "" && ending === "") return [];
  const request = isRequest ? "the user's latest request, see below" : asked;
  const noReply = turn.by === undefined && !isOpen ? "(no reply)" : "";
  return [
    {
      label: turn.by === "branch" ? "(a branch that was left) " : "",
      texts: [request, reply || noReply].filter((text) => text !== "").map(toSingleLine),
      end: `${isRequest ? "" : ` [${turnReference(turn)}]`}${end === "" ? "" : ` (${toSingleLine(end)})`}`,
    },
  ];
}

const renderFullLine = ({ label, texts, end }: TurnLine): string => `- ${label}${texts.join(" → ")}${end}`;

const renderShortLine = ({ texts, ...line }: TurnLine): string =>
  renderFullLine({ ...line, texts: texts.map((text) => sanitizeLine(text, SHORT_LINE_CHARS)) });

/** Letters of what was asked and of what came of it. */
const SHORT_LINE_CHARS = 50;

/** The last text and the work after it; empty where there is neither. */
function describeReply({ said, calls = 0, lastCall = "" }: TurnNote): string {
  if (calls === 0) return said;
  const work = calls === 1 ? `1 tool call: ${lastCall}` : `${calls} tool calls, the last: ${lastCall}`;
  return said === "" ? `(no text; ${work})` : `${said} (then ${work})`;
}

function turnReference({ entryId, reference = `entry:${entryId}` }: TurnNote): string {
  return reference;
}

// What was said cannot pass for a tag or a heading of ours.
const toSingleLine = (text: string): string => text.replaceAll("<", "‹").replaceAll(/\s+/g, " ");

/** The summary that a model wrote before is carried on, and code lists what came since. */
export function createFallbackSummary(plan: CompactionPlan): SummaryCandidate {
  const { checkpoint, cut, branch, covered } = plan;
  const previousCompaction = branch.entries[branch.compactionIndex];
  const narrative = fitPreviousNarrative(plan, previousCompaction ? entryReference(previousCompaction) : "");
  const tokens = Math.max(checkpoint * NOTES_SHARE - textTokens(narrative), checkpoint * MIN_NOTES_SHARE);
  const options = {
    turns: collectWorkRecord(plan).turns,
    hasNarrative: narrative !== "",
    isOpen: cut.turnStartIndex !== null,
    request: collectPart(latestRequest, plan).request?.reference,
  };
  return {
    route: MODEL_FREE_ROUTE,
    narrative,
    notes: renderTurnNotes({ ...options, tokens: Math.floor(tokens) }),
    covers: new Set([...covered, ...(previousCompaction ? [previousCompaction] : [])].map(({ id }) => id)),
  };
}

// CMP11: whole on every level that keeps the whole front. Below that it keeps to a narrative's room, and its place is named:
// what it says can be read again.
function fitPreviousNarrative({ level, checkpoint, previous: { narrative } }: CompactionPlan, handle: string): string {
  if (narrative === "" || level.summaryShare === 1) return narrative;
  const tokens = Math.floor(checkpoint * NARRATIVE_SHARE);
  const short = truncateMiddle(narrative, { tokens, handle });
  if (textTokens(short) <= tokens) return short;
  const pointer = `The summary before this one does not fit here; ${handle} opens it.`;
  return textTokens(pointer) <= tokens ? pointer : "";
}

/** Of the checkpoint: the carried summary and the list of turns together, and the list at least. The rest is mostly ledger. */
const NOTES_SHARE = 0.5;
const MIN_NOTES_SHARE = 0.15;
