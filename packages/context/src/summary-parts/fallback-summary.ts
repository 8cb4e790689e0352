/** Creates a summary without a model: the previous summary and a list of the turns since. It never fails. */

import { type CompactionPlan, MODEL_FREE_ROUTE, NARRATIVE_SHARE, type SummaryCandidate } from "../compaction/plan.ts";
import { collectPart } from "../compaction/summary-message.ts";
import { entryReference } from "../entry.ts";
import { fillTemplate } from "../summary/prompts.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { truncateMiddle } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { latestRequest } from "./latest-request.ts";
import { collectLastReplies, isTurn, MAX_LISTED_TURNS, type TurnNote } from "./turn-notes.ts";
import { collectWorkRecord } from "./work-record.ts";

const TURN_LIST_TEMPLATE = `A turn is one line: what was asked → the last reply, long ones shortened [the entry where the turn begins]. This list does not show whether work is finished; check before you rely on it.
{turns}
Next: continue with the latest request. If it only asks to continue, continue the newest turn that did not end normally, or what the last reply left open.`;

const TURN_LIST_TITLES = {
  all: "# Turns so far (an automatic list; no model wrote it)",
  since: "# Turns since that summary (an automatic list; no model wrote it)",
};

/** The templates do not call a turn finished, because the log does not show that. */
const turnListTemplates = {
  /** Without a previous summary. */
  all: `${TURN_LIST_TITLES.all}\n${TURN_LIST_TEMPLATE}`,
  allShort: `${TURN_LIST_TITLES.all}\n{turns}`,
  /** After a previous summary. */
  since: `${TURN_LIST_TITLES.since}\nThe list is newer than the summary: where they differ, the list is correct. ${TURN_LIST_TEMPLATE}`,
  sinceShort: `${TURN_LIST_TITLES.since}\n{turns}`,
  left: "- (earlier turns are not listed)",
} as const;

export interface RenderTurnNotesOptions {
  readonly turns: readonly TurnNote[];
  /** Whether a summary by a model comes before the notes. */
  readonly hasNarrative: boolean;
  /** Whether the last turn continues in the kept messages. */
  readonly isOpen?: boolean;
  /** The reference of the latest request if the summary message ends with it; its text is not repeated. */
  readonly request?: string | undefined;
  /** The whole last replies by the entry of their turn. Those that fit are shown, the newest first. */
  readonly replies?: ReadonlyMap<string, string>;
  readonly tokens: number;
}

/** Renders the newest turns that fit, without those that the previous summary covers. */
export function renderTurnNotes({
  turns,
  hasNarrative,
  isOpen = false,
  request,
  replies = new Map(),
  tokens,
}: RenderTurnNotesOptions): string {
  const openTurn = isOpen ? turns.findLast(isTurn) : undefined;
  const unsummarizedTurns = hasNarrative ? turns.filter(({ inSummary }) => !inSummary) : turns;
  const listedTurns = unsummarizedTurns.slice(firstListedIndex(unsummarizedTurns));
  const lines = listedTurns.flatMap((turn) =>
    describeTurn(turn, {
      isOpen: turn === openTurn,
      isRequest: turnReference(turn) === request,
      reply: replies.get(turn.entryId),
    }),
  );
  if (lines.length === 0) return "";
  const hasOmittedTurns = listedTurns.length < unsummarizedTurns.length;
  const { all, allShort, since: sinceAll, sinceShort, left: omissionLine } = turnListTemplates;
  const [fullTemplate, shortTemplate] = hasNarrative ? [sinceAll, sinceShort] : [all, allShort];
  // With less room the explanation is omitted first, then each line is shortened.
  for (const [template, renderLine, renderLong] of [
    [fullTemplate, renderFullLine, renderWholeReply],
    [shortTemplate, renderFullLine, renderFullLine],
    [shortTemplate, renderShortLine, renderShortLine],
  ] as const) {
    const freeTokens = tokens - textTokens(fillTemplate(template, { turns: "" }));
    const rendered = lines.map((line) => ({ short: renderLine(line), long: renderLong(line) }));
    const newestText = joinNewestLines(rendered, { tokens: freeTokens, hasOmittedTurns });
    const notes = fillTemplate(template, { turns: newestText });
    if (newestText !== "" && textTokens(notes) <= tokens) return notes;
  }
  const titleOnly = fillTemplate(shortTemplate, { turns: omissionLine });
  return textTokens(titleOnly) <= tokens ? titleOnly : "";
}

// KEEP5: one more note than the list shows is stored, to detect that earlier turns exist.
function firstListedIndex(turns: readonly TurnNote[]): number {
  const turnIndexes = turns.flatMap((turn, index) => (isTurn(turn) ? [index] : []));
  const last = turnIndexes.at(-MAX_LISTED_TURNS - 1);
  return last === undefined ? 0 : last + 1;
}

interface NewestLinesOptions {
  readonly tokens: number;
  /** Whether earlier turns are already omitted. */
  readonly hasOmittedTurns: boolean;
}

interface RenderedLine {
  readonly short: string;
  /** With the whole reply. */
  readonly long: string;
}

/** First come as many lines as possible, then as many whole replies, the newest first. */
function joinNewestLines(lines: readonly RenderedLine[], { tokens, hasOmittedTurns }: NewestLinesOptions): string {
  const newest: RenderedLine[] = [];
  let remainingTokens = tokens - OMISSION_LINE_TOKENS;
  for (const line of lines.toReversed()) {
    const lineTokens = textTokens(line.short) + 1;
    if (lineTokens > remainingTokens) break;
    remainingTokens -= lineTokens;
    newest.push(line);
  }
  const texts = newest.map(({ short, long }) => {
    const addedTokens = long === short ? 0 : textTokens(long) - textTokens(short);
    if (addedTokens > remainingTokens) return short;
    remainingTokens -= addedTokens;
    return long;
  });
  const showsOmission = newest.length > 0 && (hasOmittedTurns || newest.length < lines.length);
  return [...texts, ...(showsOmission ? [turnListTemplates.left] : [])].toReversed().join("\n");
}

/** The tokens of the line that says that turns are omitted. */
const OMISSION_LINE_TOKENS = 10;

interface TurnLineOptions {
  readonly isOpen: boolean;
  readonly isRequest: boolean;
  readonly reply: string | undefined;
}

interface TurnLine {
  readonly label: string;
  /** The request and the reply. */
  readonly texts: readonly string[];
  /** The same with the whole reply. */
  readonly wholeTexts: readonly string[];
  /** The reference of the turn and how it ended; may be empty. */
  readonly end: string;
}

/** Empty for the latest request without a reply, because the request is at the end of the summary message. */
function describeTurn(turn: TurnNote, options: TurnLineOptions): readonly TurnLine[] {
  const { isOpen, isRequest, reply: wholeReply = turn.said } = options;
  const { asked, ending = "" } = turn;
  const end = isOpen ? "continues in the messages after this one" : ending;
  const reply = describeReply(turn);
  if (isRequest && reply === "" && ending === "") return [];
  const request = isRequest ? "the user's latest request, see below" : asked;
  const noReply = turn.by === undefined && !isOpen ? "(no reply)" : "";
  const toTexts = (text: string): readonly string[] =>
    [request, text || noReply].filter((each) => each !== "").map(toSingleLine);
  return [
    {
      label: turn.by === "branch" ? "(a branch that was left) " : "",
      texts: toTexts(reply),
      wholeTexts: toTexts(describeReply({ ...turn, said: wholeReply })),
      end: `${isRequest ? "" : ` [${turnReference(turn)}]`}${end === "" ? "" : ` (${toSingleLine(end)})`}`,
    },
  ];
}

const renderFullLine = ({ label, texts, end }: TurnLine): string => `- ${label}${texts.join(" → ")}${end}`;

const renderWholeReply = (line: TurnLine): string => renderFullLine({ ...line, texts: line.wholeTexts });

const renderShortLine = ({ texts, ...line }: TurnLine): string =>
  renderFullLine({ ...line, texts: texts.map((text) => sanitizeLine(text, SHORT_LINE_CHARS)) });

/** The maximum characters of the request and of the reply. */
const SHORT_LINE_CHARS = 50;

/** The last text and the tool calls after it; empty if there are none. */
function describeReply({ said, calls = 0, lastCall = "" }: TurnNote): string {
  if (calls === 0) return said;
  const work = calls === 1 ? `1 tool call: ${lastCall}` : `${calls} tool calls, the last: ${lastCall}`;
  return said === "" ? `(no text; ${work})` : `${said} (then ${work})`;
}

function turnReference({ entryId, reference = `entry:${entryId}` }: TurnNote): string {
  return reference;
}

// Prevents quoted text from looking like a tag or a heading of the summary message.
const toSingleLine = (text: string): string => text.replaceAll("<", "‹").replaceAll(/\s+/g, " ");

/** Creates a summary from the previous narrative and a list of the turns since. */
export function createFallbackSummary(plan: CompactionPlan): SummaryCandidate {
  const { checkpoint, cut, covered } = plan;
  const previousCompaction = plan.previous.compaction;
  const narrative = fitPreviousNarrative(plan, previousCompaction ? entryReference(previousCompaction) : "");
  const tokens = Math.max(checkpoint * NOTES_SHARE - textTokens(narrative), checkpoint * MIN_NOTES_SHARE);
  const options = {
    turns: collectWorkRecord(plan).turns,
    hasNarrative: narrative !== "",
    isOpen: cut.turnStartIndex !== null,
    request: collectPart(latestRequest, plan).request?.reference,
    replies: collectLastReplies(covered, plan.edits),
  };
  return {
    route: MODEL_FREE_ROUTE,
    narrative,
    notes: renderTurnNotes({ ...options, tokens: Math.floor(tokens) }),
    covers: new Set([...covered, ...(previousCompaction ? [previousCompaction] : [])].map(({ id }) => id)),
  };
}

// CMP11: the previous narrative stays whole on every level with the full summary share. On the other levels it is shortened
// to the share of a narrative, with a reference to the full text.
function fitPreviousNarrative({ level, checkpoint, previous: { narrative } }: CompactionPlan, handle: string): string {
  if (narrative === "" || level.summaryShare === 1) return narrative;
  const tokens = Math.floor(checkpoint * NARRATIVE_SHARE);
  const short = truncateMiddle(narrative, { tokens, handle });
  if (textTokens(short) <= tokens) return short;
  const pointer = `The summary before this one does not fit here; ${handle} opens it.`;
  return textTokens(pointer) <= tokens ? pointer : "";
}

/** Shares of the checkpoint: narrative and turn list together, and the minimum of the list. The ledger uses most of the rest. */
const NOTES_SHARE = 0.5;
const MIN_NOTES_SHARE = 0.15;
