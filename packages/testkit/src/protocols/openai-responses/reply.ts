/** Writes a reply in the format of Responses, as a stream of numbered events or as one response. */

import type { Counted, Stop } from "../../script.ts";
import { replyTokens } from "../../tokens.ts";
import { type Body, chunks, type Said, type ServerEvent } from "../protocol.ts";
import { type Item, items } from "./items.ts";

export interface Unnumbered {
  readonly type: string;
  readonly [name: string]: unknown;
}

export interface Placed {
  /** Its place in the output. */
  readonly at: number;
  readonly chunk: number;
}

export function* itemEvents(item: Item, { at, chunk }: Placed): Generator<Unnumbered> {
  yield { type: "response.output_item.added", output_index: at, item: item.begun };
  const place = { item_id: item.id, output_index: at };
  for (const { type, ...data } of filling(item, chunk)) yield { type, ...place, ...data };
  yield { type: "response.output_item.done", output_index: at, item: item.finished };
}

function filling({ part }: Item, chunk: number): Iterable<Unnumbered> {
  switch (part.type) {
    case "text":
      return textEvents(part.text, chunk);
    case "call":
      return argumentEvents(part.json, chunk);
    case "thinking":
      return part.redacted ? [] : summaryEvents(part.text, chunk);
    case "search":
      return SEARCH_EVENTS;
  }
}

const SEARCH_EVENTS: readonly Unnumbered[] = ["in_progress", "searching", "completed"].map((stage) => ({
  type: `response.web_search_call.${stage}`,
}));

function* textEvents(text: string, chunk: number): Generator<Unnumbered> {
  const place = { content_index: 0 };
  const part = { type: "output_text", annotations: [], logprobs: [] };
  yield { type: "response.content_part.added", ...place, part: { ...part, text: "" } };
  for (const delta of chunks(text, chunk)) yield { type: "response.output_text.delta", ...place, delta, logprobs: [] };
  yield { type: "response.output_text.done", ...place, text, logprobs: [] };
  yield { type: "response.content_part.done", ...place, part: { ...part, text } };
}

function* argumentEvents(json: string, chunk: number): Generator<Unnumbered> {
  for (const delta of chunks(json, chunk)) yield { type: "response.function_call_arguments.delta", delta };
  yield { type: "response.function_call_arguments.done", arguments: json };
}

function* summaryEvents(text: string, chunk: number): Generator<Unnumbered> {
  const place = { summary_index: 0 };
  yield { type: "response.reasoning_summary_part.added", ...place, part: { type: "summary_text", text: "" } };
  for (const delta of chunks(text, chunk)) yield { type: "response.reasoning_summary_text.delta", ...place, delta };
  yield { type: "response.reasoning_summary_text.done", ...place, text };
  yield { type: "response.reasoning_summary_part.done", ...place, part: { type: "summary_text", text } };
}

export function* events(said: Said, asked: Body): Generator<ServerEvent> {
  let number = 0;
  for (const { type, ...data } of unnumbered(said, asked)) {
    yield { event: type, data: { type, sequence_number: number, ...data } };
    number += 1;
  }
}

export function whole(said: Said, asked: Body): unknown {
  return ended(said, asked).response;
}

function* unnumbered(said: Said, asked: Body): Generator<Unnumbered> {
  const response = { ...frame(said, asked), status: "in_progress", output: [], usage: null };
  yield { type: "response.created", response };
  yield { type: "response.in_progress", response };
  for (const [at, item] of items(said, asked).entries()) yield* itemEvents(item, { at, chunk: said.chunk });
  const { status, response: last } = ended(said, asked);
  yield { type: `response.${status}`, response: last };
}

function ended(said: Said, asked: Body): { readonly status: string; readonly response: object } {
  const reason = said.stopAs ?? reasons[said.stop];
  const status = reason === null ? "completed" : "incomplete";
  const output = items(said, asked).map(({ finished }) => finished);
  const response = {
    ...frame(said, asked),
    status,
    incomplete_details: reason === null ? null : { reason },
    output,
    usage: said.usage && usage(said.usage, said),
  };
  return { status, response };
}

/** Why a response is incomplete; null where it is whole. */
const reasons: Readonly<Record<Stop, string | null>> = {
  stop: null,
  calls: null,
  length: "max_output_tokens",
  refusal: "content_filter",
  "context-window": "max_output_tokens",
};

function frame({ id, model }: Said, { store }: Body): object {
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

function usage({ input, cacheRead, cacheWrite, output }: Counted, { parts }: Said): object {
  const thought = replyTokens(parts.filter(({ type }) => type === "thinking"));
  const prompt = input + cacheRead + cacheWrite;
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: Math.min(thought, output) },
    total_tokens: prompt + output,
  };
}
