/** Keeps the user's covered messages word for word, in one block per compaction. If there is too little room, the newest stay. */

import type { Finding } from "../compaction/receipt.ts";
import { collectPart, type SummaryPart } from "../compaction/summary-part.ts";
import { formatAttachmentLine } from "../context/attachments.ts";
import { isFromUser, splitUserEntry } from "../context/entry-text.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { entryReference } from "../references.ts";
import { truncateMiddle } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import {
  type ActiveRequest,
  appendAttachedLine,
  escapeStructure,
  formatQuestion,
  latestRequest,
  readOpenQuestion,
  readPreviousRequest,
  userMessageTokens,
} from "./latest-request.ts";
import {
  countWords,
  ENDS_IN_QUESTION,
  findPrecedingQuestion,
  lastChars,
  MAX_BARE_ANSWER_WORDS,
  MAX_SENTENCE_CHARS,
  type OpenQuestion,
} from "./open-question.ts";

/** The user's messages, word for word. */
export const userMessages: SummaryPart<UserMessageSelection> = {
  kind: "words",
  share: null,
  collect(plan) {
    const { branch, covered, previous } = plan;
    return selectUserMessages({
      previousBlocks: previous.parts.flatMap(({ part: { kind, tokens }, text }) =>
        kind === "words" ? [{ text, tokens }] : [],
      ),
      covered,
      edits: branch.edits,
      tokens: userMessageTokens(plan),
      request: collectPart(latestRequest, plan).request,
      previousRequest: readPreviousRequest(previous),
      question: readOpenQuestion(previous),
    });
  },
  render: ({ blocks }) => blocks,
  findings: createMessageNotices,
};

/** Returns notices about messages that are no longer shown, or only in part. */
export function createMessageNotices({
  evicted,
  shortened,
}: Pick<UserMessageSelection, "evicted" | "shortened">): readonly Finding[] {
  return [
    ...(evicted.length > 0 ? [{ code: "user-messages-evicted" as const, note: formatEvictedNote(evicted) }] : []),
    ...shortened.map((reference) => ({
      code: "user-messages-shortened" as const,
      note: `${reference} is kept as head and tail`,
    })),
  ];
}

function formatEvictedNote(references: readonly string[]): string {
  const count = references.length === 1 ? "1 message of the user is" : `${references.length} messages of the user are`;
  return `${count} no longer shown, but can be read again: ${references.join(", ")}`;
}

/** A block as it stands in the summary message. It stays byte for byte, so that it is cached, or goes as a whole. */
export interface UserMessageBlock {
  readonly text: string;
  readonly tokens: number;
}

export interface UserMessageSelection {
  readonly blocks: readonly UserMessageBlock[];
  /** Of all blocks. */
  readonly tokens: number;
  /** References of messages that are no longer shown, for lack of room. They can be read again. */
  readonly evicted: readonly string[];
  /** References of messages of which head and tail are left. */
  readonly shortened: readonly string[];
}

export interface SelectUserMessagesOptions {
  /** The blocks of the compaction before, oldest first. */
  readonly previousBlocks: readonly UserMessageBlock[];
  /** Oldest first. */
  readonly covered: readonly Entry[];
  /** What the context has in the place of what was written: removed words do not come back. */
  readonly edits: readonly ContextEditEntry[];
  /** Of all blocks together. */
  readonly tokens: number;
  /** The active request stands at the end of the summary message, and not here. */
  readonly request: ActiveRequest | null;
  /** The request that stood there until now. */
  readonly previousRequest: ActiveRequest | null;
  /** What the first message behind the cut before answers: the assistant's message is not loaded any more. */
  readonly question?: OpenQuestion | null;
}

export function selectUserMessages(options: SelectUserMessagesOptions): UserMessageSelection {
  const messages = [...formerRequestMessage(options), ...collectCoveredMessages(options)];
  const selection = selectByTokens(messages, options);
  // The user's own words come before what they answer: without room for all, only answers to a question keep it, in short.
  return selection.evicted.length === 0 ? selection : selectByTokens(messages.map(shortenQuestion), options);
}

function shortenQuestion(message: UserMessageRecord): UserMessageRecord {
  const { text, repliesTo } = message;
  const isNeeded = ENDS_IN_QUESTION.test(repliesTo) && countWords(text) <= MAX_BARE_ANSWER_WORDS;
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
  /** What the user typed; empty for a message that consists of attachments. */
  readonly text: string;
  /** The line that names what was attached to it; empty for nothing. */
  readonly attached: string;
  /** What the assistant said last before it; empty for a message that can be understood without. */
  readonly repliesTo: string;
  readonly tokens: number;
}

// A request that was active until now joins the other messages.
function formerRequestMessage({
  previousBlocks,
  request,
  previousRequest,
}: SelectUserMessagesOptions): readonly UserMessageRecord[] {
  if (!previousRequest?.isPerson || previousRequest.reference === request?.reference) return [];
  const { reference, text, attached = "", repliesTo } = previousRequest;
  // Earlier versions kept the latest request among the other messages, too.
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

/** The message of a user at this place; null where another entry stands. */
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

/** HARM2: a reader of the messages sees that one is missing. */
const MISSING_MESSAGE_NOTE = "(This message of the user is damaged and cannot be read.)";

// Plans are made before every request near the limit, and a message does not change: it is counted once.
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

// Where all of them have room they stay as they are; where not, a long paste does not push out a short rule before it.
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

// The first block has the title. It changes only when blocks before it went, and then no cache holds it any more.
function addTitle([first, ...others]: readonly UserMessageBlock[]): readonly UserMessageBlock[] {
  if (!first) return [];
  if (!first.text.startsWith("[")) return [first, ...others];
  const text = `${USER_MESSAGES_TITLE}${first.text}`;
  return [{ text, tokens: textTokens(text) }, ...others];
}

/** The messages in a block: each begins with a line that names it. */
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
/** Tokens of one message, and, where not all of them fit, its share of all; of a longer one head and tail are kept. */
const MAX_MESSAGE_TOKENS = 2_000;
const MAX_MESSAGE_SHARE = 1 / 8;
/** Tokens that texts put together may have more than each by itself. */
const JOIN_TOKENS = 2;
/** Tokens below which there is no room for any message. */
const MIN_MESSAGE_TOKENS = 12;
