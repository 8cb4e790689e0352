/** Writes a reply in the format of Chat Completions, as a stream of chunks or as one completion. */

import type { StopReason, TokenUsage } from "../../script.ts";
import { countReplyTokens } from "../../tokens.ts";
import { isObject } from "../json.ts";
import { type Body, type FinalPart, type FinalReply, type ServerEvent, splitIntoChunks } from "../protocol.ts";

export function* streamReply(reply: FinalReply, { stream_options }: Body): Generator<ServerEvent> {
  const includesUsage = isObject(stream_options) && stream_options.include_usage === true;
  const chunkFields = { ...responseFields(reply, "chat.completion.chunk"), ...(includesUsage && { usage: null }) };
  for (const delta of streamDeltas(reply))
    yield { data: { ...chunkFields, choices: [{ index: 0, delta, logprobs: null, finish_reason: null }] } };
  yield {
    data: { ...chunkFields, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: finishReasonOf(reply) }] },
  };
  if (includesUsage && reply.usage)
    yield { data: { ...chunkFields, choices: [], usage: formatUsage(reply.usage, reply) } };
  yield { data: "[DONE]" };
}

function responseFields({ id, model }: FinalReply, object: string): object {
  return { id: `chatcmpl-${id}`, object, created: 1_700_000_000, model, system_fingerprint: null };
}

function* streamDeltas(reply: FinalReply): Generator<object> {
  yield { role: "assistant", content: "" };
  const calls = listCalls(reply);
  for (const part of reply.parts) {
    if (part.type === "call") yield* streamCallDeltas(part, { index: calls.indexOf(part), size: reply.chunkSize });
    else if (part.type === "text") for (const content of splitIntoChunks(part.text, reply.chunkSize)) yield { content };
    else if (part.type === "thinking" && !part.redacted)
      for (const reasoning_content of splitIntoChunks(part.text, reply.chunkSize)) yield { reasoning_content };
  }
}

type FinalCall = Extract<FinalPart, { readonly type: "call" }>;

function listCalls({ parts }: FinalReply): readonly FinalCall[] {
  return parts.filter((part) => part.type === "call");
}

function* streamCallDeltas(
  { id, name, json }: FinalCall,
  { index, size }: { readonly index: number; readonly size: number },
): Generator<object> {
  yield { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
  for (const each of splitIntoChunks(json, size)) yield { tool_calls: [{ index, function: { arguments: each } }] };
}

function finishReasonOf({ stop, stopAs }: FinalReply): string {
  return stopAs ?? FINISH_REASONS[stop];
}

const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  stop: "stop",
  length: "length",
  calls: "tool_calls",
  refusal: "content_filter",
  "context-window": "length",
};

function formatUsage({ input, cacheRead, cacheWrite, output }: TokenUsage, { parts }: FinalReply): object {
  const thinkingTokens = countReplyTokens(parts.filter(({ type }) => type === "thinking"));
  const promptTokens = input + cacheRead + cacheWrite;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: output,
    total_tokens: promptTokens + output,
    prompt_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }) },
    completion_tokens_details: { reasoning_tokens: Math.min(thinkingTokens, output) },
  };
}

export function formatReply(reply: FinalReply): unknown {
  const toolCalls = listCalls(reply).map(({ id, name, json }) => ({
    id,
    type: "function",
    function: { name, arguments: json },
  }));
  const message = {
    role: "assistant",
    content: joinText(reply, "text") || null,
    ...(joinText(reply, "thinking") !== "" && { reasoning_content: joinText(reply, "thinking") }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    refusal: null,
  };
  return {
    ...responseFields(reply, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(reply) }],
    ...(reply.usage && { usage: formatUsage(reply.usage, reply) }),
  };
}

/** Chat Completions has no field for redacted thinking. */
function joinText({ parts }: FinalReply, type: "text" | "thinking"): string {
  return parts.map((part) => (part.type === type && !isRedacted(part) ? part.text : "")).join("");
}

function isRedacted(part: FinalPart): boolean {
  return part.type === "thinking" && part.redacted;
}
