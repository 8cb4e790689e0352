/** Recognises what the sentences of an error complain about: context length, payload size, request rate or credit. */

import { includesPhrase, isOverflowCode, padPhrases, parseNumber, type Sentence } from "./sentences.ts";
import { findTokenLimits, isOutputSetting, isOutputWord } from "./token-limits.ts";

export function analyzeWording(sentences: readonly Sentence[]): WordingResult {
  const payload = sentences.map(isAboutPayload);
  const allText = { words: [], line: sentences.map(({ line }) => line).join(".") };
  const overflowSentences = sentences.filter((sentence, at) => !payload[at] && saysContextTooLong(sentence));
  return {
    overflow: overflowSentences.length > 0 || (!payload.includes(true) && sentences.some(exceedsWithNext)),
    payload: payload.includes(true),
    rate: isAboutRate(allText),
    credit: includesPhrase(allText, creditPhrases),
    isCountedOverflow:
      !includesPhrase(allText, debtPhrases) &&
      overflowSentences.some(isNotAboutRateOrQuota) &&
      isCountedExcess(sentences.filter(isNotAboutRateOrQuota)),
  };
}

export interface WordingResult {
  readonly overflow: boolean;
  readonly payload: boolean;
  readonly rate: boolean;
  readonly credit: boolean;
  /** A count above a limit in sentences about nothing else; a link to the billing page does not change it. */
  readonly isCountedOverflow: boolean;
}

const ratePhrases = padPhrases(
  ["rate limit", "too many requests", "per minute", "per min", "per day", "per hour", "per second"],
  ["tpm", "rpm", "please wait", "slow down"],
);
const rateCodes = ["ratelimit", "rate_limit", "throttl", "resource_exhausted"];
const debtPhrases = padPhrases(["credit", "credits", "afford", "balance", "monthly limit"]);
const quotaPhrases = padPhrases(["quota"]);
const creditPhrases = [...debtPhrases, ...quotaPhrases, ...padPhrases(["billing", "payment"])];

function isAboutRate(sentence: Sentence): boolean {
  return includesPhrase(sentence, ratePhrases) || rateCodes.some((code) => sentence.line.includes(code));
}

function isNotAboutRateOrQuota(sentence: Sentence): boolean {
  return !isAboutRate(sentence) && !includesPhrase(sentence, quotaPhrases);
}

/** Bytes, pixels, pages, one string: sizes that a summary does not reduce. */
function isAboutPayload(sentence: Sentence): boolean {
  if (sentence.words.length === 1) return false;
  if (includesPhrase(sentence, stringPhrases)) return true;
  if (sentence.words.includes("token")) return false;
  if (includesPhrase(sentence, bodyPhrases) || /length must be <= \d/.test(sentence.line)) return true;
  return (
    includesPhrase(sentence, itemPhrases) &&
    (includesPhrase(sentence, excessPhrases) || includesPhrase(sentence, limitPhrases))
  );
}

const stringPhrases = padPhrases(["string too long", "maxlength"]);
const bodyPhrases = padPhrases(
  ["request too large", "request entity too large", "payload too large", "content too large"],
  ["request body", "max size"],
);
const itemPhrases = padPhrases(["mb", "image", "file", "pdf", "audio", "video", "attachment", "pages", "page limit"]);

function exceedsWithNext(sentence: Sentence, index: number, all: readonly Sentence[]): boolean {
  const next = all[index + 1];
  return next !== undefined && sayContextTooLong(sentence, next);
}

/** Two sentences that only together contain count and limit: `Prompt tokens: 51200. Model limit: 32768.` */
function sayContextTooLong(first: Sentence, second: Sentence): boolean {
  const combined = { words: [...first.words, ...second.words], line: `${first.line}.${second.line}` };
  if (!combined.words.includes("token") || !combined.words.some(isInputWord) || combined.words.some(isOutputWord))
    return false;
  return (
    includesPhrase(combined, upperLimitPhrases) &&
    isCountedExcess([combined]) &&
    !includesPhrase(combined, unrelatedPhrases) &&
    !includesPhrase(combined, lowerLimitPhrases)
  );
}

const upperLimitPhrases = padPhrases(["max", "limit", "more than", "at most"]);
const lowerLimitPhrases = padPhrases(["at least", "min", "minimum", "requires"]);

/** Whether the sentence says that the input is too long. Uses short word lists, not patterns. */
function saysContextTooLong(sentence: Sentence): boolean {
  if (sentence.words.length === 1) return namesOverflowCode(sentence) || saysTooLongInChinese(sentence);
  if (reportsNegativeOutput(sentence)) return true;
  const checks = [namesOverflowCode, saysTooLong, exceedsContext, countsTooMany, asksToShorten, saysTooLongInChinese];
  return (
    checks.some((check) => check(sentence)) &&
    !includesPhrase(sentence, unrelatedPhrases) &&
    !isAboutOutputSetting(sentence)
  );
}

/** Words for the input. */
const inputWords = new Set(["prompt", "input", "message", "conversation", "context"]);
const contextPhrases = padPhrases(
  ["context length", "context window", "context size", "context limit", "max context", "context token"],
  ["prompt length", "input length", "sequence length", "model max length", "token context", "max input"],
  ["n_ctx", "num_ctx", "max_seq_len", "max_model_len"],
);
const excessPhrases: readonly string[] = padPhrases(
  [
    "exceed",
    "overflow",
    "too long",
    "too large",
    "too many",
    "too much",
    "over the",
    "above the",
    "beyond the",
    "past the",
  ],
  ["longer than", "larger than", "greater than", "bigger than", "more than", "less than", "fewer than", "at most"],
  [">", ">=", "<=", "range of", "reached", "not enough", "not fit", "is full", "window full"],
);
const limitPhrases: readonly string[] = padPhrases(["max", "only", "limit", "up to", "no more than"]);
/** A sentence with one of these phrases is about something else. */
const unrelatedPhrases = padPhrases(
  ["array too long", "tool_use", "tool_result", "tool argument", "valid value", "schema", "too short", "too small"],
  ["must be greater", "must be more", "must be larger", "must be at least", "must be positive", "input should be"],
  ["only available", "not available", "not yet available", "deadline", "stop sequence", "more than one"],
  ["access token", "auth token", "authentication token", "api key", "bearer", "jwt"],
);
const outputLimitPhrases = padPhrases([
  "output token exceed",
  "completion token exceed",
  "output limit",
  "output token limit",
]);

/** vLLM subtracts the prompt from the window and reports the negative rest: `max_tokens must be at least 1, got -312`. */
function reportsNegativeOutput({ words }: Sentence): boolean {
  // Some clients send -1 for "no limit".
  return words.some(isOutputSetting) && words.some((word) => /^-\d+$/.test(word) && word !== "-1");
}

/** The output setting is invalid; the sentence does not mention the input. */
function isAboutOutputSetting({ words }: Sentence): boolean {
  const hasDemandAfter = (at: number): boolean => words.slice(at + 1, at + 3).some((word) => demandWords.has(word));
  if (!words.some((word, at) => isOutputSetting(word) && hasDemandAfter(at))) return false;
  return !words.some((word) => (isInputWord(word) && word !== "context") || totalWords.has(word));
}

const demandWords = new Set(["must", "should", "cannot", "is", "exceed", ">"]);
const totalWords = new Set(["request", "requested", "total", "sum", "combined", "plus"]);

function namesOverflowCode({ words }: Sentence): boolean {
  return words.some((word) => word.length > 12 && isOverflowCode(word));
}

/** `the prompt is too long`, `all messages are too long`, `the prompt exceeds the maximum length`. */
function saysTooLong({ words }: Sentence): boolean {
  return words.some((word, at) => {
    const isLong = word === "too" && ["long", "large"].includes(words[at + 1] ?? "");
    const isLonger = ["exceed", "reached"].includes(word) && saysMaxLength(words.slice(at + 1, at + 4));
    if (!isLong && !isLonger) return false;
    const subject = words.slice(Math.max(0, at - 8), at).findLast((each) => !isFiller(each));
    return inputWords.has(subject ?? "");
  });
}

function saysMaxLength(words: readonly string[]): boolean {
  const at = words.indexOf("max");
  return at >= 0 && at < 2 && words[at + 1] === "length";
}

function isFiller(word: string): boolean {
  return fillerWords.has(word) || parseNumber(word) !== null;
}

const fillerWords = new Set(["is", "are", "was", "far", "way", "much", "has", "token", "length", "size", "count"]);

/** Names the size of the context and an excess: `exceeds the context window`, `maximum context length is 128000`. */
function exceedsContext(sentence: Sentence): boolean {
  const { words } = sentence;
  const hasContextSize = words.some((word, at) => parseNumber(word) !== null && words[at + 1] === "context");
  if (!hasContextSize && !includesPhrase(sentence, contextPhrases)) return false;
  return (
    saysExceeded(sentence) ||
    (includesPhrase(sentence, limitPhrases) && words.some((word) => (parseNumber(word) ?? 0) >= 256))
  );
}

/** Counts too many input tokens. Output tokens do not count. */
function countsTooMany(sentence: Sentence): boolean {
  const { words } = sentence;
  if (!words.some((word) => word === "token" || word.endsWith("_tokens"))) return false;
  const isTotal = (words.includes("request") || words.includes("total")) && !words.some(isOutputWord);
  if (isTotal || words.some(isInputWord))
    return saysExceeded(sentence) && !includesPhrase(sentence, outputLimitPhrases);
  return words.includes("requested") && !words.some(isOutputWord) && isCountedExcess([sentence]);
}

function isInputWord(word: string): boolean {
  return inputWords.has(word) || word.includes("input_token") || word.includes("prompt_token");
}

function saysExceeded(sentence: Sentence): boolean {
  return includesPhrase(sentence, excessPhrases) || isCountedExcess([sentence]);
}

function isCountedExcess(sentences: readonly Sentence[]): boolean {
  const { limit, requested } = findTokenLimits(sentences);
  return limit !== undefined && requested !== undefined;
}

/** `Please reduce the length of the messages`. */
function asksToShorten({ words }: Sentence): boolean {
  return words.some((word, at) => {
    if (!shortenWords.has(word)) return false;
    const object = words.slice(at + 1, at + 7).find((each) => !skippedWords.has(each));
    return inputWords.has(object ?? "");
  });
}

const shortenWords = new Set(["reduce", "shorten", "decrease", "trim", "shorter"]);
const skippedWords = new Set(["the", "your", "length", "of", "size", "number", "total", "or", "fewer"]);

function saysTooLongInChinese({ line }: Sentence): boolean {
  if (line.includes("超长")) return true;
  const isExceeded = ["超过", "超出", "过长"].some((word) => line.includes(word));
  return isExceeded && ["上下文", "输入", "提示", "token"].some((word) => line.includes(word));
}
