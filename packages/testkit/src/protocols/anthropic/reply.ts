/** Writes a reply in Anthropic's format, as a stream of events or as one message. */

import type { Counted, SearchResult, Stop } from "../../script.ts";
import { chunks, type Said, type SaidPart, type SaidSearch, type ServerEvent } from "../protocol.ts";
import { sealed } from "../signature.ts";

export interface SpelledBlock {
  readonly begun: object;
  readonly deltas: readonly object[];
  readonly finished: object;
}

/** A block that comes in one piece. */
export function inOnePiece(block: object): SpelledBlock {
  return { begun: block, deltas: [], finished: block };
}

/** A call: its input comes as the text of its JSON. */
export function calling(
  frame: object,
  { json, chunk }: { readonly json: string; readonly chunk: number },
): SpelledBlock {
  return {
    begun: { ...frame, input: {} },
    deltas: chunks(json, chunk).map((partial_json) => ({ type: "input_json_delta", partial_json })),
    finished: { ...frame, input: JSON.parse(json) },
  };
}

export const OWN_SEARCH = "web_search";

export function searchBlocks(search: SaidSearch, chunk: number): readonly SpelledBlock[] {
  const id = `srvtoolu_${search.id}`;
  const json = JSON.stringify({ query: search.query });
  return [
    calling({ type: "server_tool_use", id, name: OWN_SEARCH }, { json, chunk }),
    inOnePiece({ type: "web_search_tool_result", tool_use_id: id, content: contentOf(search) }),
  ];
}

function contentOf({ results, error }: SaidSearch): unknown {
  if (error !== undefined) return { type: "web_search_tool_result_error", error_code: error };
  return results.map(({ title, url }) => ({
    type: "web_search_result",
    url,
    title,
    encrypted_content: encryptedPage({ title, url }),
    page_age: null,
  }));
}

/** What only the provider can read of a page; it belongs to this page and no other. */
export function encryptedPage({ title, url }: SearchResult): string {
  return sealed(OWN_SEARCH, `${title ?? ""}\n${url}`);
}

/** Searches have a price of their own. */
export function searchUsage(parts: readonly SaidPart[]): object {
  const searches = parts.filter(({ type }) => type === "search").length;
  return searches === 0 ? {} : { server_tool_use: { web_search_requests: searches } };
}

export function saidBlocks(said: Said): readonly SpelledBlock[] {
  return said.parts.flatMap((part) => blocksOf(part, said));
}

function blocksOf(part: SaidPart, { model, chunk }: Said): readonly SpelledBlock[] {
  switch (part.type) {
    case "text":
      return [spoken(part.text, chunk)];
    case "call":
      return [calling({ type: "tool_use", id: part.id, name: part.name }, { json: part.json, chunk })];
    case "thinking":
      return [part.redacted ? hidden(part.text, model) : thought(part, chunk)];
    case "search":
      return searchBlocks(part, chunk);
  }
}

function spoken(text: string, chunk: number): SpelledBlock {
  return {
    begun: { type: "text", text: "" },
    deltas: chunks(text, chunk).map((piece) => ({ type: "text_delta", text: piece })),
    finished: { type: "text", text },
  };
}

function hidden(text: string, model: string): SpelledBlock {
  return inOnePiece({ type: "redacted_thinking", data: sealed(model, text) });
}

function thought({ text, signature }: Extract<SaidPart, { readonly type: "thinking" }>, chunk: number): SpelledBlock {
  return {
    begun: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...chunks(text, chunk).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature },
    ],
    finished: { type: "thinking", thinking: text, signature },
  };
}

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
