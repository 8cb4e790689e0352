/** Reads the messages, codes and status of an error body, without the fields in which it echoes the request. */

import { createReadBudget, type LooseValue, parseLooseJson, type ReadBudget } from "./loose-json.ts";
import { createSentence, foldCase, isStatusAt, type Sentence, splitSentences } from "./sentences.ts";

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

export interface ErrorBody {
  readonly sentences: readonly Sentence[];
  readonly codes: readonly string[];
  /** An HTTP status named in the body. */
  readonly status?: number;
  /** Whether the body contains only a status and is not the page of a proxy. */
  readonly isStatusOnly: boolean;
}

/** How much of the body is parsed, and how much of its messages is matched. */
const MAX_READ_CHARS = 65_536;
const MAX_MATCHED_CHARS = 8_192;

const statusOnlyWords = new Set(
  "status code no body bad request payload request content entity too large error http".split(" "),
);

function joinMessages(parts: readonly ErrorPart[]): string {
  let messageText = "";
  for (const each of parts) {
    if (messageText.length >= MAX_MATCHED_CHARS) break;
    if ("text" in each) messageText += `${foldCase(each.text.slice(0, MAX_MATCHED_CHARS)).trim()}. `;
  }
  return messageText.slice(0, MAX_MATCHED_CHARS);
}

/** Some errors repeat their code in the sentence, where it looks like a count: `exceeds limit (2013)`. */
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

/** Yields the parts inside JSON before the text around it: they matter more, and only 8 KB are matched. */
export function* readErrorParts(
  text: string,
  state: ReadState = { depth: 0, budget: createReadBudget() },
): Generator<ErrorPart, void> {
  const quotation = parseWholeQuotation(text.trim(), state.budget);
  if (quotation && state.depth < MAX_DEPTH) {
    yield* readErrorParts(quotation.quoted, nextDepth(state));
    return yield { text: quotation.before };
  }
  let plainText = "";
  let position = 0;
  for (const start of findObjectStarts(text)) {
    if (start < position) continue;
    if (state.budget.values <= 0) break;
    const { value, end } = parseLooseJson(text, start, state.budget);
    if (!isEcho(foldCase(text.slice(Math.max(position, start - 80), start)), value))
      yield* readPartsOfValue(value, nextDepth(state));
    plainText += `${text.slice(position, start)} `;
    position = end;
  }
  yield { text: plainText + text.slice(position) };
}

/** Unchanged text; the caller folds the case. */
export type ErrorPart = { readonly text: string } | { readonly code: string };

interface ReadState {
  readonly depth: number;
  readonly budget: ReadBudget;
}

const MAX_DEPTH = 12;
const MAX_ITEMS = 16;
/** Objects that start later in the text are ignored. */
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
/** Fields whose objects may contain an error. Their texts come from the user's program or a model. */
const resultFields = new Set(["result", "results"]);
const codeFields = new Set(
  "code type status reason error_code error_type errorcode status_code __type name".split(" "),
);
const countFields = new Set(["n_ctx", "n_prompt_tokens"]);

/** JSON after a tool-call phrase was written by a model. JSON after an echo phrase was too, unless it looks like an error. */
const toolCallPhrases = ["tool argument", "tool input", "tool call", "for tool", "function argument", "function call"];
const echoPhrases = [" argument", "received:", "got:"];

/** A brace starts an object only before a key. */
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

function nextDepth({ depth, budget }: ReadState): ReadState {
  return { depth: depth + 1, budget };
}

function isFieldMap(value: LooseValue): value is ReadonlyMap<string, LooseValue> {
  return value instanceof Map;
}

/** `"…"`, `Error: 400 "…"`, `BadRequestError('…')`: the quotation is the whole message. */
function parseWholeQuotation(
  text: string,
  budget: ReadBudget,
): { readonly quoted: string; readonly before: string } | null {
  const start = text.slice(0, 160).search(/["'`]/);
  const before = foldCase(text.slice(0, Math.max(0, start)));
  if (start < 0 || /[\p{L}\p{N}_]$/u.test(before) || !isIntroduction(before)) return null;
  const { value, end } = parseLooseJson(text, start, budget);
  const isWholeText = text.length - end < 8 && /^[\s,.)\]]*$/.test(text.slice(end));
  return isWholeText && typeof value === "string" ? { quoted: value, before } : null;
}

const introductionWords = new Set(
  "status code bad request error http message detail provider upstream api returned".split(" "),
);

function isIntroduction(textBefore: string): boolean {
  const words = textBefore.split(/[^\p{L}\p{N}_.]+/u).filter((word) => word !== "");
  return words.every((word) => introductionWords.has(word) || /^[45]\d\d$|(?:error|exception)\.?$/.test(word));
}
