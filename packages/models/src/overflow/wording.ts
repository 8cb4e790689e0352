/** Recognises what the sentences of an error complain about: context length, payload size, request rate or credit. */

import { isOverflowCode, numberOf, phrases, type Sentence, says } from "./sentences.ts";
import { comesOut, figuresIn, isOutputSetting } from "./token-limits.ts";

/** What fills the window, and how it is measured. */
const wholes = new Set(["prompt", "input", "message", "conversation", "context"]);
const measures = phrases(
  ["context length", "context window", "context size", "context limit", "max context", "context token"],
  ["prompt length", "input length", "sequence length", "model max length", "token context", "max input"],
  ["n_ctx", "num_ctx", "max_seq_len", "max_model_len"],
);
export const excesses: readonly string[] = phrases(
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
export const ceilings: readonly string[] = phrases(["max", "only", "limit", "up to", "no more than"]);
/** Sentences with one of these speak of something else, whatever else is in them. */
const elsewhere = phrases(
  ["array too long", "tool_use", "tool_result", "tool argument", "valid value", "schema", "too short", "too small"],
  ["must be greater", "must be more", "must be larger", "must be at least", "must be positive", "input should be"],
  ["only available", "not available", "not yet available", "deadline", "stop sequence", "more than one"],
  ["access token", "auth token", "authentication token", "api key", "bearer", "jwt"],
);
const outputs = phrases(["output token exceed", "completion token exceed", "output limit", "output token limit"]);

/** Whether the sentence says that what the model should read is too much for it. Uses short word lists, not patterns. */
export function isTooMuch(sentence: Sentence): boolean {
  if (sentence.words.length === 1) return namesCode(sentence) || isChinese(sentence);
  if (leavesNoRoom(sentence)) return true;
  const ways = [namesCode, saysTooLong, exceedsContext, countsTooMany, asksToShorten, isChinese];
  return ways.some((saysSo) => saysSo(sentence)) && !says(sentence, elsewhere) && !isAboutSetting(sentence);
}

/** Two sentences that only together hold count and limit: `Prompt tokens: 51200. Model limit: 32768.` */
export function isTooMuchTogether(first: Sentence, second: Sentence): boolean {
  const both = { words: [...first.words, ...second.words], line: `${first.line}.${second.line}` };
  if (!both.words.includes("token") || !both.words.some(goesIn) || both.words.some(comesOut)) return false;
  return says(both, tops) && isCountedExcess([both]) && !says(both, elsewhere) && !says(both, bottoms);
}

const tops = phrases(["max", "limit", "more than", "at most"]);
const bottoms = phrases(["at least", "min", "minimum", "requires"]);

/** vLLM takes the prompt from the window and complains of the rest: `max_tokens must be at least 1, got -312`. */
function leavesNoRoom({ words }: Sentence): boolean {
  // -1 is what some clients send for "as much as you like".
  return words.some(isOutputSetting) && words.some((word) => /^-\d+$/.test(word) && word !== "-1");
}

/** How much may come out was set wrongly; nothing is said of what goes in. */
function isAboutSetting({ words }: Sentence): boolean {
  const isWrong = (at: number): boolean => words.slice(at + 1, at + 3).some((word) => demands.has(word));
  if (!words.some((word, at) => isOutputSetting(word) && isWrong(at))) return false;
  return !words.some((word) => (goesIn(word) && word !== "context") || totals.has(word));
}

const demands = new Set(["must", "should", "cannot", "is", "exceed", ">"]);
const totals = new Set(["request", "requested", "total", "sum", "combined", "plus"]);

function namesCode({ words }: Sentence): boolean {
  return words.some((word) => word.length > 12 && isOverflowCode(word));
}

/** The prompt is too long; all messages are too long; the prompt exceeds the maximum length. */
function saysTooLong({ words }: Sentence): boolean {
  return words.some((word, at) => {
    const isLong = word === "too" && ["long", "large"].includes(words[at + 1] ?? "");
    const isLonger = ["exceed", "reached"].includes(word) && saysMaxLength(words.slice(at + 1, at + 4));
    if (!isLong && !isLonger) return false;
    const subject = words.slice(Math.max(0, at - 8), at).findLast((each) => !isFiller(each));
    return wholes.has(subject ?? "");
  });
}

function saysMaxLength(words: readonly string[]): boolean {
  const at = words.indexOf("max");
  return at >= 0 && at < 2 && words[at + 1] === "length";
}

function isFiller(word: string): boolean {
  return fillers.has(word) || numberOf(word) !== null;
}

const fillers = new Set(["is", "are", "was", "far", "way", "much", "has", "token", "length", "size", "count"]);

/** It measures the context, and this is beyond it: `exceeds the context window`, `maximum context length is 128000`. */
function exceedsContext(sentence: Sentence): boolean {
  const { words } = sentence;
  const sized = words.some((word, at) => numberOf(word) !== null && words[at + 1] === "context");
  if (!sized && !says(sentence, measures)) return false;
  return isExceeded(sentence) || (says(sentence, ceilings) && words.some((word) => (numberOf(word) ?? 0) >= 256));
}

/** It counts tokens of what goes in, and they are too many. Tokens that come out are another matter. */
function countsTooMany(sentence: Sentence): boolean {
  const { words } = sentence;
  if (!words.some((word) => word === "token" || word.endsWith("_tokens"))) return false;
  const isTotal = (words.includes("request") || words.includes("total")) && !words.some(comesOut);
  if (isTotal || words.some(goesIn)) return isExceeded(sentence) && !says(sentence, outputs);
  return words.includes("requested") && !words.some(comesOut) && isCountedExcess([sentence]);
}

function goesIn(word: string): boolean {
  return wholes.has(word) || word.includes("input_token") || word.includes("prompt_token");
}

function isExceeded(sentence: Sentence): boolean {
  return says(sentence, excesses) || isCountedExcess([sentence]);
}

function isCountedExcess(sentences: readonly Sentence[]): boolean {
  const { limit, requested } = figuresIn(sentences);
  return limit !== undefined && requested !== undefined;
}

/** Please reduce the length of the messages. */
function asksToShorten({ words }: Sentence): boolean {
  return words.some((word, at) => {
    if (!shortenings.has(word)) return false;
    const object = words.slice(at + 1, at + 7).find((each) => !between.has(each));
    return wholes.has(object ?? "");
  });
}

const shortenings = new Set(["reduce", "shorten", "decrease", "trim", "shorter"]);
const between = new Set(["the", "your", "length", "of", "size", "number", "total", "or", "fewer"]);

function isChinese({ line }: Sentence): boolean {
  if (line.includes("超长")) return true;
  const over = ["超过", "超出", "过长"].some((word) => line.includes(word));
  return over && ["上下文", "输入", "提示", "token"].some((word) => line.includes(word));
}

export interface Wording {
  readonly overflow: boolean;
  readonly payload: boolean;
  readonly rate: boolean;
  readonly credit: boolean;
  /** A count against a limit, in words that tell of nothing else: a link to the billing page does not change it. */
  readonly counted: boolean;
}

const rates = phrases(
  ["rate limit", "too many requests", "per minute", "per min", "per day", "per hour", "per second"],
  ["tpm", "rpm", "please wait", "slow down"],
);
const rateCodes = ["ratelimit", "rate_limit", "throttl", "resource_exhausted"];
const debts = phrases(["credit", "credits", "afford", "balance", "monthly limit"]);
const quotas = phrases(["quota"]);
const credits = [...debts, ...quotas, ...phrases(["billing", "payment"])];

export function wordingOf(sentences: readonly Sentence[]): Wording {
  const payload = sentences.map(isPayload);
  const whole = { words: [], line: sentences.map(({ line }) => line).join(".") };
  const tooMuch = sentences.filter((sentence, at) => !payload[at] && isTooMuch(sentence));
  return {
    overflow: tooMuch.length > 0 || (!payload.includes(true) && sentences.some(exceedsTheNext)),
    payload: payload.includes(true),
    rate: isRate(whole),
    credit: says(whole, credits),
    counted: !says(whole, debts) && tooMuch.some(isPlain) && isCountedExcess(sentences.filter(isPlain)),
  };
}

function exceedsTheNext(sentence: Sentence, at: number, all: readonly Sentence[]): boolean {
  const next = all[at + 1];
  return next !== undefined && isTooMuchTogether(sentence, next);
}

function isRate(sentence: Sentence): boolean {
  return says(sentence, rates) || rateCodes.some((code) => sentence.line.includes(code));
}

function isPlain(sentence: Sentence): boolean {
  return !isRate(sentence) && !says(sentence, quotas);
}

const strings = phrases(["string too long", "maxlength"]);
const bodies = phrases(
  ["request too large", "request entity too large", "payload too large", "content too large"],
  ["request body", "max size"],
);
const items = phrases(["mb", "image", "file", "pdf", "audio", "video", "attachment", "pages", "page limit"]);

/** Bytes, pixels, pages, one string: nothing that a summary makes smaller. */
function isPayload(sentence: Sentence): boolean {
  if (sentence.words.length === 1) return false;
  if (says(sentence, strings)) return true;
  if (sentence.words.includes("token")) return false;
  if (says(sentence, bodies) || /length must be <= \d/.test(sentence.line)) return true;
  return says(sentence, items) && (says(sentence, excesses) || says(sentence, ceilings));
}
