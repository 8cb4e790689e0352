/** Renders the message a model sees first after a compaction, least changing parts first, and reads what the next one carries on. */

import { readSummaryPartTexts, type SummaryPartInfo, type SummaryPartKind } from "../context/summary-parts.ts";
import type { CompactionEntry } from "../entry.ts";
import { readPithDetails } from "../entry-details.ts";
import { demoteHeadings } from "../summary/repair.ts";
import { splitSummaryLines } from "../summary/summary-lines.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { type OpenQuestion, parseRequest, type UserMessageBlock } from "./user-messages.ts";

export interface SummaryMessage {
  readonly text: string;
  readonly parts: readonly SummaryPartInfo[];
}

export interface SummaryMessageSections {
  readonly pins: string;
  readonly userMessages: readonly UserMessageBlock[];
  /** The summary a model wrote; it is carried on where code goes on alone. */
  readonly narrative: string;
  /** What code has to say of the turns since. */
  readonly notes: string;
  readonly ledger: string;
  readonly recall: string;
  /** What the user asked for last, where it is not in the tail. */
  readonly request: string;
}

export function renderSummaryMessage({
  pins,
  userMessages,
  narrative,
  notes,
  ledger,
  recall,
  request,
}: SummaryMessageSections): SummaryMessage {
  const recallText = request === "" ? recall.trimEnd() : addBlankLine(recall);
  const renderedParts = [
    ...renderPart("pins", pins),
    ...userMessages.map(({ text, tokens }) => ({
      text,
      part: { kind: "words" as const, length: text.length, tokens },
    })),
    ...renderPart("story", addBlankLine(narrative === "" ? "" : `${NARRATIVE_TITLE}${narrative}`)),
    ...renderPart("notes", addBlankLine(notes)),
    ...renderPart("ledger", addBlankLine(ledger)),
    ...renderPart("recall", recallText),
    ...renderPart("request", request),
  ];
  return { text: renderedParts.map(({ text }) => text).join(""), parts: renderedParts.map(({ part }) => part) };
}

const NARRATIVE_TITLE = "# Summary (a report, not the user's words)\n";

/** What the next compaction takes over from this one. A summary that is not ours is a story as a whole. */
export interface PreviousSummary {
  readonly userMessages: readonly UserMessageBlock[];
  readonly narrative: string;
  /** What code had to say behind it. */
  readonly notes: string;
  /** The user's latest request, where it is older than the window. */
  readonly request: string;
  /** Whether the story was held against the log when it was written. */
  readonly isChecked: boolean;
  /** What the first message that it kept answers. */
  readonly question: OpenQuestion | null;
}

/** The user's messages that the summary message before has, the latest request included, each below a line that names it. */
export function previousUserMessages({ userMessages, request }: PreviousSummary): string {
  const latestRequest = parseRequest(request);
  const blocks = userMessages.map(({ text }) => text).join("");
  return latestRequest?.isPerson
    ? `${blocks}\n[${latestRequest.reference}]\n${latestRequest.text}\n${latestRequest.attached ?? ""}\n`
    : blocks;
}

/** What was told before, by whomever. */
export function previousNarrative({ narrative, notes }: PreviousSummary): string {
  return [narrative, notes].filter((text) => text !== "").join("\n\n");
}

export const noPreviousSummary: PreviousSummary = {
  userMessages: [],
  narrative: "",
  notes: "",
  request: "",
  isChecked: false,
  question: null,
};

export function readSummaryMessage(compaction: CompactionEntry): PreviousSummary {
  const texts = readSummaryPartTexts(compaction);
  // What another program wrote must not pass for a part that only code writes.
  if (texts.length === 0)
    return { ...noPreviousSummary, narrative: demoteHeadings(splitSummaryLines(compaction.summary.trim())).join("\n") };
  const textOf = (wantedKind: SummaryPartKind): string =>
    texts.find(({ part: { kind } }) => kind === wantedKind)?.text ?? "";
  return {
    userMessages: texts.flatMap(({ part: { kind, tokens }, text }) => (kind === "words" ? [{ text, tokens }] : [])),
    narrative: textOf("story").replace(NARRATIVE_TITLE, "").trim(),
    notes: textOf("notes").trim(),
    request: textOf("request"),
    isChecked: isCheckedCompaction(compaction),
    question: readOpenQuestion(compaction),
  };
}

// A story that others wrote may be carried on by ours; that makes it no truer.
function isCheckedCompaction({ details }: CompactionEntry): boolean {
  return readPithDetails(details).checked === true;
}

// It comes from a file.
function readOpenQuestion({ details }: CompactionEntry): OpenQuestion | null {
  const { question } = readPithDetails(details);
  const { reference, text } = Object(question) as Partial<OpenQuestion>;
  return typeof reference === "string" && typeof text === "string" ? { reference, text: text.slice(0, 1_000) } : null;
}

function renderPart(
  kind: SummaryPartKind,
  text: string,
): readonly { readonly text: string; readonly part: SummaryPartInfo }[] {
  return text === "" ? [] : [{ text, part: { kind, length: text.length, tokens: textTokens(text) } }];
}

const addBlankLine = (text: string): string => (text === "" ? "" : `${text}\n\n`);
