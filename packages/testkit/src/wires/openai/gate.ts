/** What OpenAI refuses before it reads what a request says: no key, too many bytes, broken or endless text. */

import { hasLoneSurrogate, isObject } from "../shape.ts";
import type { WireRequest } from "../wire.ts";
import { type Fault, tooLong } from "./fault.ts";

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
