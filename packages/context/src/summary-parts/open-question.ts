/** Finds the question that a short answer of the user replies to, because `yes` has no meaning without its question. */

import { authorOf, entryText, isFromUser, splitUserEntry } from "../context/entry-text.ts";
import { type ContextEditEntry, type Entry, entryReference } from "../entry.ts";
import { sanitizeLine } from "../text/sanitize.ts";

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
  const wordCount = countWords(text);
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

export function countWords(text: string): number {
  return Array.from(segmenters.words().segment(text)).filter(({ isWordLike }) => isWordLike).length;
}

/** The last sentence; for a very short answer to a question, also the text before it, which may list the options. */
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
