/** Reads the messages, codes and status of an error body, without the fields in which it echoes the request. */

import { type Allowance, type LooseValue, looseValue, wholeAllowance } from "./loose-json.ts";
import { folded, isStatusAt, type Sentence, sentenceOf, sentencesIn } from "./sentences.ts";

/** As it came: letter case is the reader's affair. */
export type Found = { readonly text: string } | { readonly code: string };

interface Place {
  readonly depth: number;
  readonly allowance: Allowance;
}

const DEEPEST = 12;
const MOST_ITEMS = 16;
/** Objects that begin further back are left alone. */
const FARTHEST = 8_192;

const messages = new Set(
  "message msg error_message errormessage error_msg status_msg error_description title raw".split(" "),
);
const wrappers = new Set(
  [
    "error errors detail details cause data metadata response body",
    "innererror inner_error base_resp external_model_error",
  ].flatMap((names) => names.split(" ")),
);
/** An error may be in it; as a text it is what somebody's program or model wrote. */
const holders = new Set(["result", "results"]);
const codes = new Set("code type status reason error_code error_type errorcode status_code __type name".split(" "));
const counts = new Set(["n_ctx", "n_prompt_tokens"]);

/** JSON behind one of these is what a model sent; behind the others too, unless it has the form of an error. */
const calls = ["tool argument", "tool input", "tool call", "for tool", "function argument", "function call"];
const echoes = [" argument", "received:", "got:"];

/** What stands in JSON comes first: it is said on purpose, and there is room for 8 KB only. */
export function* foundIn(
  text: string,
  place: Place = { depth: 0, allowance: wholeAllowance() },
): Generator<Found, void> {
  const whole = wholeQuotation(text.trim(), place.allowance);
  if (whole && place.depth < DEEPEST) {
    yield* foundIn(whole.quoted, deeper(place));
    return yield { text: whole.before };
  }
  let plain = "";
  let at = 0;
  for (const start of objectStarts(text)) {
    if (start < at) continue;
    if (place.allowance.values <= 0) break;
    const { value, end } = looseValue(text, start, place.allowance);
    if (!isEcho(folded(text.slice(Math.max(at, start - 80), start)), value)) yield* foundInValue(value, deeper(place));
    plain += `${text.slice(at, start)} `;
    at = end;
  }
  yield { text: plain + text.slice(at) };
}

/** A brace begins an object only before a key; in plain text it is just a brace. */
function* objectStarts(text: string): Generator<number, void> {
  for (const { index } of text.slice(0, FARTHEST).matchAll(/\{\s{0,50}["'}]/g)) yield index;
}

function isEcho(before: string, value: LooseValue): boolean {
  if (calls.some((word) => before.includes(word))) return true;
  return echoes.some((word) => before.includes(word)) && !isError(value);
}

function isError(value: LooseValue): boolean {
  return isFields(value) && [...value.keys()].slice(0, MOST_ITEMS).some((key) => /^errors?$/i.test(key));
}

function* foundInValue(value: LooseValue, place: Place): Generator<Found, void> {
  if (place.depth > DEEPEST) return;
  if (typeof value === "string") yield* foundIn(value, place);
  else if (isFields(value)) for (const field of value) yield* foundInField(field, place);
  else for (const each of value.slice(0, MOST_ITEMS)) yield* foundInValue(each, deeper(place));
}

function* foundInField([name, value]: readonly [string, LooseValue], place: Place): Generator<Found, void> {
  const key = folded(name.slice(0, 40));
  const isText = typeof value === "string";
  const isRead = wrappers.has(key) || (isText ? messages.has(key) : holders.has(key));
  if (isRead) yield* foundInValue(value, deeper(place));
  if (codes.has(key) && isText) yield { code: value };
  if (counts.has(key) && isText) yield { text: `${key} ${value}` };
}

function deeper({ depth, allowance }: Place): Place {
  return { depth: depth + 1, allowance };
}

function isFields(value: LooseValue): value is ReadonlyMap<string, LooseValue> {
  return value instanceof Map;
}

const introductions = new Set(
  "status code bad request error http message detail provider upstream api returned".split(" "),
);

/** `"…"`, `Error: 400 "…"`, `BadRequestError('…')`: nothing is said beside the quotation, so it is what is said. */
function wholeQuotation(
  text: string,
  allowance: Allowance,
): { readonly quoted: string; readonly before: string } | null {
  const start = text.slice(0, 160).search(/["'`]/);
  const before = folded(text.slice(0, Math.max(0, start)));
  if (start < 0 || /[\p{L}\p{N}_]$/u.test(before) || !isIntroduction(before)) return null;
  const { value, end } = looseValue(text, start, allowance);
  const isAll = text.length - end < 8 && /^[\s,.)\]]*$/.test(text.slice(end));
  return isAll && typeof value === "string" ? { quoted: value, before } : null;
}

function isIntroduction(before: string): boolean {
  const words = before.split(/[^\p{L}\p{N}_.]+/u).filter((word) => word !== "");
  return words.every((word) => introductions.has(word) || /^[45]\d\d$|(?:error|exception)\.?$/.test(word));
}

export interface Body {
  readonly sentences: readonly Sentence[];
  readonly codes: readonly string[];
  /** An HTTP status that the body names itself. */
  readonly status?: number;
  /** It says nothing but its status, and is no page of a proxy. */
  readonly isBare: boolean;
}

/** How much is looked at for JSON, and how much of what is said in all is then matched. */
const READ = 65_536;
const MATCHED = 8_192;

const bareWords = new Set(
  "status code no body bad request payload request content entity too large error http".split(" "),
);

export function readBody(text: string): Body {
  const found = [...foundIn(text.slice(0, READ))];
  const said = saidIn(found);
  const named = found.flatMap((each) => ("code" in each ? folded(each.code.slice(0, 200)) : []));
  const sentences = withoutCodes(sentencesIn(said), named);
  const status = statusIn(named) ?? statusIn(sentences.slice(0, 4).flatMap(leadingStatuses));
  return {
    sentences,
    codes: named,
    ...(status !== undefined && { status }),
    isBare: !said.includes("<") && isBare(sentences),
  };
}

function saidIn(found: readonly Found[]): string {
  let said = "";
  for (const each of found) {
    if (said.length >= MATCHED) break;
    if ("text" in each) said += `${folded(each.text.slice(0, MATCHED)).trim()}. `;
  }
  return said.slice(0, MATCHED);
}

/** Some repeat their own code in the sentence, where it looks like a count: `exceeds limit (2013)`. */
function withoutCodes(sentences: readonly Sentence[], named: readonly string[]): readonly Sentence[] {
  const numbers = new Set(named.filter((code) => /^\d{4,}$/.test(code)));
  if (numbers.size === 0) return sentences;
  return sentences.map(({ words }) => sentenceOf(words.filter((word) => !numbers.has(word))));
}

function statusIn(words: readonly string[]): number | undefined {
  const status = words.find((word) => /^[45]\d\d$/.test(word));
  return status === undefined ? undefined : Number(status);
}

function leadingStatuses(sentence: Sentence): readonly string[] {
  const words = sentence.words.slice(0, 12);
  return words.filter((_, at) => isStatusAt(words, at));
}

function isBare(sentences: readonly Sentence[]): boolean {
  return sentences.every((sentence) => sentence.words.every((word) => bareWords.has(word) || /^[45]\d\d$/.test(word)));
}
