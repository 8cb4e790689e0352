/** Implements Google generateContent: the path names the model, and the last piece of a stream ends the reply. */

import type { ProviderError } from "../../script.ts";
import { asArray, asObjects, asString, hasLoneSurrogate, isObject, type Json } from "../json.ts";
import {
  PREFIX_CACHE_RULES,
  type Protocol,
  type ProtocolRequest,
  type Refusal,
  type ServerEvent,
} from "../protocol.ts";
import { checkConversation, checkSearches } from "./conversation-checks.ts";
import { checkFields } from "./field-checks.ts";
import { checkContents, checkSignatures } from "./part-checks.ts";
import { formatReply, streamReply } from "./reply.ts";
import { normalizeBody, parseAddress, readPrompt } from "./request.ts";
import { checkSettings, checkTools } from "./settings-checks.ts";

export function errorBody({ type, message }: ProviderError, status: number): object {
  return { error: { code: status, message, status: isStatusCode(type) ? type : statusCodeOf(status) } };
}

export function errorEvent({ type, message }: ProviderError): ServerEvent {
  const status = isStatusCode(type) ? type : "UNAVAILABLE";
  const code = Object.keys(STATUS_CODES).find((each) => STATUS_CODES[Number(each)] === status) ?? 500;
  return { data: { error: { code: Number(code), message, status } } };
}

const STATUS_CODES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function statusCodeOf(status: number): string {
  return STATUS_CODES[status] ?? "UNKNOWN";
}

/** A script may be written for another protocol: its words are not Google's. */
function isStatusCode(type: string | undefined): type is string {
  return type !== undefined && /^[A-Z_]+$/.test(type);
}

/** The first fault, in the API's own words where they are known. */
export function checkRequest(request: ProtocolRequest): Refusal | null {
  const { headers, query, path, body, bytes } = request;
  if (!headers["x-goog-api-key"] && !headers.authorization && !query.get("key")) return NO_KEY;
  if (bytes > MAX_BYTES) return invalidArgument(`Request payload size exceeds the limit: ${MAX_BYTES} bytes.`);
  if (hasLoneSurrogate(body)) return invalidArgument("Invalid JSON payload received. Missing low surrogate.");
  for (const message of checkBody(body, parseAddress(path)?.model ?? "")) return invalidArgument(message);
  return null;
}

const MAX_BYTES = 20 * 1024 * 1024;

const NO_KEY: Refusal = {
  status: 403,
  type: "PERMISSION_DENIED",
  message:
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
};

function* checkBody(body: ProtocolRequest["body"], model: string): Generator<string> {
  yield* checkFields(body);
  yield* checkSettings(body);
  yield* checkTools(body);
  yield* checkContents(body);
  yield* checkConversation(body, model);
  yield* checkSearches(body, model);
  yield* checkSignatures(body, model);
}

function invalidArgument(message: string): Refusal {
  return { status: 400, type: "INVALID_ARGUMENT", message };
}

export const google: Protocol = {
  name: "google-generative-ai",
  matchesPath: (path) => parseAddress(path) !== null,
  readRequest,
  normalizeBody,
  checkRequest,
  readPrompt,
  streamReply,
  formatReply,
  cacheRules: () => PREFIX_CACHE_RULES,
  overflowError: ({ tokens, window }) => ({
    type: "INVALID_ARGUMENT",
    message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
  }),
  errorBody,
  errorEvent,
};

function readRequest({ path, body }: ProtocolRequest): ReturnType<Protocol["readRequest"]> {
  const { model, isStreaming } = parseAddress(path) ?? { model: "", isStreaming: false };
  const lastContent = asArray(body.contents).at(-1);
  const lastParts = isObject(lastContent) && lastContent.role !== "model" ? asObjects(lastContent.parts) : [];
  return {
    model,
    isStreaming,
    tools: asObjects(body.tools).flatMap(toolNames),
    text: lastUserText(body),
    resultCount: lastParts.filter(({ functionResponse }) => isObject(functionResponse)).length,
  };
}

function toolNames({ functionDeclarations, googleSearch }: Json): readonly string[] {
  const declaredNames = asObjects(functionDeclarations).map(({ name }) => asString(name));
  return isObject(googleSearch) ? ["google_search", ...declaredNames] : declaredNames;
}

function lastUserText(body: ProtocolRequest["body"]): string {
  const parts = asObjects(body.contents).flatMap(({ role, parts }) => (role === "model" ? [] : asObjects(parts)));
  return asString(parts.findLast(({ text }) => typeof text === "string")?.text);
}
