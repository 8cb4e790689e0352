/** Finds what a short answer of the user replies to, because `yes` means nothing once the question is no longer shown. */

import { authorOf, entryText, isFromUser, splitUserEntry } from "../context/entry-text.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { entryReference } from "../references.ts";
import { sanitizeLine } from "../text/sanitize.ts";

/** A short answer after a cut, and the question before the cut. */
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

/** Returns the last sentences of the assistant before a short answer; empty if the message is understandable without. */
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

export function countWords(text: string): number {
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

export function lastChars(text: string, maxChars: number): string {
  return text.length > maxChars ? `…${text.slice(-maxChars).toWellFormed()}` : text;
}

export const MAX_BARE_ANSWER_WORDS = 3;
const MIN_OPTION_WORDS = 80;
const MAX_ANSWER_CHARS = 1_000;
const MAX_OPTIONS_CHARS = 600;
export const MAX_SENTENCE_CHARS = 200;
export const ENDS_IN_QUESTION: RegExp = /[?？؟\u037e]["'”’»)\]*_`\s]*$/u;

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
