/** Keeps the user's covered messages word for word, one block per compaction, newest first, and finds the request that is active. */

import { attachedLine, splitQuotation } from "../context/attachments.ts";
import { entryWords, provenance, userParts } from "../context/entry-text.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { citedReferences, entryReference } from "../references.ts";
import { foldForEye, plainText } from "../text/sanitize.ts";
import { shortened } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";

/** A block as it stands in the summary message. It stays byte for byte, so that it is cached, or goes as a whole. */
export interface WordsBlock {
  readonly text: string;
  readonly tokens: number;
}

export interface KeptWords {
  readonly blocks: readonly WordsBlock[];
  /** Of all blocks. */
  readonly tokens: number;
  /** References of messages that are no longer shown, for lack of room. They can be read again. */
  readonly evicted: readonly string[];
  /** References of messages of which head and tail are left. */
  readonly shortened: readonly string[];
}

export interface WordsParts {
  /** The blocks of the compaction before, oldest first. */
  readonly before: readonly WordsBlock[];
  /** Oldest first. */
  readonly covered: readonly Entry[];
  /** What the context has in the place of what was written: removed words do not come back. */
  readonly edits: readonly ContextEditEntry[];
  /** Of all blocks together. */
  readonly tokens: number;
  /** The active request stands at the end of the summary message, and not here. */
  readonly request: ActiveRequest | null;
  /** The request that stood there until now. */
  readonly requestBefore: ActiveRequest | null;
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
  at: number,
  edits: readonly ContextEditEntry[],
): OpenQuestion | null {
  const first = entries.findIndex((entry, index) => index >= at && (isFromUser(entry, edits) || isReply(entry, edits)));
  const entry = entries[first];
  if (!entry || !isFromUser(entry, edits)) return null;
  const text = questionBefore(entries, first, edits);
  return text === "" ? null : { reference: entryReference(entry), text };
}

const isReply = (entry: Entry, edits: readonly ContextEditEntry[]): boolean =>
  provenance(entry) === "assistant" && /\S/.test(entryWords(entry, edits));

export function keepUserMessages(parts: WordsParts): KeptWords {
  const messages = [...formerRequest(parts), ...coveredMessages(parts)];
  const kept = keepWithin(messages, parts);
  // The user's own words come before what they answer: without room for all, only answers to a question keep it, in short.
  return kept.evicted.length === 0 ? kept : keepWithin(messages.map(withShortQuestion), parts);
}

function withShortQuestion(message: UserMessage): UserMessage {
  const { text, repliesTo } = message;
  const isNeeded = ENDS_IN_QUESTION.test(repliesTo) && countWords(text) <= BARE_ANSWER;
  return { ...message, repliesTo: isNeeded ? lastLetters(repliesTo, LONGEST_SENTENCE) : "" };
}

function keepWithin(messages: readonly UserMessage[], { before, tokens }: WordsParts): KeptWords {
  const { chosen, evicted } = chooseNewest(messages, tokens);
  const room = tokens - chosen.reduce((sum, quote) => sum + quote.tokens, 0);
  const kept = newestBlocks(before, room);
  const blocks = [...withTitle(kept), ...(chosen.length === 0 ? [] : [renderBlock(chosen, kept.length === 0)])];
  const gone = before.slice(0, before.length - kept.length).flatMap(({ text }) => referencesIn(text));
  return {
    blocks,
    tokens: blocks.reduce((sum, each) => sum + each.tokens, 0),
    evicted: [...gone, ...evicted],
    shortened: chosen.filter(({ isShortened }) => isShortened).map(({ reference }) => reference),
  };
}

/** Whether a person sent it and there is something in it. */
export function isFromUser(entry: Entry, edits: readonly ContextEditEntry[]): boolean {
  const { typed, attachments } = userParts(entry, edits);
  return attachments.length > 0 || /\S/.test(typed);
}

export interface UserMessage {
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
function formerRequest({ before, request, requestBefore }: WordsParts): readonly UserMessage[] {
  if (!requestBefore?.isPerson || requestBefore.reference === request?.reference) return [];
  const { reference, text, attached = "", repliesTo } = requestBefore;
  // Earlier versions kept the latest request among the other messages, too.
  const isOld = (block: WordsBlock): boolean => block.text.startsWith(OLD_TITLE);
  if (before.some((block) => isOld(block) && referencesIn(block.text).includes(reference))) return [];
  return [{ reference, text, attached, repliesTo, tokens: textTokens(text) }];
}

function coveredMessages({ covered, edits, request, question }: WordsParts): readonly UserMessage[] {
  return covered.flatMap((entry, at) => {
    const reference = entryReference(entry);
    if (entry.type === "gap" && entry.kind === "user")
      return [{ reference, text: LOST, repliesTo: "", attached: "", tokens: textTokens(LOST) }];
    if (reference === request?.reference) return [];
    const message = readUserMessage(covered, at, edits);
    if (message === null) return [];
    const carried = question?.reference === reference ? question.text : "";
    return [{ ...message, repliesTo: message.repliesTo || carried }];
  });
}

/** The message of a user at this place; null where another entry stands. */
export function readUserMessage(
  entries: readonly Entry[],
  at: number,
  edits: readonly ContextEditEntry[],
): UserMessage | null {
  const entry = entries[at];
  if (!entry || !isFromUser(entry, edits)) return null;
  const { typed: text, attachments } = userParts(entry, edits);
  const reference = entryReference(entry);
  const attached = attachedLine(attachments, reference);
  return { reference, text, attached, repliesTo: questionBefore(entries, at, edits), tokens: countTokens(entry, text) };
}

/** HARM2: a reader of the messages sees that one is missing. */
const LOST = "(This message of the user is damaged and cannot be read.)";

/** What a short answer answers: the assistant's last words since the message before it. */
function questionBefore(covered: readonly Entry[], at: number, edits: readonly ContextEditEntry[]): string {
  const answer = covered[at] as Entry;
  const text = userParts(answer, edits).typed;
  if (text.length > LONGEST_REPLY || !/\S/.test(text)) return "";
  for (let index = at - 1; index >= 0; index -= 1) {
    const entry = covered[index] as Entry;
    if (isFromUser(entry, edits)) return "";
    const reply = provenance(entry) === "assistant" ? entryWords(entry, edits) : "";
    if (/\S/.test(reply)) return findQuestion(answer, text, reply);
  }
  return "";
}

// Segmenting is slow, plans are made before every request near the limit, and neither text changes.
function findQuestion(answer: Entry, text: string, reply: string): string {
  const known = questions.get(answer);
  if (known?.text === text && known.reply === reply) return known.question;
  const words = countWords(text);
  const question = words <= MOST_ANSWER_WORDS ? lastSentences(reply, words) : "";
  questions.set(answer, { text, reply, question });
  return question;
}

const questions = new WeakMap<Entry, { readonly text: string; readonly reply: string; readonly question: string }>();

/** `2` or `yes, but only on staging` means nothing without the question. */
const MOST_ANSWER_WORDS = 8;

// Plans are made before every request near the limit, and a message does not change: it is counted once.
function countTokens(entry: Entry, text: string): number {
  const known = counted.get(entry);
  if (known?.text === text) return known.tokens;
  const tokens = textTokens(text);
  counted.set(entry, { text, tokens });
  return tokens;
}

const counted = new WeakMap<Entry, { readonly text: string; readonly tokens: number }>();

function countWords(text: string): number {
  return Array.from(segmenters.words().segment(text)).filter(({ isWordLike }) => isWordLike).length;
}

/** The last sentence and, where a word or two answer a question, as much before it as a list of options takes. */
function lastSentences(reply: string, answerWords: number): string {
  const hasOptions = answerWords <= BARE_ANSWER && ENDS_IN_QUESTION.test(reply);
  const most = hasOptions ? LONGEST_OPTIONS : LONGEST_SENTENCE;
  const end = reply
    .trimEnd()
    .slice(-2 * most)
    .toWellFormed();
  const sentences = Array.from(segmenters.sentences().segment(end), ({ segment }) => segment);
  let [text, words] = ["", 0];
  for (const sentence of sentences.toReversed()) {
    if (words >= (hasOptions ? WORDS_OF_OPTIONS : 1)) break;
    text = `${sentence}${text}`;
    words += countWords(sentence);
  }
  return lastLetters(plainText(text, 2 * most), most);
}

function lastLetters(text: string, most: number): string {
  return text.length > most ? `…${text.slice(-most).toWellFormed()}` : text;
}

const BARE_ANSWER = 3;
const WORDS_OF_OPTIONS = 80;
const LONGEST_REPLY = 1_000;
const LONGEST_OPTIONS = 600;
const LONGEST_SENTENCE = 200;
const ENDS_IN_QUESTION = /[?？؟\u037e]["'”’»)\]*_`\s]*$/u;

// Made on first use: a segmenter takes a moment to load.
const segmenters = {
  words: lazily(() => new Intl.Segmenter(undefined, { granularity: "word" })),
  sentences: lazily(() => new Intl.Segmenter(undefined, { granularity: "sentence" })),
};

function lazily<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

interface Quote {
  readonly reference: string;
  readonly text: string;
  readonly tokens: number;
  readonly isShortened: boolean;
}

interface Choice {
  readonly chosen: readonly Quote[];
  readonly evicted: readonly string[];
}

// Where all of them have room they stay as they are; where not, a long paste does not push out a short rule before it.
function chooseNewest(messages: readonly UserMessage[], tokens: number): Choice {
  const longest = Math.min(LONGEST, Math.floor(tokens * LARGEST_SHARE));
  const whole = chooseWithin(messages, tokens, LONGEST);
  return whole.evicted.length === 0 || longest === LONGEST ? whole : chooseWithin(messages, tokens, longest);
}

function chooseWithin(messages: readonly UserMessage[], tokens: number, longest: number): Choice {
  const chosen: Quote[] = [];
  const evicted: string[] = [];
  let left = tokens - textTokens(TITLE);
  for (const message of messages.toReversed()) {
    const quote = left < LEAST ? null : renderQuote(message, longest);
    const stays = quote !== null && quote.tokens <= left;
    if (stays) left -= quote.tokens;
    if (stays) chosen.push(quote);
    else evicted.push(message.reference);
  }
  return { chosen: chosen.reverse(), evicted: evicted.reverse() };
}

function renderQuote({ reference, text, attached, repliesTo, tokens: whole }: UserMessage, longest: number): Quote {
  const kept = escapeStructure(whole <= longest ? text : shortened(text, { tokens: longest, handle: reference }));
  const lead = `[${reference}]${formatQuestion(repliesTo)}\n`;
  const tokens = textTokens(lead) + (kept === text ? whole : textTokens(kept)) + textTokens(attached) + SEAMS;
  return { reference, text: `${lead}${withAttached(kept, attached)}\n\n`, tokens, isShortened: whole > longest };
}

const withAttached = (text: string, attached: string): string =>
  [...(text === "" && attached !== "" ? [] : [text]), ...(attached === "" ? [] : [attached])].join("\n");

/** A line that looks like one of ours gets a backslash, so that a pasted text cannot pass for another message or part. */
function escapeStructure(text: string): string {
  return text.replace(maybeOursPattern(), (shown, sign: string, rest: string) => {
    const isOurs = HASH.test(sign) ? headingPattern().test(rest) : referencePattern().test(foldForEye(rest));
    return isOurs ? `\\${shown}` : shown;
  });
}

/** A line that begins with `#` or a bracket, behind blanks and letters that nobody sees. Those signs are rare, so they are looked for first. */
const UNSEEN = "[[\\s\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\p{M}\\u2800]--[\\n\\r\\u2028\\u2029]]";
let maybeOurs: RegExp | null = null;
const maybeOursPattern = (): RegExp => {
  maybeOurs ??= new RegExp(`([#＃﹟\\[［【〔〖〘〚⟦⦋⦍⦏❲⁅﹝︹︻︗])(?<=^${UNSEEN}*.)([^\\n\\r\\u2028\\u2029]*)`, "gmv");
  return maybeOurs;
};
const HASH = /^[#＃﹟]/;
let heading: RegExp | null = null;
const headingPattern = (): RegExp => {
  heading ??= new RegExp(`^[#＃﹟]*${UNSEEN}+[^\\s]`, "v");
  return heading;
};
const referencePattern = (): RegExp => /^(?:#\p{Nd}|entry:|attached:)/u;

const formatQuestion = (question: string): string =>
  question === "" ? "" : ` (in reply to the assistant: ${question})`;

function renderBlock(quotes: readonly Quote[], isFirst: boolean): WordsBlock {
  const text = `${isFirst ? TITLE : ""}${quotes.map((quote) => quote.text).join("")}`;
  return { text, tokens: textTokens(text) };
}

// The first block has the title. It changes only when blocks before it went, and then no cache holds it any more.
function withTitle([first, ...others]: readonly WordsBlock[]): readonly WordsBlock[] {
  if (!first) return [];
  if (!first.text.startsWith("[")) return [first, ...others];
  const text = `${TITLE}${first.text}`;
  return [{ text, tokens: textTokens(text) }, ...others];
}

/** The messages in a block: each begins with a line that names it. */
function referencesIn(block: string): readonly string[] {
  return [...block.matchAll(/^\[(#\d+|entry:[^\]\n]+)\]/gm)].map(([, reference = ""]) => reference);
}

function newestBlocks(blocks: readonly WordsBlock[], tokens: number): readonly WordsBlock[] {
  let room = tokens;
  let from = blocks.length;
  for (const { tokens: needed } of blocks.toReversed()) {
    room -= needed;
    if (room < 0) break;
    from--;
  }
  return blocks.slice(from);
}

const TITLE = "# User messages, word for word\n\n";
const OLD_TITLE = "What the user wrote, word for word:";
/** Tokens of one message, and, where not all of them fit, its share of all; of a longer one head and tail are kept. */
const LONGEST = 2_000;
const LARGEST_SHARE = 1 / 8;
/** Tokens that texts put together may have more than each by itself. */
const SEAMS = 2;
/** Tokens below which there is no room for any message. */
const LEAST = 12;

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

export interface RequestParts {
  /** The request that the summary message before ended with: it may be older than all that is loaded. */
  readonly before: ActiveRequest | null;
  readonly covered: readonly Entry[];
  readonly kept: readonly Entry[];
  readonly edits: readonly ContextEditEntry[];
  readonly question?: OpenQuestion | null;
}

/** KEEP4: null where the kept part has it, and where nobody asked for anything. */
export function findActiveRequest({ before, covered, kept, edits, question }: RequestParts): ActiveRequest | null {
  const isPerson = before?.isPerson || [...covered, ...kept].some((entry) => isFromUser(entry, edits));
  const asks = isPerson ? isFromUser : isProgrammed;
  if (kept.some((entry) => asks(entry, edits))) return null;
  const at = covered.findLastIndex((entry) => asks(entry, edits));
  const last = covered[at];
  if (!last) return before?.isPerson === isPerson ? before : null;
  const reference = entryReference(last);
  const carried = question?.reference === reference ? question.text : "";
  const repliesTo = isPerson ? questionBefore(covered, at, edits) || carried : "";
  if (!isPerson) return { reference, text: entryWords(last, edits), isPerson, repliesTo };
  const { typed, attachments } = userParts(last, edits);
  const attached = attachedLine(attachments, reference);
  return { reference, text: typed, ...(attached !== "" && { attached }), isPerson, repliesTo };
}

function isProgrammed(entry: Entry, edits: readonly ContextEditEntry[]): boolean {
  const isRequest = entry.type === "message" && entry.message.role === "user" && provenance(entry) === "program";
  return isRequest && /\S/.test(entryWords(entry, edits));
}

/** As the summary message ends with it; empty for none. */
export function renderRequest(request: ActiveRequest | null, tokens: number): string {
  if (request === null) return "";
  const { reference, text, attached = "", isPerson, repliesTo } = request;
  const title = `${isPerson ? USER_REQUEST : PROGRAM_REQUEST} [${reference}]${formatQuestion(repliesTo)}`;
  return `${title}\n${withAttached(escapeStructure(shortened(text, { tokens, handle: reference })), attached)}`;
}

/** The request of an earlier summary message; null for a text that is none. Also reads the form of earlier versions. */
export function parseRequest(rendered: string): ActiveRequest | null {
  const [, title = "", text = ""] = /^([^\n]*)\n([\s\S]+)$/.exec(rendered) ?? [];
  const [reference] = citedReferences(title);
  if (reference === undefined) return null;
  const [, repliesTo = ""] = /\] \(in reply to the assistant: (.*)\)$/.exec(title) ?? [];
  const isPerson = title.replace(/^# /, "").startsWith("The user's");
  const { typed, attached } = isPerson ? splitQuotation(text) : { typed: text, attached: "" };
  return { reference, text: typed, ...(attached !== "" && { attached }), isPerson, repliesTo };
}

const USER_REQUEST = "# The user's latest request, still open unless the messages below say otherwise";
const PROGRAM_REQUEST =
  "# The latest request, made by the program that runs this session, still open unless the messages below say otherwise";
