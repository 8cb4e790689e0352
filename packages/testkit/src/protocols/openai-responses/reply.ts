/** Writes a reply in the format of Responses, as a stream of numbered events or as one response. */

import type { StopReason, TokenUsage } from "../../script.ts";
import { countReplyTokens } from "../../tokens.ts";
import { type Body, type FinalReply, type ServerEvent, splitIntoChunks } from "../protocol.ts";
import { createItems, type Item } from "./items.ts";

export interface UnnumberedEvent {
  readonly type: string;
  readonly [name: string]: unknown;
}

export interface ItemPosition {
  /** Its place in the output. */
  readonly outputIndex: number;
  readonly chunkSize: number;
}

export function* streamItem(item: Item, { outputIndex, chunkSize }: ItemPosition): Generator<UnnumberedEvent> {
  yield { type: "response.output_item.added", output_index: outputIndex, item: item.start };
  const itemFields = { item_id: item.id, output_index: outputIndex };
  for (const { type, ...data } of streamItemContent(item, chunkSize)) yield { type, ...itemFields, ...data };
  yield { type: "response.output_item.done", output_index: outputIndex, item: item.complete };
}

function streamItemContent({ part }: Item, chunkSize: number): Iterable<UnnumberedEvent> {
  switch (part.type) {
    case "text":
      return streamText(part.text, chunkSize);
    case "call":
      return streamArguments(part.json, chunkSize);
    case "thinking":
      return part.redacted ? [] : streamSummary(part.text, chunkSize);
    case "search":
      return SEARCH_EVENTS;
  }
}

const SEARCH_EVENTS: readonly UnnumberedEvent[] = ["in_progress", "searching", "completed"].map((stage) => ({
  type: `response.web_search_call.${stage}`,
}));

function* streamText(text: string, chunkSize: number): Generator<UnnumberedEvent> {
  const position = { content_index: 0 };
  const part = { type: "output_text", annotations: [], logprobs: [] };
  yield { type: "response.content_part.added", ...position, part: { ...part, text: "" } };
  for (const delta of splitIntoChunks(text, chunkSize))
    yield { type: "response.output_text.delta", ...position, delta, logprobs: [] };
  yield { type: "response.output_text.done", ...position, text, logprobs: [] };
  yield { type: "response.content_part.done", ...position, part: { ...part, text } };
}

function* streamArguments(json: string, chunkSize: number): Generator<UnnumberedEvent> {
  for (const delta of splitIntoChunks(json, chunkSize)) yield { type: "response.function_call_arguments.delta", delta };
  yield { type: "response.function_call_arguments.done", arguments: json };
}

function* streamSummary(text: string, chunkSize: number): Generator<UnnumberedEvent> {
  const position = { summary_index: 0 };
  yield { type: "response.reasoning_summary_part.added", ...position, part: { type: "summary_text", text: "" } };
  for (const delta of splitIntoChunks(text, chunkSize))
    yield { type: "response.reasoning_summary_text.delta", ...position, delta };
  yield { type: "response.reasoning_summary_text.done", ...position, text };
  yield { type: "response.reasoning_summary_part.done", ...position, part: { type: "summary_text", text } };
}

export function* streamReply(reply: FinalReply, requestBody: Body): Generator<ServerEvent> {
  let number = 0;
  for (const { type, ...data } of streamUnnumbered(reply, requestBody)) {
    yield { event: type, data: { type, sequence_number: number, ...data } };
    number += 1;
  }
}

export function formatReply(reply: FinalReply, requestBody: Body): unknown {
  return endReply(reply, requestBody).response;
}

function* streamUnnumbered(reply: FinalReply, requestBody: Body): Generator<UnnumberedEvent> {
  const response = { ...responseFields(reply, requestBody), status: "in_progress", output: [], usage: null };
  yield { type: "response.created", response };
  yield { type: "response.in_progress", response };
  for (const [index, item] of createItems(reply, requestBody).entries())
    yield* streamItem(item, { outputIndex: index, chunkSize: reply.chunkSize });
  const { status, response: finalResponse } = endReply(reply, requestBody);
  yield { type: `response.${status}`, response: finalResponse };
}

function endReply(reply: FinalReply, requestBody: Body): { readonly status: string; readonly response: object } {
  const reason = reply.stopAs ?? INCOMPLETE_REASONS[reply.stop];
  const status = reason === null ? "completed" : "incomplete";
  const output = createItems(reply, requestBody).map(({ complete }) => complete);
  const response = {
    ...responseFields(reply, requestBody),
    status,
    incomplete_details: reason === null ? null : { reason },
    output,
    usage: reply.usage && formatUsage(reply.usage, reply),
  };
  return { status, response };
}

/** Why a response is incomplete; null where it is whole. */
const INCOMPLETE_REASONS: Readonly<Record<StopReason, string | null>> = {
  stop: null,
  calls: null,
  length: "max_output_tokens",
  refusal: "content_filter",
  "context-window": "max_output_tokens",
};

function responseFields({ id, model }: FinalReply, { store }: Body): object {
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 1_700_000_000,
    model,
    error: null,
    incomplete_details: null,
    store: store !== false,
  };
}

function formatUsage({ input, cacheRead, cacheWrite, output }: TokenUsage, { parts }: FinalReply): object {
  const thinkingTokens = countReplyTokens(parts.filter(({ type }) => type === "thinking"));
  const promptTokens = input + cacheRead + cacheWrite;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: Math.min(thinkingTokens, output) },
    total_tokens: promptTokens + output,
  };
}
