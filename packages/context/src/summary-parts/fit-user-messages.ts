/**
 * Fits the user's messages into their budget, in steps: whole, without questions, shortened, without sentences that the summary carries
 * over, as stubs, and as a count. The first step that fits is used. No message is left out without a word to the model.
 */

import { getOrCompute } from "../cache.ts";
import {
  CARRIED_MARK,
  type CarryCheck,
  type CarryingLine,
  compareReferences,
  createCarryCheck,
  findCarryingLines,
  removeCarriedSentences,
} from "../summary/carried-lines.ts";
import { MIN_TRUNCATION_TOKENS, truncateMiddle } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import {
  appendAttachedLine,
  countWords,
  ENDS_IN_QUESTION,
  formatQuestion,
  lastChars,
  MAX_BARE_ANSWER_WORDS,
  MAX_SENTENCE_CHARS,
} from "./latest-request.ts";
import {
  createStub,
  hideMessages,
  MAX_HIDDEN_LINE_TOKENS,
  MAX_STUB_TOKENS,
  type MessageStub,
  type OmittedMessages,
  omittedTitleTokens,
  removeHidden,
  stubTokens,
  type UncarriedMessage,
} from "./omitted-messages.ts";

/** A message of the user, as far as it is shown. */
export interface UserMessageRecord {
  readonly reference: string;
  /** The typed text, escaped; empty for a message that only has attachments. */
  readonly text: string;
  /** The line that lists its attachments; empty if there are none. */
  readonly attached: string;
  /** The end of the assistant's message before a short answer; empty if the message needs no context. */
  readonly repliesTo: string;
  /** The tokens of the text. */
  readonly tokens: number;
  /** Whether an edit has changed the text. */
  readonly isEdited?: boolean;
  /** Whether the message is among the covered entries, which the summarizer reads in any case. */
  readonly isCovered?: boolean;
}

/** A message that a summarizer is asked to carry over. */
export interface LeavingMessage {
  readonly reference: string;
  readonly text: string;
}

export interface FitMessagesOptions {
  /** The messages that are shown so far and the new ones, oldest first. */
  readonly messages: readonly UserMessageRecord[];
  /** What the previous compaction left out. */
  readonly omitted: OmittedMessages;
  /** Uncarried messages that were read from the log, whole. */
  readonly offered: readonly LeavingMessage[];
  /** The maximum tokens of all messages, stubs and notes together. */
  readonly tokens: number;
}

/** How the messages are shown, and what is not shown word for word. */
export interface FittedMessages {
  readonly quotes: readonly MessageQuote[];
  readonly omitted: OmittedMessages;
  /** The tokens of the quotes, the stubs and the notes. */
  readonly tokens: number;
  readonly shortened: readonly string[];
  /** The references of short answers that were shown with their question before. */
  readonly withoutQuestion: readonly string[];
  /** The references of messages that left in this compaction: sentences carried over, reduced to a stub, only counted. */
  readonly newlyCarried: readonly string[];
  readonly newStubs: readonly string[];
  readonly newlyHidden: readonly string[];
}

/** A message as it is shown. */
export interface MessageQuote {
  /** The message before it is shortened. */
  readonly message: UserMessageRecord;
  readonly text: string;
  readonly tokens: number;
  readonly isShortened: boolean;
}

/** The summary that the messages are shown beside. */
export interface AcceptedSummary {
  readonly narrative: string;
  /** The references of the messages that its author was asked to carry over. Only their sentences leave. */
  readonly leaving: ReadonlySet<string>;
  /** The lines of the previous summary. They carry over sentences that left before. */
  readonly previousLines: readonly CarryingLine[];
  /** Messages whose lines are no longer in the summary, with the text of the first such line. */
  readonly uncarried: readonly LeavingMessage[];
}

/** Fits the messages beside an accepted summary. */
export function fitUserMessages(options: FitMessagesOptions, summary: AcceptedSummary): FittedMessages {
  const { tokens, omitted: previouslyOmitted } = options;
  const findCarried = createMessageCheck(previouslyOmitted, summary);
  const omitted = updateOmitted(options, summary);
  const { quotes, isFitting } = fitWhole(options.messages, { tokens, usedTokens: omittedTokens(omitted) });
  const isWhole = isFitting && !quotes.some(({ isShortened }) => isShortened);
  const fitted = isWhole ? { quotes, omitted } : reduceMessages({ quotes, omitted }, { tokens, summary, findCarried });
  const answers = new Set(
    options.messages.flatMap(({ reference, repliesTo, isCovered }) =>
      isCovered || repliesTo === "" ? [] : [reference],
    ),
  );
  const edited = fitted.quotes.flatMap(({ message }) => (message.isEdited ? [message.reference] : []));
  return {
    ...fitted,
    omitted: { ...fitted.omitted, edited },
    tokens: countTokens(fitted),
    shortened: fitted.quotes.flatMap(({ message, isShortened }) => (isShortened ? [message.reference] : [])),
    withoutQuestion: fitted.quotes.flatMap(({ message: { reference, repliesTo } }) =>
      repliesTo === "" && answers.has(reference) ? [reference] : [],
    ),
    newlyCarried: listNew(fitted.omitted.carried, previouslyOmitted.carried),
    newStubs: listNew(listReferences(fitted.omitted.stubs), listReferences(previouslyOmitted.stubs)),
    newlyHidden: listNew(
      listReferences(fitted.omitted.hidden.messages),
      listReferences(previouslyOmitted.hidden.messages),
    ),
  };
}

// What the lines of the previous summary carry over of a message has left already.
function createMessageCheck({ carried }: OmittedMessages, { narrative, previousLines }: AcceptedSummary): CarryCheck {
  const [check, checkNewLines] = [createCarryCheck(narrative), createCarryCheck(narrative, previousLines)];
  const isCarriedBefore = new Set(carried);
  return (reference, sentences) => (isCarriedBefore.has(reference) ? checkNewLines : check)(reference, sentences);
}

const listReferences = (messages: readonly Pick<UncarriedMessage, "reference">[]): readonly string[] =>
  messages.map(({ reference }) => reference);

function listNew(references: readonly string[], previous: readonly string[]): readonly string[] {
  const known = new Set(previous);
  return references.filter((reference) => !known.has(reference));
}

interface ShownMessages {
  readonly quotes: readonly MessageQuote[];
  readonly omitted: OmittedMessages;
}

const countTokens = ({ quotes, omitted }: ShownMessages): number => countQuoteTokens(quotes) + omittedTokens(omitted);

function countQuoteTokens(quotes: readonly MessageQuote[]): number {
  return quotes.length === 0 ? 0 : quotes.reduce((sum, { tokens }) => sum + tokens, TITLE_TOKENS);
}

const omittedTokens = (omitted: OmittedMessages): number => omittedTitleTokens(omitted) + stubTokens(omitted.stubs);

/**
 * Returns what the next summary is asked to carry over: uncarried messages from the log, what is newly cut from long messages, and the
 * oldest messages, so that three quarters of the budget are used without them.
 */
export function listLeavingMessages({
  messages,
  omitted,
  offered,
  tokens,
}: FitMessagesOptions): readonly LeavingMessage[] {
  const { quotes, isFitting } = fitWhole(messages, { tokens, usedTokens: omittedTokens(omitted) });
  const leaving = new Set(quotes.flatMap(({ message, isShortened }) => (isShortened ? [message.reference] : [])));
  // What a summary does not carry over becomes a stub.
  const maxStubTokens = tokens * MAX_STUB_SHARE;
  let [quoteTokens, newStubTokens] = [countQuoteTokens(quotes), Math.min(omittedTokens(omitted), maxStubTokens)];
  for (const quote of quotes) {
    if (isFitting || quoteTokens + newStubTokens <= tokens * TARGET_SHARE) break;
    quoteTokens -= quote.tokens;
    newStubTokens = Math.min(newStubTokens + MAX_STUB_TOKENS, maxStubTokens);
    leaving.add(quote.message.reference);
  }
  const leavingMessages = messages.filter(({ reference }) => leaving.has(reference)).map(pointToConversation);
  return limitMessages([...offered, ...leavingMessages], tokens);
}

// A long message that the summarizer reads in the conversation is not repeated.
function pointToConversation({ reference, text, tokens, isCovered }: UserMessageRecord): LeavingMessage {
  if (!isCovered || tokens <= MAX_REPEATED_TOKENS) return { reference, text };
  return { reference, text: "(a long message; it is in the conversation)" };
}

const MAX_REPEATED_TOKENS = 2_000;

/** The share of the budget that is used after messages have left, so that the next compaction need not change them again. */
const TARGET_SHARE = 3 / 4;

// A message that is not listed cannot leave; it becomes a stub.
function limitMessages(messages: readonly LeavingMessage[], maxTokens: number): readonly LeavingMessage[] {
  let freeTokens = maxTokens;
  return messages.flatMap(({ reference, text }) => {
    if (freeTokens < MIN_TRUNCATION_TOKENS || !/\S/.test(text)) return [];
    const shown = truncateMiddle(text, { tokens: freeTokens, handle: reference });
    freeTokens -= textTokens(shown);
    return [{ reference, text: shown }];
  });
}

/** Updates the record: offered messages that the summary carries over leave it, and messages whose lines are gone return as stubs. */
function updateOmitted(
  { omitted, offered }: FitMessagesOptions,
  { narrative, leaving, uncarried }: AcceptedSummary,
): OmittedMessages {
  const findCarried = createCarryCheck(narrative);
  const citations = new Set(findCarryingLines(narrative).flatMap(({ references }) => references));
  const carried = new Set(omitted.carried.filter((reference) => citations.has(reference)));
  const remainingTexts = new Map<string, string>();
  for (const { reference, text } of offered) {
    const remaining = removeCarriedSentences(text, (sentences) => findCarried(reference, sentences));
    if (!leaving.has(reference) || !remaining.isChanged) continue;
    carried.add(reference);
    remainingTexts.set(reference, remaining.text);
  }
  const resolved = new Set([...remainingTexts].flatMap(([reference, text]) => (text === "" ? [reference] : [])));
  const countOffer = <Message extends UncarriedMessage>(message: Message): Message =>
    leaving.has(message.reference) ? { ...message, offers: message.offers + 1 } : message;
  const stubs = omitted.stubs
    .filter(({ reference }) => !resolved.has(reference))
    .map((stub) => {
      const text = remainingTexts.get(stub.reference);
      return countOffer(text === undefined ? stub : createStub(stub, removeMarks(text)));
    });
  const returned = uncarried.map(({ reference, text }) => createStub({ reference, offers: 0, isEdited: false }, text));
  const hidden = removeHidden(omitted.hidden, resolved);
  return {
    ...omitted,
    carried: [...carried].toSorted(compareReferences),
    stubs: mergeStubs(stubs, returned),
    hidden: { ...hidden, messages: hidden.messages.map(countOffer) },
  };
}

const removeMarks = (text: string): string => text.replaceAll(CARRIED_MARK, " ");

/** Adds stubs, one for each message, oldest first. */
function mergeStubs(stubs: readonly MessageStub[], added: readonly MessageStub[]): readonly MessageStub[] {
  const byReference = new Map([...stubs, ...added].map((stub) => [stub.reference, stub]));
  return [...byReference.values()].toSorted((one, other) => compareReferences(one.reference, other.reference));
}

interface FitOptions {
  readonly tokens: number;
  /** The tokens of the stubs and notes. */
  readonly usedTokens: number;
}

/**
 * Shows all messages whole or, if they do not fit, long ones by their beginning and end. Questions beside short answers are shown only
 * if that makes nothing leave.
 */
function fitWhole(
  messages: readonly UserMessageRecord[],
  { tokens, usedTokens }: FitOptions,
): { readonly quotes: readonly MessageQuote[]; readonly isFitting: boolean } {
  let quotes: readonly MessageQuote[] = [];
  for (const { toMessage, maxTokens } of [
    { toMessage: keepMessage, maxTokens: Number.POSITIVE_INFINITY },
    { toMessage: shortenQuestion, maxTokens: Number.POSITIVE_INFINITY },
    { toMessage: removeQuestion, maxTokens: Number.POSITIVE_INFINITY },
    { toMessage: removeQuestion, maxTokens: maxMessageTokens(tokens) },
  ]) {
    quotes = messages.map((message) => renderQuote(toMessage(message), maxTokens));
    if (countQuoteTokens(quotes) + usedTokens <= tokens) return { quotes, isFitting: true };
  }
  return { quotes, isFitting: false };
}

function maxMessageTokens(tokens: number): number {
  return Math.max(MIN_TRUNCATION_TOKENS, Math.floor(tokens * MAX_MESSAGE_SHARE));
}

/** The maximum share of one message if not all fit. A longer message is shortened to its beginning and end. */
const MAX_MESSAGE_SHARE = 1 / 8;
/** A message that is hardly longer is not shortened: the mark would take the place of what is cut. */
const MIN_CUT_RATIO = 1.25;

const keepMessage = (message: UserMessageRecord): UserMessageRecord => message;

function removeQuestion(message: UserMessageRecord): UserMessageRecord {
  return message.repliesTo === ""
    ? message
    : getOrCompute(bareMessages, message, () => ({ ...message, repliesTo: "" }));
}

const bareMessages = new WeakMap<UserMessageRecord, UserMessageRecord>();

// Only an answer of a few words means nothing without its question.
function shortenQuestion(message: UserMessageRecord): UserMessageRecord {
  const { text, repliesTo } = message;
  if (repliesTo === "") return message;
  const isNeeded =
    ENDS_IN_QUESTION.test(repliesTo) && countWords(text, MAX_BARE_ANSWER_WORDS + 1) <= MAX_BARE_ANSWER_WORDS;
  return { ...message, repliesTo: isNeeded ? lastChars(repliesTo, MAX_SENTENCE_CHARS) : "" };
}

// Cached: near the limit a plan is made before every request, and the steps render most messages again.
function renderQuote(message: UserMessageRecord, maxTokens: number = Number.POSITIVE_INFINITY): MessageQuote {
  const quotes = getOrCompute(quoteCache, message, () => new Map<number, MessageQuote>());
  // Most messages are shorter than any maximum.
  const key = message.tokens > maxTokens * MIN_CUT_RATIO ? maxTokens : Number.POSITIVE_INFINITY;
  const quote = quotes.get(key) ?? createQuote(message, key);
  quotes.set(key, quote);
  return quote;
}

const quoteCache = new WeakMap<UserMessageRecord, Map<number, MessageQuote>>();

function createQuote(message: UserMessageRecord, maxTokens: number): MessageQuote {
  const { reference, text, attached, repliesTo, tokens: messageTokens } = message;
  const isShortened = messageTokens > maxTokens * MIN_CUT_RATIO;
  const shownText = isShortened ? truncateMiddle(text, { tokens: maxTokens, handle: reference }) : text;
  const shownTokens = isShortened ? textTokens(shownText) : messageTokens;
  const header = `[${reference}]${formatQuestion(repliesTo)}\n`;
  return {
    message,
    text: `${header}${appendAttachedLine(shownText, attached)}\n\n`,
    tokens: textTokens(header) + shownTokens + textTokens(attached) + JOIN_TOKENS,
    isShortened,
  };
}

export const USER_MESSAGES_TITLE = "# User messages, word for word\n\n";
const TITLE_TOKENS = textTokens(USER_MESSAGES_TITLE);
/** Extra tokens that may result from joining texts. */
const JOIN_TOKENS = 2;

interface ReduceOptions {
  readonly tokens: number;
  readonly summary: AcceptedSummary;
  readonly findCarried: CarryCheck;
}

/**
 * Removes carried sentences. If that is not enough, the messages that the author was shown become stubs, first what is left of those
 * that the summary carries over. Messages that no summarizer was shown follow only after the oldest stubs are counted.
 */
function reduceMessages(shown: ShownMessages, { tokens, summary, findCarried }: ReduceOptions): ShownMessages {
  const { leaving } = summary;
  const isFitting = (each: ShownMessages): boolean => countTokens(each) <= tokens;
  const target = isFitting(shown) ? tokens : tokens * TARGET_SHARE;
  let result = removeCarried(shown, { tokens, target, leaving, findCarried });
  const carried = new Set(result.omitted.carried);
  for (const reduce of [
    () => reduceToStubs(result, target, (reference) => leaving.has(reference) && carried.has(reference)),
    () => reduceToStubs(result, tokens, (reference) => leaving.has(reference)),
    () => hideOldest(result, { tokens, maxStubTokens: tokens * MAX_STUB_SHARE }),
    () => reduceToStubs(result, tokens, () => true),
    () => hideOldest(result, { tokens }),
  ])
    if (!isFitting(result)) result = reduce();
  return result;
}

/** The share of the budget that stubs may use before messages that no summarizer was shown become stubs. */
const MAX_STUB_SHARE = 1 / 4;

// The sentences of a shortened message leave first: if it then fits, nothing else is cut from it.
function removeCarried(
  { quotes, omitted }: ShownMessages,
  { tokens, target, leaving, findCarried }: RemoveOptions,
): ShownMessages {
  const carried = new Set(omitted.carried);
  let usedTokens = countQuoteTokens(quotes) + omittedTokens({ ...omitted, carried: addAny(omitted.carried, "#1") });
  const remainingQuotes = quotes.flatMap((quote) => {
    const { message, isShortened } = quote;
    const { reference, attached } = message;
    if ((usedTokens <= target && !isShortened) || !leaving.has(reference)) return [quote];
    const { text, isChanged } = removeCarriedSentences(message.text, (sentences) => findCarried(reference, sentences));
    if (!isChanged) return [quote];
    carried.add(reference);
    const isGone = text === "" && attached === "";
    const shownText = text === "" ? CARRIED_MARK : text;
    const shown = { ...message, text: shownText, tokens: textTokens(shownText) };
    const remaining = renderQuote(shown, maxMessageTokens(tokens));
    usedTokens -= quote.tokens - (isGone ? 0 : remaining.tokens);
    return isGone ? [] : [remaining];
  });
  return { quotes: remainingQuotes, omitted: { ...omitted, carried: [...carried].toSorted(compareReferences) } };
}

interface RemoveOptions extends Pick<AcceptedSummary, "leaving"> {
  readonly tokens: number;
  readonly target: number;
  readonly findCarried: CarryCheck;
}

/** Stands for what is about to be added, whose title takes tokens too. */
function addAny<Item>(items: readonly Item[], item: Item): readonly Item[] {
  return items.length > 0 ? items : [item];
}

const ANY_STUB: MessageStub = { reference: "#1", offers: 0, isEdited: false, line: "[#1]", tokens: 3 };

// Oldest first. A message that is not longer than its stub stays.
function reduceToStubs(
  { quotes, omitted }: ShownMessages,
  target: number,
  mayReduce: (reference: string) => boolean,
): ShownMessages {
  const stubs: MessageStub[] = [];
  const titleTokens = omittedTitleTokens({ ...omitted, stubs: addAny(omitted.stubs, ANY_STUB) });
  let usedTokens = countQuoteTokens(quotes) + titleTokens + stubTokens(omitted.stubs);
  const remainingQuotes = quotes.filter(({ message, tokens }) => {
    if (usedTokens <= target || !mayReduce(message.reference)) return true;
    const stub = toStub(message);
    const saved = tokens - stubTokens([stub]);
    if (saved <= 0) return true;
    usedTokens -= saved;
    stubs.push(stub);
    return false;
  });
  return { quotes: remainingQuotes, omitted: { ...omitted, stubs: mergeStubs(omitted.stubs, stubs) } };
}

function toStub(message: UserMessageRecord): MessageStub {
  return getOrCompute(stubCache, message, () => {
    const { reference, text, attached, isEdited = false } = message;
    return createStub({ reference, offers: 0, isEdited }, removeMarks(text).trim() || attached);
  });
}

const stubCache = new WeakMap<UserMessageRecord, MessageStub>();

interface HideOptions {
  /** Enough are hidden once the rest has at most so many tokens, */
  readonly tokens: number;
  /** or once the stubs have at most so many. By default this does not matter. */
  readonly maxStubTokens?: number;
}

/** Counts the oldest stubs, as few as possible; if there are no more, also messages that are not longer than a stub. */
function hideOldest(shown: ShownMessages, { tokens, maxStubTokens = -1 }: HideOptions): ShownMessages {
  const { quotes, omitted } = shown;
  const stubReferences = new Set(listReferences(omitted.stubs));
  const unstubbed = quotes.filter(({ message }) => !stubReferences.has(message.reference));
  const quoteTokens = new Map(quotes.map(({ message, tokens: each }) => [message.reference, each]));
  let usedTokens = countTokens(shown) + MAX_HIDDEN_LINE_TOKENS;
  let usedStubTokens = stubTokens(omitted.stubs);
  const hidden: MessageStub[] = [];
  for (const candidate of [...omitted.stubs, ...unstubbed]) {
    if (usedTokens <= tokens || usedStubTokens <= maxStubTokens) break;
    const stub = "line" in candidate ? candidate : toStub(candidate.message);
    const isStub = stubReferences.has(stub.reference);
    usedStubTokens -= isStub ? stub.tokens : 0;
    usedTokens -= (isStub ? stub.tokens : 0) + (quoteTokens.get(stub.reference) ?? 0);
    hidden.push(stub);
  }
  if (hidden.length === 0) return shown;
  const hiddenReferences = new Set(listReferences(hidden));
  const isShown = ({ reference }: Pick<UncarriedMessage, "reference">): boolean => !hiddenReferences.has(reference);
  return {
    quotes: quotes.filter(({ message }) => isShown(message)),
    omitted: { ...omitted, stubs: omitted.stubs.filter(isShown), hidden: hideMessages(omitted.hidden, hidden) },
  };
}
