/** A reply in Anthropic's spelling: as a stream of events, or as one message. */

import type { Counted, Stop } from "../../script.ts";
import type { Said, ServerEvent } from "../wire.ts";
import { saidBlocks } from "./said-blocks.ts";
import { searchUsage } from "./search.ts";
import type { SpelledBlock } from "./spelled-block.ts";

export function* events(said: Said): Generator<ServerEvent> {
  const opening = {
    ...frame(said),
    content: [],
    stop_reason: null,
    usage: spelled({ ...nothing, ...said.usage, output: 1 }),
  };
  yield event("message_start", { message: opening });
  yield event("ping", {});
  for (const [index, block] of saidBlocks(said).entries()) yield* blockEvents(block, index);
  const delta = { stop_reason: stopOf(said), stop_sequence: null };
  yield event("message_delta", { delta, usage: { ...spelled(said.usage ?? nothing), ...searchUsage(said.parts) } });
  yield event("message_stop", {});
}

export function whole(said: Said): unknown {
  const content = saidBlocks(said).map(({ finished }) => finished);
  const usage = { ...spelled(said.usage ?? nothing), ...searchUsage(said.parts) };
  return { ...frame(said), content, stop_reason: stopOf(said), usage };
}

const nothing: Counted = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

function frame({ id, model }: Said): object {
  return { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null };
}

function event(type: string, data: object): ServerEvent {
  return { event: type, data: { type, ...data } };
}

function* blockEvents({ begun, deltas }: SpelledBlock, index: number): Generator<ServerEvent> {
  yield event("content_block_start", { index, content_block: begun });
  for (const delta of deltas) yield event("content_block_delta", { index, delta });
  yield event("content_block_stop", { index });
}

function stopOf({ stop, stopAs }: Said): string {
  return stopAs ?? stops[stop];
}

const stops: Readonly<Record<Stop, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  calls: "tool_use",
  refusal: "refusal",
  "context-window": "model_context_window_exceeded",
};

function spelled({ input, cacheRead, cacheWrite, output }: Counted): object {
  return {
    input_tokens: input,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
  };
}
