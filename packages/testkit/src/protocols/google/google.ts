/** Implements Google generateContent: the path names the model, and the last piece of a stream ends the reply. */

import type { ProviderError } from "../../script.ts";
import { hasLoneSurrogate, isObject, type Json, listOf, objectsIn, textOf } from "../json.ts";
import { longestPrefixes, type Refusal, type ServerEvent, type Wire, type WireRequest } from "../protocol.ts";
import { conversationFaults, searchFaults } from "./conversation-checks.ts";
import { fieldFaults } from "./field-checks.ts";
import { partFaults, signatureFaults } from "./part-checks.ts";
import { events, whole } from "./reply.ts";
import { addressed, inOneSpelling, prompt } from "./request.ts";
import { settingFaults, toolFaults } from "./settings-checks.ts";

export function errorBody({ type, message }: ProviderError, status: number): object {
  return { error: { code: status, message, status: isWord(type) ? type : wordOf(status) } };
}

export function errorEvent({ type, message }: ProviderError): ServerEvent {
  const status = isWord(type) ? type : "UNAVAILABLE";
  const code = Object.keys(WORDS).find((each) => WORDS[Number(each)] === status) ?? 500;
  return { data: { error: { code: Number(code), message, status } } };
}

const WORDS: Readonly<Record<number, string>> = {
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

function wordOf(status: number): string {
  return WORDS[status] ?? "UNKNOWN";
}

/** A script may be written for another protocol: its words are not Google's. */
function isWord(type: string | undefined): type is string {
  return type !== undefined && /^[A-Z_]+$/.test(type);
}

/** The first fault, in the API's own words where they are known. */
export function refusal(request: WireRequest): Refusal | null {
  const { headers, query, path, body, bytes } = request;
  if (!headers["x-goog-api-key"] && !headers.authorization && !query.get("key")) return nobody;
  if (bytes > MOST_BYTES) return invalid(`Request payload size exceeds the limit: ${MOST_BYTES} bytes.`);
  if (hasLoneSurrogate(body)) return invalid("Invalid JSON payload received. Missing low surrogate.");
  for (const message of faults(body, addressed(path)?.model ?? "")) return invalid(message);
  return null;
}

const MOST_BYTES = 20 * 1024 * 1024;

const nobody: Refusal = {
  status: 403,
  type: "PERMISSION_DENIED",
  message:
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
};

function* faults(body: WireRequest["body"], model: string): Generator<string> {
  yield* fieldFaults(body);
  yield* settingFaults(body);
  yield* toolFaults(body);
  yield* partFaults(body);
  yield* conversationFaults(body, model);
  yield* searchFaults(body, model);
  yield* signatureFaults(body, model);
}

function invalid(message: string): Refusal {
  return { status: 400, type: "INVALID_ARGUMENT", message };
}

export const google: Wire = {
  name: "google-generative-ai",
  owns: (path) => addressed(path) !== null,
  read,
  inOneSpelling,
  refusal,
  prompt,
  events,
  whole,
  cache: () => longestPrefixes,
  tooLong: ({ tokens, window }) => ({
    type: "INVALID_ARGUMENT",
    message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
  }),
  errorBody,
  errorEvent,
};

function read({ path, body }: WireRequest): ReturnType<Wire["read"]> {
  const { model, streams } = addressed(path) ?? { model: "", streams: false };
  const newest = listOf(body.contents).at(-1);
  const last = isObject(newest) && newest.role !== "model" ? objectsIn(newest.parts) : [];
  return {
    model,
    streams,
    tools: objectsIn(body.tools).flatMap(toolNames),
    text: newestWords(body),
    results: last.filter(({ functionResponse }) => isObject(functionResponse)).length,
  };
}

function toolNames({ functionDeclarations, googleSearch }: Json): readonly string[] {
  const declared = objectsIn(functionDeclarations).map(({ name }) => textOf(name));
  return isObject(googleSearch) ? ["google_search", ...declared] : declared;
}

function newestWords(body: WireRequest["body"]): string {
  const parts = objectsIn(body.contents).flatMap(({ role, parts }) => (role === "model" ? [] : objectsIn(parts)));
  return textOf(parts.findLast(({ text }) => typeof text === "string")?.text);
}
