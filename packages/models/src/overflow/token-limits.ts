/** Finds the token limit and the requested tokens in the sentences of an error. */

import { isStatusAt, parseNumber, type Sentence } from "./sentences.ts";

const outputWords: ReadonlySet<string> = new Set([
  "output",
  "outputs",
  "completion",
  "completions",
  "response",
  "generated",
]);

/** `output`, `completion`, `max_tokens`, `max_output_tokens` …: limits of the output are not limits of the context. */
export function isOutputWord(word: string): boolean {
  return outputWords.has(word) || isOutputSetting(word);
}

/** A setting of the output length. `max_input_tokens` and `max_total_tokens` are not. */
export function isOutputSetting(word: string): boolean {
  return /^max_?(?:new|completion|output|thinking|reasoning|generated)?_?tokens$|^budget_tokens$/.test(word);
}

/** Whether an error counts the output beside the input, as in `155031 + 64000` or "2000 in the completion". */
export function countsOutputTokens(text: string): boolean {
  return (text.toLowerCase().match(/[a-z_]+/g) ?? []).some(isOutputWord);
}

export interface TokenLimits {
  readonly limit?: number;
  /** Greater than the limit, if there is one. */
  readonly requested?: number;
}

interface TokenCount {
  readonly value: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** A number at most this many words after a limit word is the limit. */
const MAX_WORD_DISTANCE = 8;
const limitWords = new Set("max limit allowed only up most than <= window size n_ctx num_ctx".split(" "));
/** A number after one of these words counts the request. */
const requestWords = new Set(
  [
    "n_keep n_prompt_tokens prompt_tokens input_tokens requested received got given",
    "has have contains contained resulted provided sent too",
  ].flatMap((names) => names.split(" ")),
);
const requestNouns = new Set(["prompt", "input", "message", "request", "conversation"]);
const MAX_SENTENCE_WORDS = 200;
/** Smaller numbers count messages, images or minutes; larger ones are identifiers. */
const MIN_LIMIT = 100;
const MAX_LIMIT = 100_000_000;

export function findTokenLimits(sentences: readonly Sentence[]): TokenLimits {
  const counts = sentences.flatMap(findCounts);
  const limit = findComparedLimit(counts) ?? findNamedLimit(counts);
  if (!limit) return findRequestedOnly(counts);
  const others = counts.filter((count) => count !== limit && count.value !== limit.value);
  const requested = others.find(({ value }) => value > limit.value)?.value ?? sumAbove(others, limit.value);
  return { limit: limit.value, ...(requested !== undefined && { requested }) };
}

/** A quota that the request alone exceeds: `Limit 30000, Requested 342389`. If part of the quota was used, waiting may help. */
export function findExceededQuota(sentences: readonly Sentence[]): Required<TokenLimits> | null {
  for (const { limit, requested } of sentences.map(findQuota))
    if (limit !== undefined && requested !== undefined && requested > limit) return { limit, requested };
  return null;
}

/** Whether the sentences count tokens, and do not only mention them. */
export function countsTokens(sentences: readonly Sentence[]): boolean {
  const counts = sentences.flatMap(findCounts);
  return counts.some(({ value, after }) => value >= MIN_LIMIT && after[0] === "token") || counts.some(isLimit);
}

function findQuota(sentence: Sentence): TokenLimits {
  const counts = findCounts(sentence);
  const countAfter = (name: string): number | undefined => counts.find(({ before }) => before.at(-1) === name)?.value;
  const [limit, requested] = [countAfter("limit"), countAfter("requested")];
  return { ...(limit !== undefined && { limit }), ...(requested !== undefined && { requested }) };
}

function findCounts({ words }: Sentence): readonly TokenCount[] {
  const numbers = words.slice(0, MAX_SENTENCE_WORDS).map(parseNumber);
  return numbers.flatMap((value, at) => {
    if (value === null || value > MAX_LIMIT || isOtherNumber(words, at)) return [];
    const nearStart = Math.max(0, at - MAX_WORD_DISTANCE);
    const start = Math.max(
      nearStart,
      numbers.slice(nearStart, at).findLastIndex((each) => (each ?? 0) >= MIN_LIMIT) + nearStart + 1,
    );
    return [{ value, before: words.slice(start, at), after: words.slice(at + 1, at + 8) }];
  });
}

/** A number that is neither the limit nor the request: an excess, a count of characters, an id. */
function isOtherNumber(words: readonly string[], at: number): boolean {
  if (isStatusAt(words, at) || ["by", "id"].includes(words[at - 1] ?? "")) return true;
  if (words[at + 1] === "token" && words[at + 2] === "over") return true;
  return words.slice(Math.max(0, at - 2), at + 2).includes("character");
}

/** `213462 tokens > 200000`, `199999 + 8192 > 200000`. */
function findComparedLimit(counts: readonly TokenCount[]): TokenCount | undefined {
  return counts.find(({ value, before }) => value >= MIN_LIMIT && /^>=?$/.test(before.at(-1) ?? ""));
}

/** A number before `exceed` or `must` is the limit only if no other number is: `limit of 4096 exceeded`. */
function findNamedLimit(counts: readonly TokenCount[]): TokenCount | undefined {
  const limits = counts.filter(isLimit);
  return (
    limits.find(
      ({ after }) => !after.slice(0, 2).some((word) => ["exceed", "must", "should", "cannot"].includes(word)),
    ) ?? limits[0]
  );
}

function isLimit({ value, before, after }: TokenCount): boolean {
  const nearest = before.at(-1) ?? "";
  if (value < MIN_LIMIT || requestWords.has(nearest)) return false;
  if (nearest === "exceed" || before.includes("range") || isFollowedByLimitWord(after)) return true;
  const names = before.slice(before.findLastIndex((word) => requestWords.has(word)) + 1);
  const isRequest = requestNouns.has(nearest) && !limitWords.has(names.at(-2) ?? "");
  return !isRequest && names.some((_, at) => isLimitWordAt(names, at));
}

/** `max`, `context length`; but not `maximum number of output tokens` or `output token limit`. */
function isLimitWordAt(words: readonly string[], at: number): boolean {
  const word = words[at] ?? "";
  const isNamed = (word.startsWith("max_") && !isOutputSetting(word)) || /最大|最多|上限/.test(word);
  if (!isNamed && !limitWords.has(word) && (word !== "length" || words[at - 1] !== "context")) return false;
  if (word === "size" && requestNouns.has(words[at - 1] ?? "")) return false;
  return !words.slice(Math.max(0, at - 2), at + 4).some((near) => near !== word && isOutputWord(near));
}

/** `200000 maximum`, `256k context`, `a 32000 token limit`; but `9000 tokens, limit 8192` names the other number. */
function isFollowedByLimitWord(after: readonly string[]): boolean {
  const [name = "", ...following] = after[0] === "token" ? after.slice(1) : after;
  if (!["max", "context", "limit", "window", "allowed"].includes(name) || isOutputWord(following[0] ?? ""))
    return false;
  const next = following.find((word) => !connectingWords.has(word));
  return next === undefined || parseNumber(next) === null;
}

const connectingWords = new Set(["is", "was", "of", "context", "length", "window", "size", "limit", "allowed"]);

/** Some errors count the parts: 100 tokens of output and 40,861 of input exceed 40,960. */
function sumAbove(counts: readonly TokenCount[], limit: number): number | undefined {
  const sum = counts.reduce((total, { value }) => total + value, 0);
  return sum > limit ? sum : undefined;
}

function findRequestedOnly(counts: readonly TokenCount[]): TokenLimits {
  const tokens = counts.filter(({ value, after }) => value >= MIN_LIMIT && after.slice(0, 2).includes("token"));
  return tokens.length > 0 ? { requested: Math.max(...tokens.map(({ value }) => value)) } : {};
}
