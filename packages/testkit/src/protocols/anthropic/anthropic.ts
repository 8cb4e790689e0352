/** Implements Anthropic Messages, as the API documents it and five programs were seen to use it. */

import { hasLoneSurrogate, isObject, type Json, listOf, objectsIn, textOf } from "../json.ts";
import type { Body, Piece, Prompt, Refusal, Wire, WireRequest } from "../protocol.ts";
import { blockFaults, fieldFaults } from "./block-checks.ts";
import { conversationFaults } from "./conversation-checks.ts";
import { events, whole } from "./reply.ts";
import { settingFaults } from "./settings-checks.ts";

/** In the order of Anthropic's cache: tools, system, messages. */
export function prompt(body: Body): Prompt {
  const pieces = [
    ...listOf(body.tools).map((tool) => piece("tools", tool)),
    ...blocks(body.system).map((block) => piece("system", block)),
    ...objectsIn(body.messages).flatMap(({ role, content }) =>
      blocks(content).map((block) => piece("messages", block, String(role))),
    ),
  ];
  return {
    pieces: isObject(body.cache_control) ? markedByItself(pieces, body.cache_control) : pieces,
    settings: JSON.stringify([body.thinking ?? null, body.tool_choice ?? null]),
  };
}

/** A mark on the request itself stands on its last block that can bear one, unless that has its own. */
function markedByItself(pieces: readonly Bearing[], mark: Json): readonly Piece[] {
  const last = pieces.findLastIndex(({ bears }) => bears);
  return pieces.map((each, at) => (at === last ? { ...each, keptFor: each.keptFor ?? secondsOf(mark) } : each));
}

interface Bearing extends Piece {
  /** Whether a mark may stand on it. */
  readonly bears: boolean;
}

/** A plain string is one text block. */
function blocks(content: unknown): readonly unknown[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
}

function piece(level: Piece["level"], block: unknown, lead = ""): Bearing {
  const mark = isObject(block) ? markOf(block) : undefined;
  return {
    level,
    text: lead + JSON.stringify(block, unmarked),
    keptFor: isObject(mark) ? secondsOf(mark) : null,
    ...(isObject(block) && RUNS.includes(String(block.type)) && { run: String(block.type) }),
    bears: isObject(block) && block.type !== "thinking" && block.type !== "redacted_thinking",
  };
}

const RUNS = ["tool_use", "tool_result"];

/** Its own, or the last one inside a result: the block counts as a whole. */
function markOf({ cache_control, content }: Json): unknown {
  return cache_control ?? objectsIn(content).findLast((inner) => isObject(inner.cache_control))?.cache_control;
}

// A mark moves from request to request; the bytes it stands on stay the same.
function unmarked(name: string, value: unknown): unknown {
  return name === "cache_control" ? undefined : value;
}

function secondsOf({ ttl }: Json): number {
  return ttl === "1h" ? 3600 : 300;
}

/** The first fault, in the API's own words where they are known. */
export function refusal(request: WireRequest): Refusal | null {
  const { headers, body, bytes } = request;
  if (!headers["x-api-key"] && !headers.authorization)
    return refused(401, "authentication_error", "x-api-key header is required");
  if (bytes > MOST_BYTES) return refused(413, "request_too_large", "Request exceeds the maximum size");
  if (!headers["anthropic-version"])
    return refused(400, "invalid_request_error", "anthropic-version: header is required");
  if (hasLoneSurrogate(body))
    return refused(400, "invalid_request_error", "The request body is not valid JSON: no low surrogate in string");
  for (const message of faults(body)) return refused(400, "invalid_request_error", message);
  return null;
}

const MOST_BYTES = 32 * 1024 * 1024;

function* faults(body: WireRequest["body"]): Generator<string> {
  yield* settingFaults(body);
  yield* fieldFaults(body);
  yield* blockFaults(body);
  yield* conversationFaults(body);
}

function refused(status: number, type: string, message: string): Refusal {
  return { status, type, message };
}

export const anthropic: Wire = {
  name: "anthropic-messages",
  owns: (path) => path.endsWith("/v1/messages"),
  read,
  refusal,
  prompt,
  events,
  whole,
  cache: (model) => ({ keeps: "marks", least: leastOf(model), step: 1, seconds: 300 }),
  tooLong: ({ tokens, window }) => ({
    type: "invalid_request_error",
    message: `prompt is too long: ${tokens} tokens > ${window} maximum`,
  }),
  errorBody: ({ type, message }, status) => ({ type: "error", error: { type: type ?? typeOf(status), message } }),
  errorEvent: ({ type = "api_error", message }) => ({
    event: "error",
    data: { type: "error", error: { type, message } },
  }),
};

/** Tokens below which a mark keeps nothing. */
function leastOf(model: string): number {
  if (/opus-4[-.][56](?!\d)|haiku-4[-.]5(?!\d)/.test(model)) return 4096;
  return /claude-3.*haiku/.test(model) ? 2048 : 1024;
}

function typeOf(status: number): string {
  return types[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function read({ body }: WireRequest): ReturnType<Wire["read"]> {
  const newest = listOf(body.messages).at(-1);
  const last = isObject(newest) && newest.role === "user" ? objectsIn(newest.content) : [];
  return {
    model: textOf(body.model),
    streams: body.stream === true,
    tools: objectsIn(body.tools).map(({ name }) => textOf(name)),
    text: userTexts(body).at(-1) ?? "",
    results: last.filter(({ type }) => type === "tool_result").length,
  };
}

function userTexts({ messages }: Body): readonly string[] {
  return objectsIn(messages)
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => (typeof content === "string" ? [content] : objectsIn(content).map(({ text }) => text)))
    .filter((text) => typeof text === "string");
}
