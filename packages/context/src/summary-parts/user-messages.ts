/** Keeps the user's covered messages in the summary message, and says which of them are not shown word for word. Measures a branch ahead of its first plan. */

import { getOrCompute } from "../cache.ts";
import type { CompactionPlan, SummaryCandidate } from "../compaction/plan.ts";
import type { Finding } from "../compaction/receipt.ts";
import { collectPart, type SummaryPart } from "../compaction/summary-message.ts";
import { formatAttachmentLine, splitQuotation } from "../context/attachments.ts";
import { latestEdit } from "../context/build-context.ts";
import { entrySize } from "../context/context-size.ts";
import { isFromUser, splitUserEntry } from "../context/entry-text.ts";
import { type ContextEditEntry, type Entry, entryReference } from "../entry.ts";
import type { Steps } from "../event-loop.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { findCarryingLines } from "../summary/carried-lines.ts";
import { type PreviousSummary, stripLineMarkup } from "../summary/parse-summary.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import {
  type FitMessagesOptions,
  type FittedMessages,
  fitUserMessages,
  type LeavingMessage,
  listLeavingMessages,
  USER_MESSAGES_TITLE,
  type UserMessageRecord,
} from "./fit-user-messages.ts";
import {
  type ActiveRequest,
  escapeStructure,
  findPrecedingQuestion,
  latestRequest,
  type OpenQuestion,
  parseQuestion,
  readOpenQuestion,
  readPreviousRequest,
  userMessageTokens,
} from "./latest-request.ts";
import {
  formatHidden,
  formatOmittedMessages,
  type OmittedMessages,
  readOmittedMessages,
  renderOmittedMessages,
} from "./omitted-messages.ts";
import { compareCarriedLines } from "./review-summary.ts";

/** The summary part with the user's messages, word for word. */
export const userMessages: SummaryPart<CollectedUserMessages> = {
  kind: "words",
  share: null,
  collect: collectFromPlan,
  *collectInSteps(plan) {
    yield* readInSteps(plan.covered, plan.edits);
    return collectFromPlan(plan);
  },
  render: ({ previousBlocks }, { plan, candidate }) =>
    renderBlocks(selectUserMessages(plan, candidate), previousBlocks),
  details: (_, plan, candidate) => formatOmittedMessages(selectUserMessages(plan, candidate).omitted),
  findings: (_, plan, candidate) => createMessageNotices(selectUserMessages(plan, candidate)),
};

function collectFromPlan(plan: CompactionPlan): CollectedUserMessages {
  const { covered, edits, previous, earlier = [] } = plan;
  return collectUserMessages({
    previousBlocks: readPreviousBlocks(previous),
    previousMessages: readPreviousMessages(previous),
    previousRequest: readPreviousRequest(previous),
    covered,
    edits,
    request: collectPart(latestRequest, plan).request,
    question: readOpenQuestion(previous),
    omitted: readOmittedMessages(previous),
    earlier,
    tokens: userMessageTokens(plan),
  });
}

/** The summary part that says which messages are not shown word for word, and where they went. */
export const omittedMessages: SummaryPart<null> = {
  kind: "omitted",
  share: null,
  collect: () => null,
  render: (_, { plan, candidate }) => renderOmittedMessages(selectUserMessages(plan, candidate).omitted),
};

/** The messages of a plan, before it is known which of them a summary carries over. */
export interface CollectedUserMessages extends FitMessagesOptions {
  /** The blocks of the previous compaction. They stay as they are unless a message in them changes. */
  readonly previousBlocks: readonly UserMessageBlock[];
  /** The messages in these blocks. */
  readonly previousMessages: readonly UserMessageRecord[];
  /** What the summarizer is asked to carry over. */
  readonly leaving: readonly LeavingMessage[];
}

/** A block of the summary message; it is kept byte for byte, so that it can be cached. */
export interface UserMessageBlock {
  readonly text: string;
  readonly tokens: number;
}

/** What the messages are collected from. */
export interface CollectMessagesOptions extends CoveredMessagesOptions {
  readonly previousBlocks: readonly UserMessageBlock[];
  readonly previousMessages: readonly UserMessageRecord[];
  /** The request at the end of the previous summary message. */
  readonly previousRequest: ActiveRequest | null;
  /** What the previous compaction does not show word for word. */
  readonly omitted: OmittedMessages;
  /** Uncarried messages, read from the log. */
  readonly earlier: readonly Entry[];
  /** The maximum tokens of all messages together. */
  readonly tokens: number;
}

/** Collects the messages of earlier compactions and of the covered entries. */
export function collectUserMessages(options: CollectMessagesOptions): CollectedUserMessages {
  const { previousBlocks, omitted, earlier, tokens } = options;
  const edited = new Set(omitted.edited);
  const previousMessages = options.previousMessages.map((message) =>
    edited.has(message.reference) ? { ...message, isEdited: true } : message,
  );
  const fitOptions = {
    messages: [...previousMessages, ...formerRequestMessage(options), ...collectCoveredMessages(options)],
    omitted,
    offered: earlier.map((entry) => ({
      reference: entryReference(entry),
      text: escapeStructure(splitUserEntry(entry).typed),
    })),
    tokens,
  };
  return { ...fitOptions, previousBlocks, previousMessages, leaving: listLeavingMessages(fitOptions) };
}

function readPreviousBlocks({ parts }: PreviousSummary): readonly UserMessageBlock[] {
  return parts.flatMap(({ part: { kind, tokens }, text }) => (kind === "words" ? [{ text, tokens }] : []));
}

// Cached: near the limit a plan is made before every request.
export function readPreviousMessages(previous: PreviousSummary): readonly UserMessageRecord[] {
  const { compaction } = previous;
  if (!compaction) return [];
  return getOrCompute(previousMessageCache, compaction, () =>
    readPreviousBlocks(previous).flatMap(({ text }) => parseMessages(text)),
  );
}

const previousMessageCache = new WeakMap<Entry, readonly UserMessageRecord[]>();

/** Parses a block. Each message begins with a line that contains its reference; such a line in a message is escaped. */
export function parseMessages(block: string): readonly UserMessageRecord[] {
  return block.split(MESSAGE_START).flatMap((part) => {
    const [header = "", reference = "", question = ""] = MESSAGE_HEADER.exec(part) ?? [];
    if (reference === "") return [];
    const { typed: text, attached } = splitQuotation(part.slice(header.length).replace(/\n{1,2}$/, ""));
    return [{ reference, text, attached, repliesTo: parseQuestion(question), tokens: textTokens(text) }];
  });
}

const MESSAGE_START = /^(?=\[(?:#\d+|entry:[^\]\n]+)\](?:\n| \(in reply))/m;
const MESSAGE_HEADER = /^\[(#\d+|entry:[^\]\n]+)\]([^\n]*)\n/;

/** Fits the messages of a plan beside a summary. */
export function selectUserMessages(plan: CompactionPlan, candidate: SummaryCandidate): FittedMessages {
  const collected = collectPart(userMessages, plan);
  const selections = getOrCompute(selectionCache, candidate, () => new WeakMap());
  return getOrCompute(selections, collected, () => {
    const { narrative, leaving = collected.leaving.map(({ reference }) => reference) } = candidate;
    return fitUserMessages(collected, {
      narrative,
      leaving: new Set(leaving),
      previousLines: findCarryingLines(plan.previous.narrative),
      uncarried: findUncarriedMessages(plan, narrative),
    });
  });
}

const selectionCache = new WeakMap<SummaryCandidate, WeakMap<CollectedUserMessages, FittedMessages>>();

// A line that the summary neither keeps nor replaces, and that did not fit: its messages are shown as stubs again.
function findUncarriedMessages(plan: CompactionPlan, narrative: string): readonly LeavingMessage[] {
  const carried = new Set(readOmittedMessages(plan.previous).carried);
  const lines = new Map<string, string>();
  for (const { text, references } of compareCarriedLines(plan, narrative).missing)
    for (const reference of references)
      if (carried.has(reference) && !lines.has(reference)) lines.set(reference, stripLineMarkup(text));
  return [...lines].map(([reference, text]) => ({ reference, text }));
}

/** Renders the blocks: those of the previous compaction and a new one or, if a message in them has changed, one new block. */
export function renderBlocks(
  { quotes }: Pick<FittedMessages, "quotes">,
  previousBlocks: readonly UserMessageBlock[],
): readonly UserMessageBlock[] {
  const text = quotes.map((quote) => quote.text).join("");
  const previousText = previousBlocks.map((block) => block.text).join("");
  const start = previousText.search(/^\[/m);
  const shownText = previousText.slice(Math.max(0, start));
  const isUnchanged = start >= 0 && text.startsWith(shownText);
  if (isUnchanged) return [...previousBlocks, ...createBlock(text.slice(shownText.length))];
  return text === "" ? [] : createBlock(`${USER_MESSAGES_TITLE}${text}`);
}

function createBlock(text: string): readonly UserMessageBlock[] {
  return text === "" ? [] : [{ text, tokens: textTokens(text) }];
}

/** Returns findings about messages that are not shown word for word from now on. */
export function createMessageNotices({
  omitted: { hidden },
  shortened,
  withoutQuestion,
  newlyCarried,
  newStubs,
  newlyHidden,
}: FittedMessages): readonly Finding[] {
  return [
    ...(newlyCarried.length > 0
      ? [{ code: "user-messages-carried" as const, note: formatCarriedNote(newlyCarried) }]
      : []),
    ...shortened.map((reference) => ({
      code: "user-messages-shortened" as const,
      note: `${reference} is shortened to its beginning and end`,
    })),
    ...(withoutQuestion.length > 0
      ? [
          {
            code: "user-messages-without-question" as const,
            note: `the question that it answers is no longer shown: ${formatList(withoutQuestion)}`,
          },
        ]
      : []),
    ...(newStubs.length > 0 ? [{ code: "user-messages-stubbed" as const, note: formatStubNote(newStubs) }] : []),
    ...(newlyHidden.length > 0 ? [{ code: "user-messages-hidden" as const, note: formatHidden(hidden) }] : []),
  ];
}

function formatCarriedNote(references: readonly string[]): string {
  return `the summary now carries over rules of ${formatList(references)}, which are no longer shown word for word`;
}

function formatStubNote(references: readonly string[]): string {
  const what = references.length === 1 ? "1 user message is" : `${references.length} user messages are`;
  return `${what} only shown by the first words, and the summary does not carry over the rest: ${formatList(references)}`;
}

const formatList = (references: readonly string[]): string => references.join(", ");

// A request that is no longer the latest moves to the blocks.
function formerRequestMessage({
  previousBlocks,
  request,
  previousRequest,
}: CollectMessagesOptions): readonly UserMessageRecord[] {
  if (!previousRequest?.isPerson || previousRequest.reference === request?.reference) return [];
  const { reference, text, attached = "", repliesTo } = previousRequest;
  // Earlier versions also kept the latest request in the blocks.
  const isOldBlock = ({ text: block }: UserMessageBlock): boolean =>
    block.startsWith(OLD_USER_MESSAGES_TITLE) &&
    parseMessages(block).some((message) => message.reference === reference);
  if (previousBlocks.some(isOldBlock)) return [];
  return [{ reference, text, attached, repliesTo, tokens: textTokens(text) }];
}

const OLD_USER_MESSAGES_TITLE = "What the user wrote, word for word:";

export interface CoveredMessagesOptions {
  readonly covered: readonly Entry[];
  readonly edits: readonly ContextEditEntry[];
  /** The latest request. It is at the end of the summary message, so it is not repeated in a block. */
  readonly request: ActiveRequest | null;
  /** The question that the first message after the previous cut answers; the assistant's message is no longer loaded. */
  readonly question?: OpenQuestion | null;
}

function collectCoveredMessages({
  covered,
  edits,
  request,
  question,
}: CoveredMessagesOptions): readonly UserMessageRecord[] {
  return covered.flatMap((entry, index) => {
    const reference = entryReference(entry);
    if (entry.type === "gap" && entry.kind === "user")
      return [
        {
          reference,
          text: MISSING_MESSAGE_NOTE,
          repliesTo: "",
          attached: "",
          tokens: textTokens(MISSING_MESSAGE_NOTE),
        },
      ];
    if (reference === request?.reference) return [];
    const message = readUserMessage(covered, index, edits);
    if (message === null) return [];
    const carriedQuestion = question?.reference === reference ? question.text : "";
    return [{ ...message, repliesTo: message.repliesTo || carriedQuestion, isCovered: true }];
  });
}

/** Reads the user message at this index; null if the entry is not one. */
function readUserMessage(
  entries: readonly Entry[],
  index: number,
  edits: readonly ContextEditEntry[],
): UserMessageRecord | null {
  const entry = entries[index];
  if (!entry || !isFromUser(entry, edits)) return null;
  const { typed, attachments } = splitUserEntry(entry, edits);
  const reference = entryReference(entry);
  const text = escapeStructure(typed);
  return {
    reference,
    text,
    attached: formatAttachmentLine(attachments, reference),
    repliesTo: findPrecedingQuestion(entries, index, edits),
    tokens: countMessageTokens(entry, text),
    ...(latestEdit(edits, entry) && { isEdited: true }),
  };
}

/** HARM2: stands for a user message that cannot be read. */
const MISSING_MESSAGE_NOTE = "(This user message is damaged and cannot be read.)";

// Cached: near the limit a plan is made before every request.
function countMessageTokens(entry: Entry, text: string): number {
  const cached = tokenCountCache.get(entry);
  if (cached?.text === text) return cached.tokens;
  const tokens = textTokens(text);
  tokenCountCache.set(entry, { text, tokens });
  return tokens;
}

const tokenCountCache = new WeakMap<Entry, { readonly text: string; readonly tokens: number }>();

/** Reads the user's messages, whose parts and tokens are cached. */
function* readInSteps(entries: readonly Entry[], edits: readonly ContextEditEntry[]): Steps<void> {
  for (const index of entries.keys()) {
    const message = readUserMessage(entries, index, edits);
    if (message) yield message.text.length;
  }
}

/**
 * Measures the entries of a branch in small steps, so that the first plan of a long session is quick. The sizes are cached with
 * each entry; you may stop after any step.
 */
export function* measureInSteps(branch: LoadedBranch): Generator<undefined, void> {
  const { entries, edits } = branch;
  for (const [index, entry] of entries.entries()) {
    entrySize(entry, latestEdit(edits, entry));
    readUserMessage(entries, index, edits);
    if (index % ENTRIES_PER_STEP === ENTRIES_PER_STEP - 1) yield undefined;
  }
}

/** Entries of a step; they take less than a millisecond once the code is warm. */
const ENTRIES_PER_STEP = 4;
