/** Writes a reply in the format of Chat Completions, as a stream of chunks or as one completion. */

import type { Counted, Stop } from "../../script.ts";
import { replyTokens } from "../../tokens.ts";
import { isObject } from "../json.ts";
import { type Body, chunks, type Said, type SaidPart, type ServerEvent } from "../protocol.ts";

export function* events(said: Said, { stream_options }: Body): Generator<ServerEvent> {
  const tellsUsage = isObject(stream_options) && stream_options.include_usage === true;
  const frame = { ...framed(said, "chat.completion.chunk"), ...(tellsUsage && { usage: null }) };
  for (const delta of deltas(said))
    yield { data: { ...frame, choices: [{ index: 0, delta, logprobs: null, finish_reason: null }] } };
  yield { data: { ...frame, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: stopOf(said) }] } };
  if (tellsUsage && said.usage) yield { data: { ...frame, choices: [], usage: usage(said.usage, said) } };
  yield { data: "[DONE]" };
}

export function whole(said: Said): unknown {
  const calls = callsOf(said).map(({ id, name, json }) => ({
    id,
    type: "function",
    function: { name, arguments: json },
  }));
  const message = {
    role: "assistant",
    content: textOf(said, "text") || null,
    ...(textOf(said, "thinking") !== "" && { reasoning_content: textOf(said, "thinking") }),
    ...(calls.length > 0 && { tool_calls: calls }),
    refusal: null,
  };
  return {
    ...framed(said, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: stopOf(said) }],
    ...(said.usage && { usage: usage(said.usage, said) }),
  };
}

type SaidCall = Extract<SaidPart, { readonly type: "call" }>;

function callsOf({ parts }: Said): readonly SaidCall[] {
  return parts.filter((part) => part.type === "call");
}

/** Redacted thinking has no place on this wire. */
function textOf({ parts }: Said, type: "text" | "thinking"): string {
  return parts.map((part) => (part.type === type && !isRedacted(part) ? part.text : "")).join("");
}

function isRedacted(part: SaidPart): boolean {
  return part.type === "thinking" && part.redacted;
}

function framed({ id, model }: Said, object: string): object {
  return { id: `chatcmpl-${id}`, object, created: 1_700_000_000, model, system_fingerprint: null };
}

function* deltas(said: Said): Generator<object> {
  yield { role: "assistant", content: "" };
  const calls = callsOf(said);
  for (const part of said.parts) {
    if (part.type === "call") yield* callDeltas(part, { index: calls.indexOf(part), size: said.chunk });
    else if (part.type === "text") for (const content of chunks(part.text, said.chunk)) yield { content };
    else if (part.type === "thinking" && !part.redacted)
      for (const reasoning_content of chunks(part.text, said.chunk)) yield { reasoning_content };
  }
}

function* callDeltas(
  { id, name, json }: SaidCall,
  { index, size }: { readonly index: number; readonly size: number },
): Generator<object> {
  yield { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
  for (const each of chunks(json, size)) yield { tool_calls: [{ index, function: { arguments: each } }] };
}

function stopOf({ stop, stopAs }: Said): string {
  return stopAs ?? stops[stop];
}

const stops: Readonly<Record<Stop, string>> = {
  stop: "stop",
  length: "length",
  calls: "tool_calls",
  refusal: "content_filter",
  "context-window": "length",
};

function usage({ input, cacheRead, cacheWrite, output }: Counted, { parts }: Said): object {
  const thought = replyTokens(parts.filter(({ type }) => type === "thinking"));
  const prompt = input + cacheRead + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }) },
    completion_tokens_details: { reasoning_tokens: Math.min(thought, output) },
  };
}
