/** What the sentences of a refusal speak of: too much context, too many bytes, too many calls, too little money. */

import { figuresIn } from "./figures.ts";
import { phrases, type Sentence, says } from "./reading/sentences.ts";
import { ceilings, excesses, isTooMuch, isTooMuchTogether } from "./too-much.ts";

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
    counted: !says(whole, debts) && tooMuch.some(isPlain) && isCounted(sentences.filter(isPlain)),
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

function isCounted(sentences: readonly Sentence[]): boolean {
  const { limit, requested } = figuresIn(sentences);
  return limit !== undefined && requested !== undefined;
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
