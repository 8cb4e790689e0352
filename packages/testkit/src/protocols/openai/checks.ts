/** Checks that both OpenAI protocols share: keys, sizes, functions, call ids, arguments and images. */

import { hasLoneSurrogate, imageFault, isObject, type Json, webImages } from "../json.ts";
import type { WireRequest } from "../protocol.ts";
import { type Fault, missing, tooLong, tooShort, unlike, wrongKind, wrongValue } from "./errors.ts";

export function* gateFaults({ headers, body, bytes }: WireRequest): Generator<Fault> {
  if (!/^Bearer \S/.test(String(headers.authorization ?? ""))) yield noKey;
  if (bytes > MOST_BYTES) yield tooLarge;
  if (hasLoneSurrogate(body)) yield notJson;
  yield* lengthFaults(body, "");
}

const MOST_BYTES = 50 * 1024 * 1024;
const MOST_CHARACTERS = 10_485_760;

const noKey: Fault = {
  status: 401,
  code: "invalid_api_key",
  message:
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.",
};

const tooLarge: Fault = {
  status: 413,
  message: `Request body too large: the maximum size is ${MOST_BYTES} bytes.`,
};

const notJson: Fault = {
  message:
    "We could not parse the JSON body of your request: it holds half of a surrogate pair. The API expects a JSON payload, but what was sent was not valid JSON.",
};

/** Images have a limit of their own. */
function* lengthFaults(value: unknown, name: string): Generator<Fault> {
  if (typeof value === "string") {
    if (value.length > MOST_CHARACTERS && !/^data:[\w/+.-]+;base64,/.test(value))
      yield tooLong(name, { most: MOST_CHARACTERS, length: value.length });
    return;
  }
  if (Array.isArray(value)) for (const [at, each] of value.entries()) yield* lengthFaults(each, `${name}[${at}]`);
  else if (isObject(value))
    for (const [key, each] of Object.entries(value)) yield* lengthFaults(each, name === "" ? key : `${name}.${key}`);
}

/** The first value that stood in the list before. */
export function twin<Each>(list: readonly Each[]): Each | undefined {
  const seen = new Set<Each>();
  return list.find((each) => {
    if (seen.has(each)) return true;
    seen.add(each);
    return false;
  });
}

export function* functionFaults({ name, parameters }: Json, at: string): Generator<Fault> {
  yield* nameFaults(name, `${at}.name`);
  if (parameters === undefined || parameters === null) return;
  if (!isObject(parameters)) yield wrongKind(`${at}.parameters`, "an object", parameters);
  else if (Object.keys(parameters).length > 0 && parameters.type !== "object")
    yield {
      message: `Invalid schema for function '${String(name)}': schema must be a JSON Schema of 'type: "object"', got 'type: "${String(parameters.type)}"'.`,
      code: "invalid_function_parameters",
    };
}

export function* nameFaults(name: unknown, at: string): Generator<Fault> {
  if (name === undefined) yield missing(at);
  else if (typeof name !== "string") yield wrongKind(at, "a string", name);
  else if (name.length > MOST_NAME_CHARACTERS) yield tooLong(at, { most: MOST_NAME_CHARACTERS, length: name.length });
  else if (!/^[a-zA-Z0-9_-]+$/.test(name)) yield unlike(at, "^[a-zA-Z0-9_-]+$");
}

const MOST_NAME_CHARACTERS = 64;

export function* twinFaults(names: readonly unknown[]): Generator<Fault> {
  const name = twin(names.filter((each) => each !== undefined));
  if (name !== undefined) yield { message: `Tool names must be unique: '${String(name)}' is declared twice.` };
}

export function* choiceFaults(choice: unknown, names: readonly unknown[]): Generator<Fault> {
  if (choice === undefined || choice === null) return;
  if (typeof choice === "string") {
    if (!choices.includes(choice)) yield wrongValue("tool_choice", choice, choices);
  } else if (!isObject(choice)) yield wrongKind("tool_choice", "one of a string or an object", choice);
  else if (choice.type === "function") yield* forcedFaults(choice, names);
}

const choices = ["none", "auto", "required"];

/** Responses names the function beside the type, Chat Completions one level deeper. */
function* forcedFaults(choice: Json, names: readonly unknown[]): Generator<Fault> {
  const forced = isObject(choice.function) ? choice.function.name : choice.name;
  if (typeof forced !== "string") yield missing("tool_choice.name");
  else if (!names.includes(forced)) yield { message: `Tool choice '${forced}' not found in 'tools' parameter.` };
}

export interface IdRule {
  readonly at: string;
  readonly most: number;
  /** The letters it may have, as a pattern. */
  readonly pattern?: string;
}

export function* callIdFaults(id: unknown, { at, most, pattern = "^[a-zA-Z0-9_-]+$" }: IdRule): Generator<Fault> {
  if (id === undefined) yield missing(at);
  else if (typeof id !== "string") yield wrongKind(at, "a string", id);
  else if (id === "") yield tooShort(at, "string");
  else if (id.length > most) yield tooLong(at, { most, length: id.length });
  else if (!new RegExp(pattern).test(id)) yield unlike(at, pattern);
}

export function* argumentFaults(json: unknown, at: string): Generator<Fault> {
  yield* argumentKindFaults(json, at);
  if (typeof json === "string" && !isJson(json))
    yield { message: `Invalid '${at}': expected a string of valid JSON.`, code: "invalid_value" };
}

/** Where any text will do, JSON or not. */
export function* argumentKindFaults(json: unknown, at: string): Generator<Fault> {
  if (json === undefined) yield missing(at);
  else if (typeof json !== "string") yield wrongKind(at, "a string", json);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Not JSON is the answer, not a failure.
    return false;
  }
}

const details = ["low", "high", "auto", "original"];

export function* detailFaults(detail: unknown, at: string): Generator<Fault> {
  if (detail !== undefined && detail !== null && !details.includes(String(detail)))
    yield wrongValue(at, detail, details);
}

/** What lies behind an address is not looked at. */
export function* imageUrlFaults(url: unknown, at: string): Generator<Fault> {
  if (typeof url !== "string") return yield wrongKind(at, "a string", url);
  if (/^https?:\/\//.test(url)) return;
  const [, mediaType, data] = /^data:([^;,]*);base64,([\s\S]*)$/.exec(url) ?? [];
  if (mediaType === undefined) return yield imageUrlFault(at, "a value that is no data URL");
  if (!webImages.includes(mediaType)) yield imageUrlFault(at, `unsupported MIME type '${mediaType}'`);
  else if (imageFault(mediaType, data, webImages)) yield imageUrlFault(at, "data that is not base64");
}

function imageUrlFault(at: string, got: string): Fault {
  return {
    message: `Invalid '${at}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got ${got}.`,
    code: "invalid_value",
  };
}
