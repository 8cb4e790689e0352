/** What a provider or its package threw, as a few plain fields: anything can be thrown, and most of it says too much. */

import { wordsOf } from "./words-of.ts";

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
