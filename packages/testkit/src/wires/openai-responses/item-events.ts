/** One item of a reply as OpenAI Responses streams it: it is added, filled in deltas, and done. */

import { chunks } from "../wire.ts";
import type { Item } from "./items.ts";

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
