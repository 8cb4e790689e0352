/** A reply in Anthropic's spelling: as a stream of events, or as one message. */

import type { Counted, Stop } from "../../script.ts";
import { sealed } from "../signature.ts";
import { chunks, type Said, type SaidPart, type ServerEvent } from "../wire.ts";

export function* events(said: Said): Generator<ServerEvent> {
  const opening = {
    ...frame(said),
    content: [],
    stop_reason: null,
    usage: spelled({ ...nothing, ...said.usage, output: 1 }),
  };
  yield event("message_start", { message: opening });
  yield event("ping", {});
  for (const [index, part] of said.parts.entries()) yield* blockEvents(part, index, said);
  const delta = { stop_reason: stopOf(said), stop_sequence: null };
  yield event("message_delta", { delta, usage: spelled(said.usage ?? nothing) });
  yield event("message_stop", {});
}

export function whole(said: Said): unknown {
  const content = said.parts.map((part) => finished(part, said.model));
  return { ...frame(said), content, stop_reason: stopOf(said), usage: spelled(said.usage ?? nothing) };
}

const nothing: Counted = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

function frame({ id, model }: Said): object {
  return { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null };
}

function event(type: string, data: object): ServerEvent {
  return { event: type, data: { type, ...data } };
}

function* blockEvents(part: SaidPart, index: number, said: Said): Generator<ServerEvent> {
  yield event("content_block_start", { index, content_block: begun(part, said.model) });
  for (const delta of deltas(part, said.chunk)) yield event("content_block_delta", { index, delta });
  yield event("content_block_stop", { index });
}

function begun(part: SaidPart, model: string): object {
  if (part.type === "text") return { type: "text", text: "" };
  if (part.type === "call") return { type: "tool_use", id: part.id, name: part.name, input: {} };
  return part.redacted ? finished(part, model) : { type: "thinking", thinking: "", signature: "" };
}

function deltas(part: SaidPart, size: number): readonly object[] {
  switch (part.type) {
    case "text":
      return chunks(part.text, size).map((text) => ({ type: "text_delta", text }));
    case "call":
      return chunks(part.json, size).map((partial_json) => ({ type: "input_json_delta", partial_json }));
    case "thinking":
      if (part.redacted) return [];
      return [
        ...chunks(part.text, size).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: part.signature },
      ];
  }
}

function finished(part: SaidPart, model: string): object {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "call":
      return { type: "tool_use", id: part.id, name: part.name, input: JSON.parse(part.json) };
    case "thinking":
      if (part.redacted) return { type: "redacted_thinking", data: sealed(model, part.text) };
      return { type: "thinking", thinking: part.text, signature: part.signature };
  }
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
