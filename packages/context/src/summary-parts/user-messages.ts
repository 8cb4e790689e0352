/** Keeps the user's covered messages word for word, in one block per compaction; if not all fit, the newest are kept. Measures a branch ahead of its first plan. */

import type { Finding } from "../compaction/receipt.ts";
import { collectPart, type SummaryPart } from "../compaction/summary-message.ts";
import { formatAttachmentLine } from "../context/attachments.ts";
import { latestEdit } from "../context/build-context.ts";
import { entrySize } from "../context/context-size.ts";
import { isFromUser, splitUserEntry } from "../context/entry-text.ts";
import { type ContextEditEntry, type Entry, entryReference } from "../entry.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { truncateMiddle } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import {
  type ActiveRequest,
  appendAttachedLine,
  countWords,
  ENDS_IN_QUESTION,
  escapeStructure,
  findPrecedingQuestion,
  formatQuestion,
  lastChars,
  latestRequest,
  MAX_BARE_ANSWER_WORDS,
  MAX_SENTENCE_CHARS,
  type OpenQuestion,
  readOpenQuestion,
  readPreviousRequest,
  userMessageTokens,
} from "./latest-request.ts";

/** The summary part with the user's messages, word for word. */
export const userMessages: SummaryPart<UserMessageSelection> = {
  kind: "words",
  share: null,
  collect(plan) {
    const { covered, edits, previous } = plan;
    return selectUserMessages({
      previousBlocks: previous.parts.flatMap(({ part: { kind, tokens }, text }) =>
        kind === "words" ? [{ text, tokens }] : [],
      ),
      covered,
      edits,
      tokens: userMessageTokens(plan),
      request: collectPart(latestRequest, plan).request,
      previousRequest: readPreviousRequest(previous),
      question: readOpenQuestion(previous),
    });
  },
  render: ({ blocks }) => blocks,
  findings: createMessageNotices,
};

/** Returns findings about messages that are omitted or shortened. */
export function createMessageNotices({
  evicted,
  shortened,
}: Pick<UserMessageSelection, "evicted" | "shortened">): readonly Finding[] {
  return [
    ...(evicted.length > 0 ? [{ code: "user-messages-evicted" as const, note: formatEvictedNote(evicted) }] : []),
    ...shortened.map((reference) => ({
      code: "user-messages-shortened" as const,
      note: `${reference} is shortened to its beginning and end`,
    })),
  ];
}

function formatEvictedNote(references: readonly string[]): string {
  const count = references.length === 1 ? "1 user message is" : `${references.length} user messages are`;
  return `${count} no longer shown, but can be read again: ${references.join(", ")}`;
}

/** A block of the summary message; it is kept byte for byte, so that it can be cached, or removed as a whole. */
export interface UserMessageBlock {
  readonly text: string;
  readonly tokens: number;
}

export interface UserMessageSelection {
  readonly blocks: readonly UserMessageBlock[];
  /** The tokens of all blocks. */
  readonly tokens: number;
  /** References of messages that are omitted because they do not fit. They can be read again. */
  readonly evicted: readonly string[];
  /** References of messages that are shortened to head and tail. */
  readonly shortened: readonly string[];
}

export interface SelectUserMessagesOptions {
  /** The blocks of the previous compaction, oldest first. */
  readonly previousBlocks: readonly UserMessageBlock[];
  /** Oldest first. */
  readonly covered: readonly Entry[];
  /** The context edits, so that removed text does not reappear. */
  readonly edits: readonly ContextEditEntry[];
  /** The maximum tokens of all blocks together. */
  readonly tokens: number;
  /** The latest request. It is at the end of the summary message, so it is not repeated in a block. */
  readonly request: ActiveRequest | null;
  /** The request at the end of the previous summary message. */
  readonly previousRequest: ActiveRequest | null;
  /** The question that the first message after the previous cut answers; the assistant's message is no longer loaded. */
  readonly question?: OpenQuestion | null;
}

export function selectUserMessages(options: SelectUserMessagesOptions): UserMessageSelection {
  const messages = [...formerRequestMessage(options), ...collectCoveredMessages(options)];
  const selection = selectByTokens(messages, options);
  // User messages take priority over questions. If not all fit, only very short answers keep their question, shortened.
  return selection.evicted.length === 0 ? selection : selectByTokens(messages.map(shortenQuestion), options);
}

function shortenQuestion(message: UserMessageRecord): UserMessageRecord {
  const { text, repliesTo } = message;
  const isNeeded =
    ENDS_IN_QUESTION.test(repliesTo) && countWords(text, MAX_BARE_ANSWER_WORDS + 1) <= MAX_BARE_ANSWER_WORDS;
  return { ...message, repliesTo: isNeeded ? lastChars(repliesTo, MAX_SENTENCE_CHARS) : "" };
}

function selectByTokens(
  messages: readonly UserMessageRecord[],
  { previousBlocks, tokens }: SelectUserMessagesOptions,
): UserMessageSelection {
  const { chosen, evicted } = chooseNewestQuotes(messages, tokens);
  const blockTokens = tokens - chosen.reduce((sum, quote) => sum + quote.tokens, 0);
  const keptBlocks = selectNewestBlocks(previousBlocks, blockTokens);
  const blocks = [
    ...addTitle(keptBlocks),
    ...(chosen.length === 0 ? [] : [renderMessageBlock(chosen, keptBlocks.length === 0)]),
  ];
  const evictedReferences = previousBlocks
    .slice(0, previousBlocks.length - keptBlocks.length)
    .flatMap(({ text }) => blockReferences(text));
  return {
    blocks,
    tokens: blocks.reduce((sum, each) => sum + each.tokens, 0),
    evicted: [...evictedReferences, ...evicted],
    shortened: chosen.filter(({ isShortened }) => isShortened).map(({ reference }) => reference),
  };
}

export interface UserMessageRecord {
  readonly reference: string;
  /** The typed text; empty for a message that only has attachments. */
  readonly text: string;
  /** The line that lists its attachments; empty if there are none. */
  readonly attached: string;
  /** The end of the assistant's message before a short answer; empty if the message needs no context. */
  readonly repliesTo: string;
  readonly tokens: number;
}

// A request that is no longer the latest moves to the blocks.
function formerRequestMessage({
  previousBlocks,
  request,
  previousRequest,
}: SelectUserMessagesOptions): readonly UserMessageRecord[] {
  if (!previousRequest?.isPerson || previousRequest.reference === request?.reference) return [];
  const { reference, text, attached = "", repliesTo } = previousRequest;
  // Earlier versions also kept the latest request in the blocks.
  const isOldBlock = (block: UserMessageBlock): boolean => block.text.startsWith(OLD_USER_MESSAGES_TITLE);
  if (previousBlocks.some((block) => isOldBlock(block) && blockReferences(block.text).includes(reference))) return [];
  return [{ reference, text, attached, repliesTo, tokens: textTokens(text) }];
}

function collectCoveredMessages({
  covered,
  edits,
  request,
  question,
}: SelectUserMessagesOptions): readonly UserMessageRecord[] {
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
    return [{ ...message, repliesTo: message.repliesTo || carriedQuestion }];
  });
}

/** Reads the user message at this index; null if the entry is not one. */
export function readUserMessage(
  entries: readonly Entry[],
  index: number,
  edits: readonly ContextEditEntry[],
): UserMessageRecord | null {
  const entry = entries[index];
  if (!entry || !isFromUser(entry, edits)) return null;
  const { typed: text, attachments } = splitUserEntry(entry, edits);
  const reference = entryReference(entry);
  const attached = formatAttachmentLine(attachments, reference);
  return {
    reference,
    text,
    attached,
    repliesTo: findPrecedingQuestion(entries, index, edits),
    tokens: countMessageTokens(entry, text),
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

interface MessageQuote {
  readonly reference: string;
  readonly text: string;
  readonly tokens: number;
  readonly isShortened: boolean;
}

interface QuoteSelection {
  readonly chosen: readonly MessageQuote[];
  readonly evicted: readonly string[];
}

// If not all messages fit, long ones are shortened more, so that a long paste does not displace short earlier messages.
function chooseNewestQuotes(messages: readonly UserMessageRecord[], tokens: number): QuoteSelection {
  const maxMessageTokens = Math.min(MAX_MESSAGE_TOKENS, Math.floor(tokens * MAX_MESSAGE_SHARE));
  const selection = chooseQuotes(messages, tokens, MAX_MESSAGE_TOKENS);
  return selection.evicted.length === 0 || maxMessageTokens === MAX_MESSAGE_TOKENS
    ? selection
    : chooseQuotes(messages, tokens, maxMessageTokens);
}

function chooseQuotes(
  messages: readonly UserMessageRecord[],
  tokens: number,
  maxMessageTokens: number,
): QuoteSelection {
  const chosen: MessageQuote[] = [];
  const evicted: string[] = [];
  let remainingTokens = tokens - textTokens(USER_MESSAGES_TITLE);
  for (const message of messages.toReversed()) {
    const quote = remainingTokens < MIN_MESSAGE_TOKENS ? null : renderQuote(message, maxMessageTokens);
    const fits = quote !== null && quote.tokens <= remainingTokens;
    if (fits) remainingTokens -= quote.tokens;
    if (fits) chosen.push(quote);
    else evicted.push(message.reference);
  }
  return { chosen: chosen.reverse(), evicted: evicted.reverse() };
}

function renderQuote(
  { reference, text, attached, repliesTo, tokens: messageTokens }: UserMessageRecord,
  maxMessageTokens: number,
): MessageQuote {
  const shownText = escapeStructure(
    messageTokens <= maxMessageTokens ? text : truncateMiddle(text, { tokens: maxMessageTokens, handle: reference }),
  );
  const header = `[${reference}]${formatQuestion(repliesTo)}\n`;
  const tokens =
    textTokens(header) +
    (shownText === text ? messageTokens : textTokens(shownText)) +
    textTokens(attached) +
    JOIN_TOKENS;
  return {
    reference,
    text: `${header}${appendAttachedLine(shownText, attached)}\n\n`,
    tokens,
    isShortened: messageTokens > maxMessageTokens,
  };
}

function renderMessageBlock(quotes: readonly MessageQuote[], isFirst: boolean): UserMessageBlock {
  const text = `${isFirst ? USER_MESSAGES_TITLE : ""}${quotes.map((quote) => quote.text).join("")}`;
  return { text, tokens: textTokens(text) };
}

// The first block has the title. It is added only after earlier blocks were removed, when the cache is already invalid.
function addTitle([first, ...others]: readonly UserMessageBlock[]): readonly UserMessageBlock[] {
  if (!first) return [];
  if (!first.text.startsWith("[")) return [first, ...others];
  const text = `${USER_MESSAGES_TITLE}${first.text}`;
  return [{ text, tokens: textTokens(text) }, ...others];
}

/** The references of the messages in a block; each message begins with a line that contains its reference. */
function blockReferences(block: string): readonly string[] {
  return [...block.matchAll(/^\[(#\d+|entry:[^\]\n]+)\]/gm)].map(([, reference = ""]) => reference);
}

function selectNewestBlocks(blocks: readonly UserMessageBlock[], tokens: number): readonly UserMessageBlock[] {
  let remainingTokens = tokens;
  let startIndex = blocks.length;
  for (const { tokens: blockTokens } of blocks.toReversed()) {
    remainingTokens -= blockTokens;
    if (remainingTokens < 0) break;
    startIndex--;
  }
  return blocks.slice(startIndex);
}

const USER_MESSAGES_TITLE = "# User messages, word for word\n\n";
const OLD_USER_MESSAGES_TITLE = "What the user wrote, word for word:";
/** The maximum tokens of one message, and its maximum share if not all fit. A longer message is shortened to head and tail. */
const MAX_MESSAGE_TOKENS = 2_000;
const MAX_MESSAGE_SHARE = 1 / 8;
/** Extra tokens that may result from joining texts. */
const JOIN_TOKENS = 2;
/** With fewer tokens than this, no message fits. */
const MIN_MESSAGE_TOKENS = 12;

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
