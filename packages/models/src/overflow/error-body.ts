/** Reads the messages, codes and status of an error body, without the fields in which it echoes the request. */

import { createReadBudget, type LooseValue, parseLooseJson, type ReadBudget } from "./loose-json.ts";
import { createSentence, foldCase, isStatusAt, type Sentence, splitSentences } from "./sentences.ts";

/** As it came: letter case is the reader's affair. */
export type ErrorPart = { readonly text: string } | { readonly code: string };

interface ReadState {
  readonly depth: number;
  readonly allowance: ReadBudget;
}

const MAX_DEPTH = 12;
const MAX_ITEMS = 16;
/** Objects that begin further back are left alone. */
const MAX_OBJECT_OFFSET = 8_192;

const messageFields = new Set(
  "message msg error_message errormessage error_msg status_msg error_description title raw".split(" "),
);
const wrapperFields = new Set(
  [
    "error errors detail details cause data metadata response body",
    "innererror inner_error base_resp external_model_error",
  ].flatMap((names) => names.split(" ")),
);
/** An error may be in it; as a text it is what somebody's program or model wrote. */
const resultFields = new Set(["result", "results"]);
const codeFields = new Set(
  "code type status reason error_code error_type errorcode status_code __type name".split(" "),
);
const countFields = new Set(["n_ctx", "n_prompt_tokens"]);

/** JSON behind one of these is what a model sent; behind the others too, unless it has the form of an error. */
const toolCallPhrases = ["tool argument", "tool input", "tool call", "for tool", "function argument", "function call"];
const echoPhrases = [" argument", "received:", "got:"];

/** What stands in JSON comes first: it is said on purpose, and there is room for 8 KB only. */
export function* readErrorParts(
  text: string,
  state: ReadState = { depth: 0, allowance: createReadBudget() },
): Generator<ErrorPart, void> {
  const quotation = parseWholeQuotation(text.trim(), state.allowance);
  if (quotation && state.depth < MAX_DEPTH) {
    yield* readErrorParts(quotation.quoted, nextDepth(state));
    return yield { text: quotation.before };
  }
  let plainText = "";
  let position = 0;
  for (const start of findObjectStarts(text)) {
    if (start < position) continue;
    if (state.allowance.values <= 0) break;
    const { value, end } = parseLooseJson(text, start, state.allowance);
    if (!isEcho(foldCase(text.slice(Math.max(position, start - 80), start)), value))
      yield* readPartsOfValue(value, nextDepth(state));
    plainText += `${text.slice(position, start)} `;
    position = end;
  }
  yield { text: plainText + text.slice(position) };
}

/** A brace begins an object only before a key; in plain text it is just a brace. */
function* findObjectStarts(text: string): Generator<number, void> {
  for (const { index } of text.slice(0, MAX_OBJECT_OFFSET).matchAll(/\{\s{0,50}["'}]/g)) yield index;
}

function isEcho(textBefore: string, value: LooseValue): boolean {
  if (toolCallPhrases.some((word) => textBefore.includes(word))) return true;
  return echoPhrases.some((word) => textBefore.includes(word)) && !hasErrorField(value);
}

function hasErrorField(value: LooseValue): boolean {
  return isFieldMap(value) && [...value.keys()].slice(0, MAX_ITEMS).some((key) => /^errors?$/i.test(key));
}

function* readPartsOfValue(value: LooseValue, state: ReadState): Generator<ErrorPart, void> {
  if (state.depth > MAX_DEPTH) return;
  if (typeof value === "string") yield* readErrorParts(value, state);
  else if (isFieldMap(value)) for (const field of value) yield* readPartsOfField(field, state);
  else for (const each of value.slice(0, MAX_ITEMS)) yield* readPartsOfValue(each, nextDepth(state));
}

function* readPartsOfField([name, value]: readonly [string, LooseValue], state: ReadState): Generator<ErrorPart, void> {
  const key = foldCase(name.slice(0, 40));
  const isText = typeof value === "string";
  const shouldRead = wrapperFields.has(key) || (isText ? messageFields.has(key) : resultFields.has(key));
  if (shouldRead) yield* readPartsOfValue(value, nextDepth(state));
  if (codeFields.has(key) && isText) yield { code: value };
  if (countFields.has(key) && isText) yield { text: `${key} ${value}` };
}

function nextDepth({ depth, allowance }: ReadState): ReadState {
  return { depth: depth + 1, allowance };
}

function isFieldMap(value: LooseValue): value is ReadonlyMap<string, LooseValue> {
  return value instanceof Map;
}

const introductionWords = new Set(
  "status code bad request error http message detail provider upstream api returned".split(" "),
);

/** `"…"`, `Error: 400 "…"`, `BadRequestError('…')`: nothing is said beside the quotation, so it is what is said. */
function parseWholeQuotation(
  text: string,
  allowance: ReadBudget,
): { readonly quoted: string; readonly before: string } | null {
  const start = text.slice(0, 160).search(/["'`]/);
  const before = foldCase(text.slice(0, Math.max(0, start)));
  if (start < 0 || /[\p{L}\p{N}_]$/u.test(before) || !isIntroduction(before)) return null;
  const { value, end } = parseLooseJson(text, start, allowance);
  const isWholeText = text.length - end < 8 && /^[\s,.)\]]*$/.test(text.slice(end));
  return isWholeText && typeof value === "string" ? { quoted: value, before } : null;
}

function isIntroduction(textBefore: string): boolean {
  const words = textBefore.split(/[^\p{L}\p{N}_.]+/u).filter((word) => word !== "");
  return words.every((word) => introductionWords.has(word) || /^[45]\d\d$|(?:error|exception)\.?$/.test(word));
}

export interface ErrorBody {
  readonly sentences: readonly Sentence[];
  readonly codes: readonly string[];
  /** An HTTP status that the body names itself. */
  readonly status?: number;
  /** It says nothing but its status, and is no page of a proxy. */
  readonly isStatusOnly: boolean;
}

/** How much is looked at for JSON, and how much of what is said in all is then matched. */
const MAX_READ_CHARS = 65_536;
const MAX_MATCHED_CHARS = 8_192;

const statusOnlyWords = new Set(
  "status code no body bad request payload request content entity too large error http".split(" "),
);

export function parseErrorBody(text: string): ErrorBody {
  const parts = [...readErrorParts(text.slice(0, MAX_READ_CHARS))];
  const messageText = joinMessages(parts);
  const errorCodes = parts.flatMap((each) => ("code" in each ? foldCase(each.code.slice(0, 200)) : []));
  const sentences = removeCodes(splitSentences(messageText), errorCodes);
  const status = findStatus(errorCodes) ?? findStatus(sentences.slice(0, 4).flatMap(findLeadingStatuses));
  return {
    sentences,
    codes: errorCodes,
    ...(status !== undefined && { status }),
    isStatusOnly: !messageText.includes("<") && isStatusOnly(sentences),
  };
}

function joinMessages(parts: readonly ErrorPart[]): string {
  let messageText = "";
  for (const each of parts) {
    if (messageText.length >= MAX_MATCHED_CHARS) break;
    if ("text" in each) messageText += `${foldCase(each.text.slice(0, MAX_MATCHED_CHARS)).trim()}. `;
  }
  return messageText.slice(0, MAX_MATCHED_CHARS);
}

/** Some repeat their own code in the sentence, where it looks like a count: `exceeds limit (2013)`. */
function removeCodes(sentences: readonly Sentence[], errorCodes: readonly string[]): readonly Sentence[] {
  const numbers = new Set(errorCodes.filter((code) => /^\d{4,}$/.test(code)));
  if (numbers.size === 0) return sentences;
  return sentences.map(({ words }) => createSentence(words.filter((word) => !numbers.has(word))));
}

function findStatus(words: readonly string[]): number | undefined {
  const status = words.find((word) => /^[45]\d\d$/.test(word));
  return status === undefined ? undefined : Number(status);
}

function findLeadingStatuses(sentence: Sentence): readonly string[] {
  const words = sentence.words.slice(0, 12);
  return words.filter((_, at) => isStatusAt(words, at));
}

function isStatusOnly(sentences: readonly Sentence[]): boolean {
  return sentences.every((sentence) =>
    sentence.words.every((word) => statusOnlyWords.has(word) || /^[45]\d\d$/.test(word)),
  );
}
