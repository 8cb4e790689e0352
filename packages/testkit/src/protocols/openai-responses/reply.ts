/** Writes a reply in the format of Responses, as a stream of numbered events or as one response. */

import type { StopReason, TokenUsage } from "../../script.ts";
import { countReplyTokens } from "../../tokens.ts";
import { asArray } from "../json.ts";
import {
  type Body,
  type FinalPart,
  type FinalReply,
  type FinalSearch,
  type ServerEvent,
  splitIntoChunks,
} from "../protocol.ts";
import { sealText } from "../signature.ts";

export function* streamReply(reply: FinalReply, requestBody: Body): Generator<ServerEvent> {
  let number = 0;
  for (const { type, ...data } of streamUnnumbered(reply, requestBody)) {
    yield { event: type, data: { type, sequence_number: number, ...data } };
    number += 1;
  }
}

interface UnnumberedEvent {
  readonly type: string;
  readonly [name: string]: unknown;
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

export interface Item {
  readonly id: string;
  readonly part: FinalPart;
  readonly start: object;
  readonly complete: object;
}

function createItems(reply: FinalReply, requestBody: Body): readonly Item[] {
  const includes = asArray(requestBody.include);
  return reply.parts.map((part, index) =>
    createItem(part, { id: createItemId(reply, index), model: reply.model, includes }),
  );
}

interface ItemOptions {
  readonly id: string;
  readonly model: string;
  /** The `include` list of the request. */
  readonly includes: readonly unknown[];
}

function createItem(part: FinalPart, { id, model, includes }: ItemOptions): Item {
  switch (part.type) {
    case "text": {
      const itemFields = { id, type: "message", role: "assistant" };
      const content = [{ type: "output_text", text: part.text, annotations: [], logprobs: [] }];
      return {
        id,
        part,
        start: { ...itemFields, status: "in_progress", content: [] },
        complete: { ...itemFields, status: "completed", content },
      };
    }
    case "call": {
      const itemFields = { id, type: "function_call", call_id: part.id, name: part.name };
      return {
        id,
        part,
        start: { ...itemFields, status: "in_progress", arguments: "" },
        complete: { ...itemFields, status: "completed", arguments: part.json },
      };
    }
    case "thinking": {
      const encryptedContent = includes.includes("reasoning.encrypted_content")
        ? { encrypted_content: sealText(model, part.text) }
        : {};
      const itemFields = { id, type: "reasoning", ...encryptedContent };
      const summary = part.redacted ? [] : [{ type: "summary_text", text: part.text }];
      return { id, part, start: { ...itemFields, summary: [] }, complete: { ...itemFields, summary } };
    }
    case "search": {
      const itemFields = { id, type: "web_search_call" };
      const sources = includes.includes("web_search_call.action.sources") ? { sources: listSources(part) } : {};
      const action = { type: "search", query: part.query, queries: [part.query], ...sources };
      return {
        id,
        part,
        start: { ...itemFields, status: "in_progress" },
        complete: { ...itemFields, status: part.error === undefined ? "completed" : "failed", action },
      };
    }
  }
}

function listSources({ results }: FinalSearch): readonly object[] {
  return results.map(({ url }) => ({ type: "url", url }));
}

/** `fc_r<reply><index><index of its reasoning>`, or `fc_<reply><index>` without reasoning; `rs_x…` for reasoning without a following item. The checks need no other state. */
function createItemId({ id, parts }: FinalReply, position: number): string {
  const part = parts[position];
  const nextType = parts[position + 1]?.type ?? "thinking";
  if (part?.type === "thinking") return `rs_${nextType === "thinking" ? "x" : ""}${id}${toHexDigits(position)}`;
  const reasoningIndex = parts.findLastIndex(({ type }, index) => type === "thinking" && index < position);
  const prefix = part?.type === "call" ? "fc" : part?.type === "search" ? "ws" : "msg";
  return reasoningIndex < 0
    ? `${prefix}_${id}${toHexDigits(position)}`
    : `${prefix}_r${id}${toHexDigits(position)}${toHexDigits(reasoningIndex)}`;
}

function toHexDigits(index: number): string {
  return index.toString(16).padStart(3, "0");
}

interface ItemPosition {
  /** The index of the item in the output. */
  readonly outputIndex: number;
  readonly chunkSize: number;
}

function* streamItem(item: Item, { outputIndex, chunkSize }: ItemPosition): Generator<UnnumberedEvent> {
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

const SEARCH_EVENTS: readonly UnnumberedEvent[] = ["in_progress", "searching", "completed"].map((status) => ({
  type: `response.web_search_call.${status}`,
}));

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

/** Why a response is incomplete; null if it is complete. */
const INCOMPLETE_REASONS: Readonly<Record<StopReason, string | null>> = {
  stop: null,
  calls: null,
  length: "max_output_tokens",
  refusal: "content_filter",
  "context-window": "max_output_tokens",
};

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

export function formatReply(reply: FinalReply, requestBody: Body): unknown {
  return endReply(reply, requestBody).response;
}

/** The id of the reasoning item that an item requires, or null. */
export function findRequiredReasoningId(id: unknown): string | null {
  const [, reply, reasoning] = /^(?:fc|msg|ws)_r([0-9a-f]{24})[0-9a-f]{3}([0-9a-f]{3})$/.exec(String(id)) ?? [];
  return reply === undefined ? null : `rs_${reply}${reasoning}`;
}

/** Whether another item followed this reasoning item directly. */
export function hasFollowingItem(id: unknown): boolean {
  return /^rs_[0-9a-f]{27}$/.test(String(id));
}
