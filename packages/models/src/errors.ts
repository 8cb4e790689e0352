/** Translates what a provider or its package throws into a `ModelFailure`. No other file translates such errors. */

import type { ModelFailure } from "@pith/context";
import { tryParseJson } from "./json.ts";
import type { OutputBudget } from "./max-output-tokens.ts";
import { classifyRefusal, type RefusalClassification } from "./overflow/index.ts";

export function toModelFailure(error: unknown, { provider, estimate, now }: FailureContext): ModelFailure {
  const thrown = parseThrownError(error);
  const classification = classifyThrown(thrown, { provider, estimate });
  const retryAfterMs = parseRetryAfter(thrown, now);
  const kind = failureKind(thrown, { classification, hasRetryAfter: retryAfterMs !== undefined });
  const reason = failureReason(thrown, kind);
  return {
    kind,
    message: failureMessage(thrown, provider),
    ...(reason && { reason }),
    ...((kind === "overflow" || kind === "quota") &&
      classification.limit !== undefined && { limit: classification.limit }),
    ...((kind === "busy" || kind === "unreachable") && retryAfterMs !== undefined && { retryAfterMs }),
    cause: failureCause(thrown),
  };
}

export interface FailureContext {
  readonly provider: string;
  /** The size of the request, which decides if the error does not explain itself. */
  readonly estimate: Pick<OutputBudget, "tokens" | "window">;
  readonly now: () => number;
}

/** Reduces a thrown value to a few plain fields. Most errors contain too much, such as the whole request. */
function parseThrownError(thrown: unknown): ThrownError {
  const fields = toFields(thrown);
  const text = rawErrorText(thrown, fields);
  const status = toFiniteNumber(fields.statusCode) ?? toFiniteNumber(fields.status);
  const source = errorSource(fields, status);
  const code = source === "network" ? networkErrorCode(fields) : joinCodes(fields);
  return {
    text,
    displayText: source === "unreadable" ? "" : formatErrorText(text),
    ...(status !== undefined && { status }),
    ...(code !== "" && { code }),
    headers: toFields(fields.responseHeaders) as ThrownError["headers"],
    source,
  };
}

export interface ThrownError {
  /** The unchanged text. */
  readonly text: string;
  /** The text for messages. */
  readonly displayText: string;
  readonly status?: number;
  readonly code?: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * `response`: an error response. `stream`: an error during the reply. `network`: no connection, or a broken one.
   * `unreadable`: a response that cannot be parsed. `not-sent`: the package did not send the request. `package`: any other error of the package.
   */
  readonly source: "response" | "stream" | "network" | "unreadable" | "not-sent" | "package";
}

// The body comes first: the package's own message may be shortened or changed.
function rawErrorText(thrown: unknown, fields: ErrorFields): string {
  const embeddedError = findEmbeddedError(fields);
  if (embeddedError !== undefined) return JSON.stringify(embeddedError);
  for (const text of [fields.responseBody, fields.message, thrown]) {
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return "";
}

// An error in an unknown format arrives as a chunk that fails the package's schema.
function findEmbeddedError({ name, value }: ErrorFields): unknown {
  return name === "AI_TypeValidationError" ? toFields(value).error : undefined;
}

function errorSource(fields: ErrorFields, status: number | undefined): ThrownError["source"] {
  const { name } = fields;
  if (typeof name === "string" && NOT_SENT_ERRORS.has(name)) return "not-sent";
  if (findEmbeddedError(fields) !== undefined) return "stream";
  if (typeof name === "string" && UNREADABLE_RESPONSE_ERRORS.has(name)) return "unreadable";
  // A response without an error status failed in transit.
  if (name === "AI_APICallError" && (status === undefined || status < 400)) return "network";
  const type = toFields(fields.responseHeaders)["content-type"];
  if (name === "AI_APICallError" && !(typeof type === "string" && type.includes("event-stream"))) return "response";
  if (name === "AI_APICallError" || !(fields instanceof Error)) return "stream";
  return isNetworkError(fields) ? "network" : "package";
}

/** The code of the system or of undici is on the error or on its cause: the message of `fetch` itself says little. */
function isNetworkError(error: Error): boolean {
  const codes = [error, error.cause].map((each) => String(toFields(each).code ?? ""));
  return (
    codes.some((code) => /^(?:E[A-Z]{3,}|UND_ERR_|ERR_SSL|ERR_TLS|CERT_|DEPTH_|SELF_SIGNED|UNABLE_)/.test(code)) ||
    /fetch failed|terminated|network|socket|timed? ?out|aborted/i.test(error.message)
  );
}

const UNREADABLE_RESPONSE_ERRORS: ReadonlySet<string> = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
  "AI_EmptyResponseBodyError",
]);

const NOT_SENT_ERRORS: ReadonlySet<string> = new Set([
  "AI_LoadAPIKeyError",
  "AI_LoadSettingError",
  "AI_InvalidArgumentError",
  "AI_InvalidPromptError",
  "AI_UnsupportedFunctionalityError",
  "AI_NoSuchModelError",
]);

function joinCodes({ code, type }: ErrorFields): string {
  return [code, type].filter((each) => typeof each === "string").join(" ");
}

/** The cause has the code if the error itself only says that there was no connection. */
function networkErrorCode(fields: ErrorFields): string {
  return joinCodes(fields) || joinCodes(toFields(fields.cause));
}

type ErrorFields = Readonly<Record<string, unknown>>;

function toFields(value: unknown): ErrorFields {
  return typeof value === "object" && value !== null ? (value as ErrorFields) : {};
}

function toFiniteNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The message of an error text on one line, without anything that looks like a key. */
export function formatErrorText(text: string): string {
  const message = parseErrorMessage(text.slice(0, MAX_READ_CHARS)) ?? text.slice(0, MAX_READ_CHARS);
  const visibleText = /^\s*<(!doctype|html)/i.test(message) ? pageTitle(message) : message;
  const displayText = visibleText.replace(/\s+/g, " ").trim().replace(KEY_PATTERN, "[key]");
  return displayText.length > MAX_MESSAGE_CHARS
    ? `${displayText.slice(0, MAX_MESSAGE_CHARS).toWellFormed()}…`
    : displayText;
}

const MAX_READ_CHARS = 65_536;
const MAX_MESSAGE_CHARS = 300;

// The prefixes of the keys of known providers; the stars occur in keys that the provider has masked.
const KEY_PATTERN =
  /\b(?:(?:sk|pk|gsk|xai|hf)[-_][A-Za-z0-9*_.-]{8,}|AIza[A-Za-z0-9*_-]{16,}|Bearer [A-Za-z0-9*_.-]{8,})/g;

/** The message may be nested in several objects, or in JSON inside a string. */
function parseErrorMessage(text: string, depth = 0): string | null {
  const value = depth < 4 && /^\s*[{["]/.test(text) ? tryParseJson(text) : null;
  const message = value === null ? null : findMessage(value, 0);
  return message === null ? null : (parseErrorMessage(message, depth + 1) ?? message);
}

function findMessage(value: unknown, depth: number): string | null {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || depth > 4) return null;
  const fields = (Array.isArray(value) ? { error: value[0] } : value) as Readonly<Record<string, unknown>>;
  for (const name of ["message", "error", "detail", "error_description", "response", "msg"]) {
    const message = fields[name] === undefined ? null : findMessage(fields[name], depth + 1);
    if (message !== null && message.trim() !== "") return message;
  }
  return null;
}

function pageTitle(page: string): string {
  return /<title>([^<]{1,200})</i.exec(page)?.[1] ?? "the response is a web page";
}

// The status of an error inside a stream is made up by the package: the response itself had status 200.
function classifyThrown(
  { source, text, status, code }: ThrownError,
  context: Pick<FailureContext, "provider" | "estimate">,
): RefusalClassification {
  if (source !== "response" && source !== "stream") return { class: "other" };
  const { tokens, window } = context.estimate;
  const estimate = { tokens: tokens(), window };
  const refusal = { text, ...(code !== undefined && { code }), provider: context.provider, estimate };
  return classifyRefusal(source === "response" && status !== undefined ? { ...refusal, status } : refusal);
}

/** The wait in milliseconds that the provider asks for in a header or in its text; undefined if it asks for none. */
export function parseRetryAfter({ headers, text }: ErrorResponse, now: () => number): number | undefined {
  const headerValues = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value ?? ""]));
  return (
    validMilliseconds(Number.parseFloat(headerValues.get("retry-after-ms") ?? "")) ??
    parseRetryAfterHeader(headerValues.get("retry-after") ?? "", now) ??
    parseRetryAfterText(text.slice(0, 8192))
  );
}

export interface ErrorResponse {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

function parseRetryAfterHeader(value: string, now: () => number): number | undefined {
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return validMilliseconds(Number.parseFloat(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}

// "Please try again in 4.77s", "in 1m30s", "retry after 20 seconds"; Gemini: `"retryDelay": "34s"`.
function parseRetryAfterText(text: string): number | undefined {
  const duration =
    /(?:(?:try again|retry) (?:in|after)|"retryDelay":) ?"?((?:[\d.]{1,12} ?(?:ms|milliseconds?|s|seconds?|m|minutes?|h|hours?)\b ?){1,3}|(?:[\d.]{1,12}(?:ms|h|m|s)){1,3})/i.exec(
      text,
    )?.[1];
  if (duration === undefined) return undefined;
  const parts = [...duration.matchAll(/([\d.]+) ?(ms|milli|h|m|s)/gi)];
  return validMilliseconds(
    parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * millisecondsPerUnit(unit ?? ""), 0),
  );
}

function millisecondsPerUnit(unit: string): number {
  const unitMs: Readonly<Record<string, number>> = { ms: 1, milli: 1, s: 1000, m: 60_000, h: 3_600_000 };
  return unitMs[unit.toLowerCase()] ?? Number.NaN;
}

function validMilliseconds(ms: number): number | undefined {
  return Number.isFinite(ms) && ms >= 0 ? Math.ceil(ms) : undefined;
}

function failureKind(
  { source, status, code = "", text }: ThrownError,
  {
    classification,
    hasRetryAfter,
  }: { readonly classification: RefusalClassification; readonly hasRetryAfter: boolean },
): ModelFailure["kind"] {
  switch (classification.class) {
    case "overflow":
    case "payload":
      return classification.class;
    case "ratelimit":
      return isQuotaExhausted(`${code} ${text.slice(0, 2048)}`, hasRetryAfter) ? "refused" : "busy";
    case "tpm_ceiling":
      return "quota";
    case "other":
      if (source === "not-sent" || source === "package") return "refused";
      if (source === "network" || source === "unreadable") return "unreachable";
      return failureKindForStatus(status, code);
  }
}

// Messages about rate limits often link to the billing page. With a Retry-After the quota is not exhausted.
function isQuotaExhausted(text: string, hasRetryAfter: boolean): boolean {
  return /insufficient_quota/i.test(text) || (!hasRetryAfter && /billing|credit balance/i.test(text));
}

function failureKindForStatus(status: number | undefined, code: string): ModelFailure["kind"] {
  if (/overload/i.test(code) || status === 529 || status === 503 || status === 429) return "busy";
  if (status === undefined || status >= 500 || status === 408 || status === 425) return "unreachable";
  return "refused";
}

/** Undefined if the status and the text do not say what the user can do. */
function failureReason(
  { source, status, code = "", text }: ThrownError,
  kind: ModelFailure["kind"],
): FailureReason | undefined {
  if (source === "network") return CONNECTION_REASONS.find(([pattern]) => pattern.test(code))?.[1];
  if (source !== "response" || (kind !== "refused" && kind !== "busy")) return undefined;
  return REFUSAL_REASONS.find(
    ({ statuses, pattern, kind: onlyKind = kind }) =>
      onlyKind === kind &&
      status !== undefined &&
      statuses.includes(status) &&
      pattern.test(`${code} ${text.slice(0, 2048)}`),
  )?.reason;
}

type FailureReason = NonNullable<ModelFailure["reason"]>;

const CONNECTION_REASONS: readonly (readonly [RegExp, FailureReason])[] = [
  [/ECONNREFUSED/, "connection-refused"],
  [/ENOTFOUND|EAI_AGAIN/, "unknown-host"],
  [/CERT|SELF_SIGNED|UNABLE_TO_|ERR_SSL|ERR_TLS|EPROTO/, "tls"],
  [/ETIMEDOUT|TIMEOUT/, "timeout"],
];

interface RefusalReason {
  readonly reason: FailureReason;
  readonly statuses: readonly number[];
  /** Matches the code and the text of the response. */
  readonly pattern: RegExp;
  readonly kind?: ModelFailure["kind"];
}

/** The first match counts. Google and xAI respond with 400 to an invalid key, and some providers with 400 to an unknown model. */
const REFUSAL_REASONS: readonly RefusalReason[] = [
  { reason: "no-credit", statuses: [402], pattern: /^/ },
  {
    reason: "no-credit",
    statuses: [400, 403, 429],
    kind: "refused",
    pattern: /insufficient.{1,9}(?:quota|credit|balance|funds)|credit balance|billing/i,
  },
  { reason: "invalid-key", statuses: [401], pattern: /^/ },
  { reason: "invalid-key", statuses: [400, 403], pattern: /api.?key|access token|credential|unauthenticated/i },
  { reason: "no-access", statuses: [403], pattern: /^/ },
  { reason: "unknown-model", statuses: [404], pattern: /model|no endpoints found/i },
  {
    reason: "unknown-model",
    statuses: [400],
    pattern: /model_not_found|invalid model|not a valid model|model.{1,200}(?:not found|does not exist)/is,
  },
  { reason: "unknown-path", statuses: [404], pattern: /^/ },
  { reason: "rate-limit", statuses: [429], kind: "busy", pattern: /^/ },
];

function failureMessage({ source, status, displayText }: ThrownError, provider: string): string {
  const detail = displayText === "" ? "" : `: ${displayText}`;
  switch (source) {
    case "response":
      return `${provider} returned ${status ?? "an error"}${detail}`;
    case "stream":
      return `${provider} ended its reply with an error${detail}`;
    case "network":
      return status === 200
        ? `the connection to ${provider} was lost during the reply`
        : `${provider} could not be reached${detail}`;
    case "unreadable":
      return `${provider} sent a response that cannot be parsed`;
    case "not-sent":
      return `the request to ${provider} was not sent${detail}`;
    case "package":
      return `${provider}'s provider package failed${detail}`;
  }
}

// Only these fields: the thrown error contains the whole request.
function failureCause({ status, code, text }: ThrownError): ModelFailure["cause"] {
  return { ...(status !== undefined && { status }), ...(code !== undefined && { code }), text: text.slice(0, 2048) };
}
