/** The checks that both OpenAI protocols share: API key, sizes, functions, call ids, arguments and images. */

import { checkImage, hasLoneSurrogate, isObject, type Json, WEB_IMAGE_TYPES } from "./json.ts";
import {
  emptyValue,
  type Fault,
  invalidType,
  invalidValue,
  missingParameter,
  patternMismatch,
  stringTooLong,
} from "./openai-errors.ts";
import type { ProtocolRequest } from "./protocol.ts";

export function* checkKeyAndSize({ headers, body, bytes }: ProtocolRequest): Generator<Fault> {
  if (!/^Bearer \S/.test(String(headers.authorization ?? ""))) yield NO_KEY;
  if (bytes > MAX_BYTES) yield TOO_LARGE;
  if (hasLoneSurrogate(body)) yield NOT_JSON;
  yield* checkStringLengths(body, "");
}

const MAX_BYTES = 50 * 1024 * 1024;
const MAX_CHARACTERS = 10_485_760;

const NO_KEY: Fault = {
  status: 401,
  code: "invalid_api_key",
  message:
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.",
};

const TOO_LARGE: Fault = {
  status: 413,
  message: `Request body too large: the maximum size is ${MAX_BYTES} bytes.`,
};

const NOT_JSON: Fault = {
  message:
    "We could not parse the JSON body of your request: it holds half of a surrogate pair. The API expects a JSON payload, but what was sent was not valid JSON.",
};

/** Data URLs are not checked here: images have a separate limit. */
function* checkStringLengths(value: unknown, path: string): Generator<Fault> {
  if (typeof value === "string") {
    if (value.length > MAX_CHARACTERS && !/^data:[\w/+.-]+;base64,/.test(value))
      yield stringTooLong(path, { maxLength: MAX_CHARACTERS, length: value.length });
    return;
  }
  if (Array.isArray(value))
    for (const [index, each] of value.entries()) yield* checkStringLengths(each, `${path}[${index}]`);
  else if (isObject(value))
    for (const [key, each] of Object.entries(value))
      yield* checkStringLengths(each, path === "" ? key : `${path}.${key}`);
}

/** Finds the first value that occurs earlier in the list. */
export function findDuplicate<Each>(list: readonly Each[]): Each | undefined {
  const seenValues = new Set<Each>();
  return list.find((each) => {
    if (seenValues.has(each)) return true;
    seenValues.add(each);
    return false;
  });
}

export function* checkFunction({ name, parameters }: Json, path: string): Generator<Fault> {
  yield* checkName(name, `${path}.name`);
  if (parameters === undefined || parameters === null) return;
  if (!isObject(parameters)) yield invalidType(`${path}.parameters`, "an object", parameters);
  else if (Object.keys(parameters).length > 0 && parameters.type !== "object")
    yield {
      message: `Invalid schema for function '${String(name)}': schema must be a JSON Schema of 'type: "object"', got 'type: "${String(parameters.type)}"'.`,
      code: "invalid_function_parameters",
    };
}

export function* checkName(name: unknown, path: string): Generator<Fault> {
  if (name === undefined) yield missingParameter(path);
  else if (typeof name !== "string") yield invalidType(path, "a string", name);
  else if (name.length > MAX_NAME_CHARACTERS)
    yield stringTooLong(path, { maxLength: MAX_NAME_CHARACTERS, length: name.length });
  else if (!/^[a-zA-Z0-9_-]+$/.test(name)) yield patternMismatch(path, "^[a-zA-Z0-9_-]+$");
}

const MAX_NAME_CHARACTERS = 64;

export function* checkDuplicateNames(names: readonly unknown[]): Generator<Fault> {
  const duplicate = findDuplicate(names.filter((each) => each !== undefined));
  if (duplicate !== undefined)
    yield { message: `Tool names must be unique: '${String(duplicate)}' is declared twice.` };
}

export function* checkToolChoice(choice: unknown, names: readonly unknown[]): Generator<Fault> {
  if (choice === undefined || choice === null) return;
  if (typeof choice === "string") {
    if (!TOOL_CHOICES.includes(choice)) yield invalidValue("tool_choice", choice, TOOL_CHOICES);
  } else if (!isObject(choice)) yield invalidType("tool_choice", "one of a string or an object", choice);
  else if (choice.type === "function") yield* checkForcedTool(choice, names);
}

const TOOL_CHOICES = ["none", "auto", "required"];

/** Responses has the function's name beside `type`, Chat Completions one level deeper. */
function* checkForcedTool(choice: Json, names: readonly unknown[]): Generator<Fault> {
  const forcedName = isObject(choice.function) ? choice.function.name : choice.name;
  if (typeof forcedName !== "string") yield missingParameter("tool_choice.name");
  else if (!names.includes(forcedName))
    yield { message: `Tool choice '${forcedName}' not found in 'tools' parameter.` };
}

export interface IdRule {
  readonly path: string;
  readonly maxLength: number;
  /** A regular expression that the id must match. */
  readonly pattern?: string;
}

export function* checkCallId(id: unknown, { path, maxLength, pattern = "^[a-zA-Z0-9_-]+$" }: IdRule): Generator<Fault> {
  if (id === undefined) yield missingParameter(path);
  else if (typeof id !== "string") yield invalidType(path, "a string", id);
  else if (id === "") yield emptyValue(path, "string");
  else if (id.length > maxLength) yield stringTooLong(path, { maxLength, length: id.length });
  else if (!new RegExp(pattern).test(id)) yield patternMismatch(path, pattern);
}

export function* checkArguments(json: unknown, path: string): Generator<Fault> {
  yield* checkArgumentsType(json, path);
  if (typeof json === "string" && !isJson(json))
    yield { message: `Invalid '${path}': expected a string of valid JSON.`, code: "invalid_value" };
}

/** Accepts any string, JSON or not. */
export function* checkArgumentsType(json: unknown, path: string): Generator<Fault> {
  if (json === undefined) yield missingParameter(path);
  else if (typeof json !== "string") yield invalidType(path, "a string", json);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Invalid JSON is an expected result.
    return false;
  }
}

const IMAGE_DETAILS = ["low", "high", "auto", "original"];

export function* checkImageDetail(detail: unknown, path: string): Generator<Fault> {
  if (detail !== undefined && detail !== null && !IMAGE_DETAILS.includes(String(detail)))
    yield invalidValue(path, detail, IMAGE_DETAILS);
}

/** Accepts http(s) URLs without fetching them. */
export function* checkImageUrl(url: unknown, path: string): Generator<Fault> {
  if (typeof url !== "string") return yield invalidType(path, "a string", url);
  if (/^https?:\/\//.test(url)) return;
  const [, mediaType, data] = /^data:([^;,]*);base64,([\s\S]*)$/.exec(url) ?? [];
  if (mediaType === undefined) return yield invalidImageUrl(path, "a value that is no data URL");
  if (!WEB_IMAGE_TYPES.includes(mediaType)) yield invalidImageUrl(path, `unsupported MIME type '${mediaType}'`);
  else if (checkImage(mediaType, data, WEB_IMAGE_TYPES)) yield invalidImageUrl(path, "data that is not base64");
}

function invalidImageUrl(path: string, actual: string): Fault {
  return {
    message: `Invalid '${path}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got ${actual}.`,
    code: "invalid_value",
  };
}
