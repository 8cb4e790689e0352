/** Keeps the user's covered messages word for word, one block per compaction, newest first, and finds the request that is active. */

import { formatAttachmentLine, splitQuotation } from "../context/attachments.ts";
import { authorOf, entryText, splitUserEntry } from "../context/entry-text.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { entryReference, findCitedReferences } from "../references.ts";
import { sanitizeLine, toVisualSkeleton } from "../text/sanitize.ts";
import { truncateMiddle } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";

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

/** A short answer behind a cut, and the question before the cut. */
export interface OpenQuestion {
  readonly reference: string;
  readonly text: string;
}

/** The question of the first kept message, if that is a short answer to a message before the cut. */
export function findOpenQuestion(
  entries: readonly Entry[],
  cutIndex: number,
  edits: readonly ContextEditEntry[],
): OpenQuestion | null {
  const firstIndex = entries.findIndex(
    (entry, index) => index >= cutIndex && (isFromUser(entry, edits) || hasAssistantText(entry, edits)),
  );
  const entry = entries[firstIndex];
  if (!entry || !isFromUser(entry, edits)) return null;
  const text = findPrecedingQuestion(entries, firstIndex, edits);
  return text === "" ? null : { reference: entryReference(entry), text };
}

const hasAssistantText = (entry: Entry, edits: readonly ContextEditEntry[]): boolean =>
  authorOf(entry) === "assistant" && /\S/.test(entryText(entry, edits));

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

/** Whether a person sent it and there is something in it. */
export function isFromUser(entry: Entry, edits: readonly ContextEditEntry[]): boolean {
  const { typed, attachments } = splitUserEntry(entry, edits);
  return attachments.length > 0 || /\S/.test(typed);
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
        { reference, text: LOST_MESSAGE_NOTE, repliesTo: "", attached: "", tokens: textTokens(LOST_MESSAGE_NOTE) },
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
const LOST_MESSAGE_NOTE = "(This message of the user is damaged and cannot be read.)";

/** What a short answer answers: the assistant's last words since the message before it. */
function findPrecedingQuestion(
  covered: readonly Entry[],
  answerIndex: number,
  edits: readonly ContextEditEntry[],
): string {
  const answer = covered[answerIndex] as Entry;
  const text = splitUserEntry(answer, edits).typed;
  if (text.length > MAX_ANSWER_CHARS || !/\S/.test(text)) return "";
  for (let index = answerIndex - 1; index >= 0; index -= 1) {
    const entry = covered[index] as Entry;
    if (isFromUser(entry, edits)) return "";
    const reply = authorOf(entry) === "assistant" ? entryText(entry, edits) : "";
    if (/\S/.test(reply)) return extractQuestion(answer, text, reply);
  }
  return "";
}

// Segmenting is slow, plans are made before every request near the limit, and neither text changes.
function extractQuestion(answer: Entry, text: string, reply: string): string {
  const cached = questionCache.get(answer);
  if (cached?.text === text && cached.reply === reply) return cached.question;
  const wordCount = countWords(text);
  const question = wordCount <= MAX_ANSWER_WORDS ? lastSentences(reply, wordCount) : "";
  questionCache.set(answer, { text, reply, question });
  return question;
}

const questionCache = new WeakMap<
  Entry,
  { readonly text: string; readonly reply: string; readonly question: string }
>();

/** `2` or `yes, but only on staging` means nothing without the question. */
const MAX_ANSWER_WORDS = 8;

// Plans are made before every request near the limit, and a message does not change: it is counted once.
function countMessageTokens(entry: Entry, text: string): number {
  const cached = tokenCountCache.get(entry);
  if (cached?.text === text) return cached.tokens;
  const tokens = textTokens(text);
  tokenCountCache.set(entry, { text, tokens });
  return tokens;
}

const tokenCountCache = new WeakMap<Entry, { readonly text: string; readonly tokens: number }>();

function countWords(text: string): number {
  return Array.from(segmenters.words().segment(text)).filter(({ isWordLike }) => isWordLike).length;
}

/** The last sentence and, where a word or two answer a question, as much before it as a list of options takes. */
function lastSentences(reply: string, answerWordCount: number): string {
  const hasOptions = answerWordCount <= MAX_BARE_ANSWER_WORDS && ENDS_IN_QUESTION.test(reply);
  const maxChars = hasOptions ? MAX_OPTIONS_CHARS : MAX_SENTENCE_CHARS;
  const end = reply
    .trimEnd()
    .slice(-2 * maxChars)
    .toWellFormed();
  const sentences = Array.from(segmenters.sentences().segment(end), ({ segment }) => segment);
  let [text, wordCount] = ["", 0];
  for (const sentence of sentences.toReversed()) {
    if (wordCount >= (hasOptions ? MIN_OPTION_WORDS : 1)) break;
    text = `${sentence}${text}`;
    wordCount += countWords(sentence);
  }
  return lastChars(sanitizeLine(text, 2 * maxChars), maxChars);
}

function lastChars(text: string, maxChars: number): string {
  return text.length > maxChars ? `…${text.slice(-maxChars).toWellFormed()}` : text;
}

const MAX_BARE_ANSWER_WORDS = 3;
const MIN_OPTION_WORDS = 80;
const MAX_ANSWER_CHARS = 1_000;
const MAX_OPTIONS_CHARS = 600;
const MAX_SENTENCE_CHARS = 200;
const ENDS_IN_QUESTION = /[?？؟\u037e]["'”’»)\]*_`\s]*$/u;

// Made on first use: a segmenter takes a moment to load.
const segmenters = {
  words: createLazy(() => new Intl.Segmenter(undefined, { granularity: "word" })),
  sentences: createLazy(() => new Intl.Segmenter(undefined, { granularity: "sentence" })),
};

function createLazy<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

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

const appendAttachedLine = (text: string, attached: string): string =>
  [...(text === "" && attached !== "" ? [] : [text]), ...(attached === "" ? [] : [attached])].join("\n");

/** A line that looks like one of ours gets a backslash, so that a pasted text cannot pass for another message or part. */
function escapeStructure(text: string): string {
  return text.replace(structurePattern(), (shown, sign: string, rest: string) => {
    const isOurs = HASH_SIGN.test(sign) ? headingPattern().test(rest) : referencePattern().test(toVisualSkeleton(rest));
    return isOurs ? `\\${shown}` : shown;
  });
}

/** A line that begins with `#` or a bracket, behind blanks and letters that nobody sees. Those signs are rare, so they are looked for first. */
const INVISIBLE_CHARS = "[[\\s\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\p{M}\\u2800]--[\\n\\r\\u2028\\u2029]]";
let structureRegex: RegExp | null = null;
const structurePattern = (): RegExp => {
  structureRegex ??= new RegExp(
    `([#＃﹟\\[［【〔〖〘〚⟦⦋⦍⦏❲⁅﹝︹︻︗])(?<=^${INVISIBLE_CHARS}*.)([^\\n\\r\\u2028\\u2029]*)`,
    "gmv",
  );
  return structureRegex;
};
const HASH_SIGN = /^[#＃﹟]/;
let headingRegex: RegExp | null = null;
const headingPattern = (): RegExp => {
  headingRegex ??= new RegExp(`^[#＃﹟]*${INVISIBLE_CHARS}+[^\\s]`, "v");
  return headingRegex;
};
const referencePattern = (): RegExp => /^(?:#\p{Nd}|entry:|attached:)/u;

const formatQuestion = (question: string): string =>
  question === "" ? "" : ` (in reply to the assistant: ${question})`;

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

/** What was asked for last and is not in the kept part of the context. */
export interface ActiveRequest {
  readonly reference: string;
  /** Of a person: what they typed. */
  readonly text: string;
  /** The line that names what was attached to it. */
  readonly attached?: string;
  /** False for a program's request, which counts only where no person writes. */
  readonly isPerson: boolean;
  /** What the assistant said last before a short answer; empty for a request that can be understood without. */
  readonly repliesTo: string;
}

export interface FindRequestOptions {
  /** The request that the summary message before ended with: it may be older than all that is loaded. */
  readonly previousRequest: ActiveRequest | null;
  readonly covered: readonly Entry[];
  readonly kept: readonly Entry[];
  readonly edits: readonly ContextEditEntry[];
  readonly question?: OpenQuestion | null;
}

/** KEEP4: null where the kept part has it, and where nobody asked for anything. */
export function findActiveRequest({
  previousRequest,
  covered,
  kept,
  edits,
  question,
}: FindRequestOptions): ActiveRequest | null {
  const isPerson = previousRequest?.isPerson || [...covered, ...kept].some((entry) => isFromUser(entry, edits));
  const isRequest = isPerson ? isFromUser : isProgramRequest;
  if (kept.some((entry) => isRequest(entry, edits))) return null;
  const index = covered.findLastIndex((entry) => isRequest(entry, edits));
  const last = covered[index];
  if (!last) return previousRequest?.isPerson === isPerson ? previousRequest : null;
  const reference = entryReference(last);
  const carriedQuestion = question?.reference === reference ? question.text : "";
  const repliesTo = isPerson ? findPrecedingQuestion(covered, index, edits) || carriedQuestion : "";
  if (!isPerson) return { reference, text: entryText(last, edits), isPerson, repliesTo };
  const { typed, attachments } = splitUserEntry(last, edits);
  const attached = formatAttachmentLine(attachments, reference);
  return { reference, text: typed, ...(attached !== "" && { attached }), isPerson, repliesTo };
}

function isProgramRequest(entry: Entry, edits: readonly ContextEditEntry[]): boolean {
  const isRequest = entry.type === "message" && entry.message.role === "user" && authorOf(entry) === "program";
  return isRequest && /\S/.test(entryText(entry, edits));
}

/** As the summary message ends with it; empty for none. */
export function renderRequest(request: ActiveRequest | null, tokens: number): string {
  if (request === null) return "";
  const { reference, text, attached = "", isPerson, repliesTo } = request;
  const title = `${isPerson ? USER_REQUEST : PROGRAM_REQUEST} [${reference}]${formatQuestion(repliesTo)}`;
  return `${title}\n${appendAttachedLine(escapeStructure(truncateMiddle(text, { tokens, handle: reference })), attached)}`;
}

/** The request of an earlier summary message; null for a text that is none. Also reads the form of earlier versions. */
export function parseRequest(rendered: string): ActiveRequest | null {
  const [, title = "", text = ""] = /^([^\n]*)\n([\s\S]+)$/.exec(rendered) ?? [];
  const [reference] = findCitedReferences(title);
  if (reference === undefined) return null;
  const [, repliesTo = ""] = /\] \(in reply to the assistant: (.*)\)$/.exec(title) ?? [];
  const isPerson = title.replace(/^# /, "").startsWith("The user's");
  const { typed, attached } = isPerson ? splitQuotation(text) : { typed: text, attached: "" };
  return { reference, text: typed, ...(attached !== "" && { attached }), isPerson, repliesTo };
}

const USER_REQUEST = "# The user's latest request, still open unless the messages below say otherwise";
const PROGRAM_REQUEST =
  "# The latest request, made by the program that runs this session, still open unless the messages below say otherwise";
