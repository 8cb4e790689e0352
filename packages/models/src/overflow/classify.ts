/** Classifies provider errors (by code, then status, then wording) and finds context overflow in replies that ended. */

import { type ErrorBody, parseErrorBody } from "./error-body.ts";
import { isOverflowCode, isRateLimitCode, normalizeCode } from "./sentences.ts";
import { countsTokens, findExceededQuota, findTokenLimits } from "./token-limits.ts";
import { analyzeWording } from "./wording.ts";

/** An error with which a provider refused a request. */
export interface Refusal {
  /** HTTP status; absent for an error inside a stream. */
  readonly status?: number;
  /** The unchanged body or error text: JSON, HTML, plain text, SDK-prefixed text. */
  readonly text: string;
  /** A structured code or type if the caller has one; otherwise it is read from the body. */
  readonly code?: string;
  /** Our estimate of the request and the window, which decide if the provider gives no reason. */
  readonly estimate?: { readonly tokens: number; readonly window: number };
  readonly provider?: string;
}

/**
 * `overflow`: compact and retry. `payload`: too many bytes, or one image or string too large; compaction does not help.
 * `ratelimit`: wait. `tpm_ceiling`: the request exceeds the quota of a minute, so waiting never helps. `other`: show it.
 */
export type RefusalClass = "overflow" | "payload" | "ratelimit" | "tpm_ceiling" | "other";

export interface RefusalClassification {
  readonly class: RefusalClass;
  /** The most tokens the model accepts, if the text names them; for `tpm_ceiling` the quota, not the window. */
  readonly limit?: number;
  /** The tokens of the request, if the text names them. */
  readonly requested?: number;
}

/** At this share of the window an unexplained refusal counts as an overflow. */
const NEARLY_FULL_SHARE = 0.8;

/**
 * Never throws. Reads only the first 64 KB of the text, in linear time.
 *
 * @example
 * classifyRefusal({ status: 400, text: "prompt is too long: 213462 tokens > 200000 maximum" });
 * // { class: "overflow", limit: 200000, requested: 213462 }
 */
export function classifyRefusal(refusal: Refusal): RefusalClassification {
  const body = parseErrorBody(refusal.text);
  const refusalClass = determineClass({ ...refusal, body });
  if (refusalClass === "overflow") return { class: refusalClass, ...findTokenLimits(body.sentences) };
  if (refusalClass === "tpm_ceiling") return { class: refusalClass, ...findExceededQuota(body.sentences) };
  return { class: refusalClass };
}

interface ParsedRefusal extends Refusal {
  readonly body: ErrorBody;
}

function determineClass(refusal: ParsedRefusal): RefusalClass {
  const { body, code = "" } = refusal;
  const status = effectiveStatus(refusal);
  const codes = [...body.codes, ...code.toLowerCase().split(/[\s/,]+/)];
  const wording = analyzeWording(body.sentences);
  const isRateLimited = wording.rate || codes.some(isRateLimitCode);

  if (isTransient(status)) return "other";
  if (isRequestError(status) && wording.isCountedOverflow && !codes.some(isRateLimitCode)) return "overflow";
  if ((isRateLimited || status === 429) && findExceededQuota(body.sentences)) return "tpm_ceiling";
  if (status === 429) return "ratelimit";
  if (codes.some(isOverflowCode)) return "overflow";
  if (status === 402 || status === 404 || wording.credit) return "other";
  if (isRateLimited) return "ratelimit";
  if (body.isStatusOnly && (status === 413 || status === 400)) return classifyUnexplained(refusal, status);
  if (status === 413) return classifyTooLarge(refusal, wording.overflow);
  if (wording.overflow) return "overflow";
  return wording.payload ? "payload" : "other";
}

/** The status inside the body is used if HTTP reported no failure: an error in a stream comes with status 200. */
function effectiveStatus({ status, body }: ParsedRefusal): number | undefined {
  return status === undefined || status < 400 ? body.status : status;
}

function isTransient(status: number | undefined): boolean {
  return status === 408 || status === 425 || (status !== undefined && status >= 500);
}

/** An error inside a stream has no status. */
function isRequestError(status: number | undefined): boolean {
  return status === undefined || status === 400 || status === 422;
}

/** Cerebras refuses a context that is too long without a reason. */
function classifyUnexplained({ estimate, provider }: ParsedRefusal, status: 400 | 413): RefusalClass {
  const isFull = estimate ? isNearlyFull(estimate) : (provider ?? "").toLowerCase().includes("cerebras");
  if (isFull) return "overflow";
  return status === 413 ? "payload" : "other";
}

/** 413 is about bytes, unless the text counts tokens, or names the prompt while the window is nearly full. */
function classifyTooLarge({ body, estimate }: ParsedRefusal, namesOverflow: boolean): RefusalClass {
  if (!namesOverflow) return "payload";
  return countsTokens(body.sentences) || (estimate && isNearlyFull(estimate)) ? "overflow" : "payload";
}

function isNearlyFull({ tokens, window }: { readonly tokens: number; readonly window: number }): boolean {
  return window > 0 && tokens >= NEARLY_FULL_SHARE * window;
}

/** The report of a reply that ended. Unreported usage is absent or zero. */
export interface EndedReply {
  /** The provider's own stop reason, unchanged: the AI SDK's reasons are fewer. */
  readonly stopReason: string;
  /** Input tokens, cached ones excluded. */
  readonly input?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly output?: number;
  /** The context window in tokens. */
  readonly window: number;
  /** The requested output tokens. */
  readonly maxOutput?: number;
  /** Our own estimate of the request in tokens. */
  readonly estimate?: number;
}

export interface ReplyOverflow {
  /**
   * `named`: the stop reason names it. `no-room`: the window was full before the first token. `over-window`: the input
   * exceeds the window. `truncated`: much less was read than was sent. `squeezed`: cut off before the output limit.
   */
  readonly kind: "named" | "no-room" | "over-window" | "truncated" | "squeezed";
  /** True: keep the reply and compact before the next request. False: compact and retry once. */
  readonly isReplyValid: boolean;
  /** The most tokens the server seems to accept. */
  readonly limit?: number;
}

const FULL_SHARE = 0.99;
const MIN_READ_SHARE = 0.6;
/** Below this size our estimate is too rough to detect truncation. */
const MIN_ESTIMATE = 2_000;

/**
 * Finds an overflow that no error reports, by the stop reason or the usage of a reply. Null if there is none.
 *
 * @example
 * detectReplyOverflow({ stopReason: "stop", input: 130_000, output: 400, window: 128_000 });
 * // { kind: "over-window", isReplyValid: true }
 */
export function detectReplyOverflow(reply: EndedReply): ReplyOverflow | null {
  const { window, output = 0, maxOutput = 0 } = reply;
  const reason = normalizeCode(reply.stopReason);
  const isCutOff = outputLimitReasons.has(reason);
  const inputTokens = (reply.input ?? 0) + (reply.cacheRead ?? 0) + (reply.cacheWrite ?? 0);

  if (reason === "modellength" || isOverflowCode(reason)) return { kind: "named", isReplyValid: reply.output !== 0 };
  if (!(inputTokens > 0)) return null;
  if (isCutOff && output === 0 && window > 0 && inputTokens >= FULL_SHARE * window)
    return { kind: "no-room", isReplyValid: false };
  if (window > 0 && inputTokens > window) return { kind: "over-window", isReplyValid: true };
  if (isTruncated(inputTokens, reply.estimate))
    return { kind: "truncated", isReplyValid: !isCutOff, limit: inputTokens };
  // Only OpenAI-compatible servers use one reason for both limits; other reasons mean the output limit alone.
  if (reason === "length" && output > 0 && output < maxOutput) return { kind: "squeezed", isReplyValid: false };
  return null;
}

const outputLimitReasons: ReadonlySet<string> = new Set(["length", "maxtokens", "maxoutputtokens"]);

function isTruncated(inputTokens: number, estimate = 0): boolean {
  return estimate >= MIN_ESTIMATE && inputTokens < MIN_READ_SHARE * estimate;
}
