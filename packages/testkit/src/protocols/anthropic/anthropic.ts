/** Implements Anthropic Messages, as the API documents it and five programs were seen to use it. */

import { asArray, asObjects, asString, hasLoneSurrogate, isObject, type Json } from "../json.ts";
import type { Body, Prompt, PromptBlock, Protocol, ProtocolRequest, Refusal } from "../protocol.ts";
import { checkBlocks, checkMessageFields } from "./block-checks.ts";
import { checkConversation } from "./conversation-checks.ts";
import { formatReply, streamReply } from "./reply.ts";
import { checkSettings } from "./settings-checks.ts";

/** In the order of Anthropic's cache: tools, system, messages. */
export function readPrompt(body: Body): Prompt {
  const promptBlocks = [
    ...asArray(body.tools).map((tool) => createPromptBlock("tools", tool)),
    ...asBlocks(body.system).map((block) => createPromptBlock("system", block)),
    ...asObjects(body.messages).flatMap(({ role, content }) =>
      asBlocks(content).map((block) => createPromptBlock("messages", block, String(role))),
    ),
  ];
  return {
    pieces: isObject(body.cache_control) ? applyRequestMark(promptBlocks, body.cache_control) : promptBlocks,
    settings: JSON.stringify([body.thinking ?? null, body.tool_choice ?? null]),
  };
}

/** A mark on the request itself stands on its last block that can bear one, unless that has its own. */
function applyRequestMark(promptBlocks: readonly MarkableBlock[], mark: Json): readonly PromptBlock[] {
  const last = promptBlocks.findLastIndex(({ isMarkable }) => isMarkable);
  return promptBlocks.map((each, index) =>
    index === last ? { ...each, keptFor: each.keptFor ?? markSeconds(mark) } : each,
  );
}

interface MarkableBlock extends PromptBlock {
  /** Whether a mark may stand on it. */
  readonly isMarkable: boolean;
}

/** A plain string is one text block. */
function asBlocks(content: unknown): readonly unknown[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : asArray(content);
}

function createPromptBlock(level: PromptBlock["level"], block: unknown, prefix = ""): MarkableBlock {
  const mark = isObject(block) ? findCacheMark(block) : undefined;
  return {
    level,
    text: prefix + JSON.stringify(block, dropCacheMark),
    keptFor: isObject(mark) ? markSeconds(mark) : null,
    ...(isObject(block) && RUN_TYPES.includes(String(block.type)) && { runKey: String(block.type) }),
    isMarkable: isObject(block) && block.type !== "thinking" && block.type !== "redacted_thinking",
  };
}

const RUN_TYPES = ["tool_use", "tool_result"];

/** Its own, or the last one inside a result: the block counts as a whole. */
function findCacheMark({ cache_control, content }: Json): unknown {
  return cache_control ?? asObjects(content).findLast((inner) => isObject(inner.cache_control))?.cache_control;
}

// A mark moves from request to request; the bytes it stands on stay the same.
function dropCacheMark(name: string, value: unknown): unknown {
  return name === "cache_control" ? undefined : value;
}

function markSeconds({ ttl }: Json): number {
  return ttl === "1h" ? 3600 : 300;
}

/** The first fault, in the API's own words where they are known. */
export function checkRequest(request: ProtocolRequest): Refusal | null {
  const { headers, body, bytes } = request;
  if (!headers["x-api-key"] && !headers.authorization)
    return createRefusal(401, "authentication_error", "x-api-key header is required");
  if (bytes > MAX_BYTES) return createRefusal(413, "request_too_large", "Request exceeds the maximum size");
  if (!headers["anthropic-version"])
    return createRefusal(400, "invalid_request_error", "anthropic-version: header is required");
  if (hasLoneSurrogate(body))
    return createRefusal(
      400,
      "invalid_request_error",
      "The request body is not valid JSON: no low surrogate in string",
    );
  for (const message of checkBody(body)) return createRefusal(400, "invalid_request_error", message);
  return null;
}

const MAX_BYTES = 32 * 1024 * 1024;

function* checkBody(body: ProtocolRequest["body"]): Generator<string> {
  yield* checkSettings(body);
  yield* checkMessageFields(body);
  yield* checkBlocks(body);
  yield* checkConversation(body);
}

function createRefusal(status: number, type: string, message: string): Refusal {
  return { status, type, message };
}

export const anthropic: Protocol = {
  name: "anthropic-messages",
  matchesPath: (path) => path.endsWith("/v1/messages"),
  readRequest,
  checkRequest,
  readPrompt,
  streamReply,
  formatReply,
  cacheRules: (model) => ({ cachedBy: "marks", minTokens: minCachedTokens(model), stepTokens: 1, ttlSeconds: 300 }),
  overflowError: ({ tokens, window }) => ({
    type: "invalid_request_error",
    message: `prompt is too long: ${tokens} tokens > ${window} maximum`,
  }),
  errorBody: ({ type, message }, status) => ({ type: "error", error: { type: type ?? errorTypeOf(status), message } }),
  errorEvent: ({ type = "api_error", message }) => ({
    event: "error",
    data: { type: "error", error: { type, message } },
  }),
};

/** Tokens below which a mark keeps nothing. */
function minCachedTokens(model: string): number {
  if (/opus-4[-.][56](?!\d)|haiku-4[-.]5(?!\d)/.test(model)) return 4096;
  return /claude-3.*haiku/.test(model) ? 2048 : 1024;
}

function errorTypeOf(status: number): string {
  return ERROR_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function readRequest({ body }: ProtocolRequest): ReturnType<Protocol["readRequest"]> {
  const lastMessage = asArray(body.messages).at(-1);
  const lastBlocks = isObject(lastMessage) && lastMessage.role === "user" ? asObjects(lastMessage.content) : [];
  return {
    model: asString(body.model),
    isStreaming: body.stream === true,
    tools: asObjects(body.tools).map(({ name }) => asString(name)),
    text: listUserTexts(body).at(-1) ?? "",
    resultCount: lastBlocks.filter(({ type }) => type === "tool_result").length,
  };
}

function listUserTexts({ messages }: Body): readonly string[] {
  return asObjects(messages)
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => (typeof content === "string" ? [content] : asObjects(content).map(({ text }) => text)))
    .filter((text) => typeof text === "string");
}
