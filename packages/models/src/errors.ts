/** Translates what a provider or its package throws into a `ModelFailure`. No other file translates such errors. */

import type { ModelFailure } from "@pith/context";
import type { Room } from "./max-output.ts";
import { classifyRefusal, type Verdict } from "./overflow/index.ts";

export interface Answer {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** How long the provider asks to wait, by header or in its text. In milliseconds; undefined where it does not say. */
export function retryAfter({ headers, text }: Answer, now: () => number): number | undefined {
  const known = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value ?? ""]));
  return (
    positive(Number.parseFloat(known.get("retry-after-ms") ?? "")) ??
    secondsOrDate(known.get("retry-after") ?? "", now) ??
    inWords(text.slice(0, 8192))
  );
}

function secondsOrDate(value: string, now: () => number): number | undefined {
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return positive(Number.parseFloat(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}

// "Please try again in 4.77s", "in 1m30s", "retry after 20 seconds"; Gemini: `"retryDelay": "34s"`.
function inWords(text: string): number | undefined {
  const said =
    /(?:(?:try again|retry) (?:in|after)|"retryDelay":) ?"?((?:[\d.]{1,12} ?(?:ms|milliseconds?|s|seconds?|m|minutes?|h|hours?)\b ?){1,3}|(?:[\d.]{1,12}(?:ms|h|m|s)){1,3})/i.exec(
      text,
    )?.[1];
  if (said === undefined) return undefined;
  const parts = [...said.matchAll(/([\d.]+) ?(ms|milli|h|m|s)/gi)];
  return positive(parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * msIn(unit ?? ""), 0));
}

function msIn(unit: string): number {
  const known: Readonly<Record<string, number>> = { ms: 1, milli: 1, s: 1000, m: 60_000, h: 3_600_000 };
  return known[unit.toLowerCase()] ?? Number.NaN;
}

function positive(ms: number): number | undefined {
  return Number.isFinite(ms) && ms >= 0 ? Math.ceil(ms) : undefined;
}

/** An error text for people: the message alone, on one line, without anything that looks like a key. */
export function wordsOf(text: string): string {
  const message = messageIn(text.slice(0, MOST_READ)) ?? text.slice(0, MOST_READ);
  const line = /^\s*<(!doctype|html)/i.test(message) ? titleOf(message) : message;
  const words = line.replace(/\s+/g, " ").trim().replace(KEY, "[key]");
  return words.length > LONGEST ? `${words.slice(0, LONGEST).toWellFormed()}…` : words;
}

const MOST_READ = 65_536;
const LONGEST = 300;

// The letters that keys begin with at the providers we know, and what they write in the place of one.
const KEY = /\b(?:(?:sk|pk|gsk|xai|hf)[-_][A-Za-z0-9*_.-]{8,}|AIza[A-Za-z0-9*_-]{16,}|Bearer [A-Za-z0-9*_.-]{8,})/g;

/** JSON may hold its message under several roofs, or another JSON in a string. */
function messageIn(text: string, depth = 0): string | null {
  const value = depth < 4 ? jsonIn(text) : null;
  const said = value === null ? null : messageOf(value, 0);
  return said === null ? null : (messageIn(said, depth + 1) ?? said);
}

function messageOf(value: unknown, depth: number): string | null {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || depth > 4) return null;
  const fields = (Array.isArray(value) ? { error: value[0] } : value) as Readonly<Record<string, unknown>>;
  for (const name of ["message", "error", "detail", "error_description", "response", "msg"]) {
    const said = fields[name] === undefined ? null : messageOf(fields[name], depth + 1);
    if (said !== null && said.trim() !== "") return said;
  }
  return null;
}

function jsonIn(text: string): unknown {
  if (!/^\s*[{["]/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    // It only looked like JSON, or was cut.
    return null;
  }
}

function titleOf(page: string): string {
  return /<title>([^<]{1,200})</i.exec(page)?.[1] ?? "it sent a web page";
}

export interface Thrown {
  /** What it said, as it came. */
  readonly text: string;
  /** The same for people. */
  readonly words: string;
  readonly status?: number;
  readonly code?: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * `stream`: after it had begun to answer. `nonsense`: it answered what nobody can read. `nobody`: it was not asked.
   * `program`: neither the provider nor the line, but whoever stands between us.
   */
  readonly from: "answer" | "stream" | "network" | "nonsense" | "nobody" | "program";
}

/** Reduces what was thrown to a few plain fields. Anything can be thrown, and most errors hold too much, such as the whole request. */
export function thrownWords(thrown: unknown): Thrown {
  const fields = fieldsOf(thrown);
  const text = textOf(thrown, fields);
  const status = numberIn(fields.statusCode) ?? numberIn(fields.status);
  const from = sourceOf(fields, status);
  const code = from === "network" ? systemCode(fields) : codesOf(fields);
  return {
    text,
    words: from === "nonsense" ? "" : wordsOf(text),
    ...(status !== undefined && { status }),
    ...(code !== "" && { code }),
    headers: fieldsOf(fields.responseHeaders) as Thrown["headers"],
    from,
  };
}

function codesOf({ code, type }: Fields): string {
  return [code, type].filter((each) => typeof each === "string").join(" ");
}

/** The package says that it could not connect, and puts why into the cause. */
function systemCode(fields: Fields): string {
  return codesOf(fields) || codesOf(fieldsOf(fields.cause));
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

// The body is what the provider said; a package's own message may be cut or dressed up.
function textOf(thrown: unknown, fields: Fields): string {
  const inside = errorWithin(fields);
  if (inside !== undefined) return JSON.stringify(inside);
  for (const text of [fields.responseBody, fields.message, thrown]) {
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return "";
}

// An error in a shape of its own comes as a chunk that fits no schema.
function errorWithin({ name, value }: Fields): unknown {
  return name === "AI_TypeValidationError" ? fieldsOf(value).error : undefined;
}

function sourceOf(fields: Fields, status: number | undefined): Thrown["from"] {
  const { name } = fields;
  if (typeof name === "string" && NOT_ASKED.has(name)) return "nobody";
  if (errorWithin(fields) !== undefined) return "stream";
  if (typeof name === "string" && UNREADABLE.has(name)) return "nonsense";
  // What is wrong with an answer that was no refusal is how it came.
  if (name === "AI_APICallError" && (status === undefined || status < 400)) return "network";
  const type = fieldsOf(fields.responseHeaders)["content-type"];
  if (name === "AI_APICallError" && !(typeof type === "string" && type.includes("event-stream"))) return "answer";
  if (name === "AI_APICallError" || !(fields instanceof Error)) return "stream";
  return isBrokenLine(fields) ? "network" : "program";
}

/** `fetch` says little itself and puts what happened into the cause; the system and undici have codes for it. */
function isBrokenLine(error: Error): boolean {
  const codes = [error, error.cause].map((each) => String(fieldsOf(each).code ?? ""));
  return (
    codes.some((code) => /^(?:E[A-Z]{3,}|UND_ERR_|ERR_SSL|ERR_TLS|CERT_|DEPTH_|SELF_SIGNED|UNABLE_)/.test(code)) ||
    /fetch failed|terminated|network|socket|timed? ?out|aborted/i.test(error.message)
  );
}

const UNREADABLE: ReadonlySet<string> = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
  "AI_EmptyResponseBodyError",
]);

const NOT_ASKED: ReadonlySet<string> = new Set([
  "AI_LoadAPIKeyError",
  "AI_LoadSettingError",
  "AI_InvalidArgumentError",
  "AI_InvalidPromptError",
  "AI_UnsupportedFunctionalityError",
  "AI_NoSuchModelError",
]);

function numberIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export interface FailureParts {
  readonly provider: string;
  /** How large the request is, should its size have to decide. */
  readonly estimate: Pick<Room, "tokens" | "window">;
  readonly now: () => number;
}

export function failureOf(error: unknown, { provider, estimate, now }: FailureParts): ModelFailure {
  const thrown = thrownWords(error);
  const verdict = verdictOf(thrown, { provider, estimate });
  const wait = retryAfter(thrown, now);
  const kind = kindOf(thrown, { verdict, isToWait: wait !== undefined });
  return {
    kind,
    message: sentence(thrown, provider),
    ...((kind === "overflow" || kind === "quota") && verdict.limit !== undefined && { limit: verdict.limit }),
    ...((kind === "busy" || kind === "unreachable") && wait !== undefined && { retryAfterMs: wait }),
    cause: causeOf(thrown),
  };
}

// A status that stands on an error in a stream was made up by the package: the answer itself had come with 200.
function verdictOf({ from, text, status, code }: Thrown, about: Pick<FailureParts, "provider" | "estimate">): Verdict {
  if (from !== "answer" && from !== "stream") return { class: "other" };
  const { tokens, window } = about.estimate;
  const estimate = { tokens: tokens(), window };
  const known = { text, ...(code !== undefined && { code }), provider: about.provider, estimate };
  return classifyRefusal(from === "answer" && status !== undefined ? { ...known, status } : known);
}

function kindOf(
  { from, status, code = "", text }: Thrown,
  { verdict, isToWait }: { readonly verdict: Verdict; readonly isToWait: boolean },
): ModelFailure["kind"] {
  switch (verdict.class) {
    case "overflow":
    case "payload":
      return verdict.class;
    case "ratelimit":
      return isSpent(`${code} ${text.slice(0, 2048)}`, isToWait) ? "refused" : "busy";
    case "tpm_ceiling":
      return "quota";
    case "other":
      if (from === "nobody" || from === "program") return "refused";
      if (from === "network" || from === "nonsense") return "unreachable";
      return byStatus(status, code);
  }
}

// Many limits of a minute send people to the billing page; whoever says when to come again does not mean for good.
function isSpent(text: string, isToWait: boolean): boolean {
  return /insufficient_quota/i.test(text) || (!isToWait && /billing|credit balance/i.test(text));
}

function byStatus(status: number | undefined, code: string): ModelFailure["kind"] {
  if (/overload/i.test(code) || status === 529 || status === 503 || status === 429) return "busy";
  if (status === undefined || status >= 500 || status === 408 || status === 425) return "unreachable";
  return "refused";
}

function sentence({ from, status, words }: Thrown, provider: string): string {
  const said = words === "" ? "" : `: ${words}`;
  switch (from) {
    case "answer":
      return `${provider} answered ${status ?? "with an error"}${said}`;
    case "stream":
      return `${provider} broke off its reply${said}`;
    case "network":
      return status === 200
        ? `the line to ${provider} broke while it spoke`
        : `${provider} could not be reached${said}`;
    case "nonsense":
      return `${provider} sent something that cannot be read`;
    case "nobody":
      return `${provider} was not asked${said}`;
    case "program":
      return `the package of ${provider} failed${said}`;
  }
}

// Enough to find the fault; what the package threw holds the whole request as well.
function causeOf({ status, code, text }: Thrown): ModelFailure["cause"] {
  return { ...(status !== undefined && { status }), ...(code !== undefined && { code }), text: text.slice(0, 2048) };
}
