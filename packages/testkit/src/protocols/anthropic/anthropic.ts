/** Implements Anthropic Messages, following the API's documentation and the requests of five client programs. */

import { asArray, asObjects, asString, isObject, type Json } from "../json.ts";
import type { Body, Prompt, PromptBlock, Protocol, ProtocolRequest } from "../protocol.ts";
import { checkRequest } from "./checks.ts";
import { formatReply, streamReply } from "./reply.ts";

const RUN_TYPES = ["tool_use", "tool_result"];

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

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

/** Reads the prompt in the order of Anthropic's cache: tools, system, messages. */
function readPrompt(body: Body): Prompt {
  const promptBlocks = [
    ...asArray(body.tools).map((tool) => createPromptBlock("tools", tool)),
    ...asBlocks(body.system).map((block) => createPromptBlock("system", block)),
    ...asObjects(body.messages).flatMap(({ role, content }) =>
      asBlocks(content).map((block) => createPromptBlock("messages", block, String(role))),
    ),
  ];
  return {
    blocks: isObject(body.cache_control) ? applyRequestMark(promptBlocks, body.cache_control) : promptBlocks,
    settings: JSON.stringify([body.thinking ?? null, body.tool_choice ?? null]),
  };
}

interface MarkableBlock extends PromptBlock {
  /** Whether the block accepts a cache mark. */
  readonly isMarkable: boolean;
}

function createPromptBlock(level: PromptBlock["level"], block: unknown, prefix = ""): MarkableBlock {
  const mark = isObject(block) ? findCacheMark(block) : undefined;
  return {
    level,
    text: prefix + JSON.stringify(block, dropCacheMark),
    ttlSeconds: isObject(mark) ? markSeconds(mark) : null,
    ...(isObject(block) && RUN_TYPES.includes(String(block.type)) && { runKey: String(block.type) }),
    isMarkable: isObject(block) && block.type !== "thinking" && block.type !== "redacted_thinking",
  };
}

/** Finds the mark of a block or the last mark inside a tool result, which marks the whole block. */
function findCacheMark({ cache_control, content }: Json): unknown {
  return cache_control ?? asObjects(content).findLast((inner) => isObject(inner.cache_control))?.cache_control;
}

// Marks move between requests and must not change the hash of a block.
function dropCacheMark(name: string, value: unknown): unknown {
  return name === "cache_control" ? undefined : value;
}

function markSeconds({ ttl }: Json): number {
  return ttl === "1h" ? 3600 : 300;
}

function asBlocks(content: unknown): readonly unknown[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : asArray(content);
}

/** Applies a mark of the request itself to the last block that accepts one, unless that block has its own mark. */
function applyRequestMark(promptBlocks: readonly MarkableBlock[], mark: Json): readonly PromptBlock[] {
  const last = promptBlocks.findLastIndex(({ isMarkable }) => isMarkable);
  return promptBlocks.map((each, index) =>
    index === last ? { ...each, ttlSeconds: each.ttlSeconds ?? markSeconds(mark) } : each,
  );
}

/** Prompts below this number of tokens are not cached. */
function minCachedTokens(model: string): number {
  if (/opus-4[-.][56](?!\d)|haiku-4[-.]5(?!\d)/.test(model)) return 4096;
  return /claude-3.*haiku/.test(model) ? 2048 : 1024;
}

function errorTypeOf(status: number): string {
  return ERROR_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}
