/** Finds the user's latest request and puts it at the end of the summary message, unless a kept message contains it. Finds the question that a short answer needs. */

import { memoize } from "../cache.ts";
import { findCitedReferences } from "../citations.ts";
import { type CompactionPlan, summaryTokens } from "../compaction/plan.ts";
import type { SummaryPart } from "../compaction/summary-message.ts";
import { formatAttachmentLine, splitQuotation } from "../context/attachments.ts";
import { authorOf, entryText, isFromUser, splitUserEntry } from "../context/entry-text.ts";
import { type ContextEditEntry, type Entry, entryReference, readPithDetails } from "../entry.ts";
import { type PreviousSummary, partText } from "../summary/parse-summary.ts";
import { sanitizeLine, toVisualSkeleton } from "../text/sanitize.ts";
import { truncateMiddle } from "../text/truncate.ts";

/** The data of this summary part. */
export interface RequestRecord {
  /** The latest request; null if a kept entry contains it. */
  readonly request: ActiveRequest | null;
  /** The question that the first kept message answers, if the question is no longer shown. */
  readonly question: OpenQuestion | null;
}

/** The summary part with the latest request, at the end of the message. */
export const latestRequest: SummaryPart<RequestRecord> = {
  kind: "request",
  share: null,
  collect(plan) {
    const { covered, kept, edits, previous } = plan;
    const [previousRequest, question] = [readPreviousRequest(previous), readOpenQuestion(previous)];
    return {
      request: findActiveRequest({ previousRequest, covered, kept, edits, question }),
      question: findOpenQuestion([...covered, ...kept], covered.length, edits),
    };
  },
  render: ({ request }, { plan }) => renderRequest(request, userMessageTokens(plan)),
  details: ({ question }) => (question ? { question } : {}),
};

/** Returns the maximum tokens of all user messages, which is also the maximum of the latest request. */
export function userMessageTokens(plan: CompactionPlan): number {
  return summaryTokens(plan, plan.budget.userMessages);
}

/** Returns the request at the end of the previous summary message. */
export function readPreviousRequest({ parts }: PreviousSummary): ActiveRequest | null {
  return parseRequest(partText(parts, "request"));
}

/** Returns the question that the first message kept by the previous compaction answers; it is read from a file and not trusted. */
export function readOpenQuestion({ compaction, parts }: PreviousSummary): OpenQuestion | null {
  if (parts.length === 0) return null;
  const { reference, text } = Object(readPithDetails(compaction?.details).question) as Partial<OpenQuestion>;
  return typeof reference === "string" && typeof text === "string" ? { reference, text: text.slice(0, 1_000) } : null;
}

/** Returns the user messages and the latest request of the previous summary message, each after a line with its reference. */
export function previousUserMessages(previous: PreviousSummary): string {
  const request = readPreviousRequest(previous);
  const blocks = previous.parts.flatMap(({ part, text }) => (part.kind === "words" ? text : [])).join("");
  return request?.isPerson ? `${blocks}\n[${request.reference}]\n${request.text}\n${request.attached ?? ""}\n` : blocks;
}

/** The latest request, if no kept entry contains it. */
export interface ActiveRequest {
  readonly reference: string;
  /** For a person: only the typed text, without attachments. */
  readonly text: string;
  /** The line that lists its attachments. */
  readonly attached?: string;
  /** False for a request by a program, which is used only in a session without user messages. */
  readonly isPerson: boolean;
  /** The end of the assistant's message before a short answer; empty if the request needs no context. */
  readonly repliesTo: string;
}

export interface FindRequestOptions {
  /** The request at the end of the previous summary message; its entry may not be loaded. */
  readonly previousRequest: ActiveRequest | null;
  readonly covered: readonly Entry[];
  readonly kept: readonly Entry[];
  readonly edits: readonly ContextEditEntry[];
  readonly question?: OpenQuestion | null;
}

/** KEEP4: finds the latest request; null if a kept entry contains it or there is no request. */
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

/** Renders the request for the end of the summary message; empty if there is none. */
export function renderRequest(request: ActiveRequest | null, tokens: number): string {
  if (request === null) return "";
  const { reference, text, attached = "", isPerson, repliesTo } = request;
  const title = `${isPerson ? USER_REQUEST : PROGRAM_REQUEST} [${reference}]${formatQuestion(repliesTo)}`;
  return `${title}\n${appendAttachedLine(escapeStructure(truncateMiddle(text, { tokens, handle: reference })), attached)}`;
}

/** Parses a request from a summary message, also in the format of earlier versions; null if the text is not a request. */
export function parseRequest(rendered: string): ActiveRequest | null {
  const [, title = "", text = ""] = /^([^\n]*)\n([\s\S]+)$/.exec(rendered) ?? [];
  const [reference] = findCitedReferences(title);
  if (reference === undefined) return null;
  const repliesTo = parseQuestion(title);
  const isPerson = title.replace(/^# /, "").startsWith("The user's");
  const { typed, attached } = isPerson ? splitQuotation(text) : { typed: text, attached: "" };
  return { reference, text: typed, ...(attached !== "" && { attached }), isPerson, repliesTo };
}

const USER_REQUEST = "# The user's latest request, still open unless the messages below say otherwise";
const PROGRAM_REQUEST =
  "# The latest request, made by the program that runs this session, still open unless the messages below say otherwise";

export const appendAttachedLine = (text: string, attached: string): string =>
  [...(text === "" && attached !== "" ? [] : [text]), ...(attached === "" ? [] : [attached])].join("\n");

/** Puts a backslash before lines that look like a heading or reference, so that pasted text cannot imitate a message or part. */
export function escapeStructure(text: string): string {
  return text.replace(structurePattern(), (shown, sign: string, rest: string) => {
    const isOurs = HASH_SIGN.test(sign) ? headingPattern().test(rest) : referencePattern().test(toVisualSkeleton(rest));
    return isOurs ? `\\${shown}` : shown;
  });
}

/** May precede `#` or a bracket at the start of a line. The pattern matches the rare sign first, then looks behind it. */
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

export const formatQuestion = (question: string): string =>
  question === "" ? "" : ` (in reply to the assistant: ${question})`;

/** Parses the question in the title of a message; empty if there is none. */
export function parseQuestion(title: string): string {
  return / \(in reply to the assistant: (.*)\)$/.exec(title)?.[1] ?? "";
}

/** The reference of a short answer after the cut, and the text of its question before the cut. */
export interface OpenQuestion {
  readonly reference: string;
  readonly text: string;
}

/** Returns the question before the cut if the first kept message is a short answer to it; otherwise null. */
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

/** Returns the assistant's last sentences before a short answer; empty if the message is not a short answer. */
export function findPrecedingQuestion(
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

// Cached: segmenting is slow, and near the limit a plan is made before every request.
function extractQuestion(answer: Entry, text: string, reply: string): string {
  const cached = questionCache.get(answer);
  if (cached?.text === text && cached.reply === reply) return cached.question;
  const wordCount = countWords(text, MAX_ANSWER_WORDS + 1);
  const question = wordCount <= MAX_ANSWER_WORDS ? lastSentences(reply, wordCount) : "";
  questionCache.set(answer, { text, reply, question });
  return question;
}

const questionCache = new WeakMap<
  Entry,
  { readonly text: string; readonly reply: string; readonly question: string }
>();

/** Answers such as `2` or `yes, but only on staging` need their question. */
const MAX_ANSWER_WORDS = 8;

/** Counts at most `max` words: segmenting a long text is slow. */
export function countWords(text: string, max: number): number {
  let count = 0;
  for (const { isWordLike } of segmenters.words().segment(text)) {
    if (isWordLike) count += 1;
    if (count >= max) break;
  }
  return count;
}

/** The last question or, without one, the last sentence. For a very short answer to a question, also the text around it, which may list the options. */
function lastSentences(reply: string, answerWordCount: number): string {
  const question = endAtQuestion(reply.trimEnd());
  const hasOptions = answerWordCount <= MAX_BARE_ANSWER_WORDS && question !== null;
  const maxChars = hasOptions ? MAX_OPTIONS_CHARS : MAX_SENTENCE_CHARS;
  const end = (question ?? reply.trimEnd()).slice(-2 * maxChars).toWellFormed();
  const sentences = Array.from(segmenters.sentences().segment(end), ({ segment }) => segment);
  let [text, wordCount] = ["", 0];
  for (const sentence of sentences.toReversed()) {
    if (wordCount >= (hasOptions ? MIN_OPTION_WORDS : 1)) break;
    text = `${sentence}${text}`;
    wordCount += countWords(sentence, MIN_OPTION_WORDS);
  }
  return lastChars(sanitizeLine(text, 2 * maxChars), maxChars);
}

/** Removes what a reply says after its last question, unless that lists the options. Null if there is no question near the end. */
function endAtQuestion(reply: string): string | null {
  const start = Math.max(0, reply.length - MAX_QUESTION_DISTANCE);
  const last = [...reply.slice(start).matchAll(QUESTION_END)].at(-1);
  if (!last) return null;
  const end = start + last.index + last[0].length;
  return LIST_LINE.test(reply.slice(end)) ? reply : reply.slice(0, end);
}

const MAX_QUESTION_DISTANCE = 1_000;
const QUESTION_END = /[?？؟\u037e]["'”’»)\]*_`]{0,5}(?=\s|$)/gu;
const LIST_LINE = /^\s*(?:[-*•]|[\p{L}\p{N}]{1,2}[.)])\s/mu;

export function lastChars(text: string, maxChars: number): string {
  return text.length > maxChars ? `…${text.slice(-maxChars).toWellFormed()}` : text;
}

export const MAX_BARE_ANSWER_WORDS = 3;
const MIN_OPTION_WORDS = 80;
const MAX_ANSWER_CHARS = 1_000;
const MAX_OPTIONS_CHARS = 600;
export const MAX_SENTENCE_CHARS = 200;
export const ENDS_IN_QUESTION: RegExp = /[?？؟\u037e]["'”’»)\]*_`\s]*$/u;

// Created on first use, because loading a segmenter takes time.
const segmenters = {
  words: memoize(() => new Intl.Segmenter(undefined, { granularity: "word" })),
  sentences: memoize(() => new Intl.Segmenter(undefined, { granularity: "sentence" })),
};
