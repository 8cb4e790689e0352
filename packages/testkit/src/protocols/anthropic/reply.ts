/** Writes a reply in Anthropic's format, as a stream of events or as one message. */

import type { SearchResult, StopReason, TokenUsage } from "../../script.ts";
import { type FinalPart, type FinalReply, type FinalSearch, type ServerEvent, splitIntoChunks } from "../protocol.ts";
import { sealText } from "../signature.ts";

export function* streamReply(reply: FinalReply): Generator<ServerEvent> {
  const startMessage = {
    ...messageFields(reply),
    content: [],
    stop_reason: null,
    usage: formatUsage({ ...NO_USAGE, ...reply.usage, output: 1 }),
  };
  yield createEvent("message_start", { message: startMessage });
  yield createEvent("ping", {});
  for (const [index, block] of replyBlocks(reply).entries()) yield* blockEvents(block, index);
  const delta = { stop_reason: stopReasonOf(reply), stop_sequence: null };
  yield createEvent("message_delta", {
    delta,
    usage: { ...formatUsage(reply.usage ?? NO_USAGE), ...countSearches(reply.parts) },
  });
  yield createEvent("message_stop", {});
}

function messageFields({ id, model }: FinalReply): object {
  return { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null };
}

function formatUsage({ input, cacheRead, cacheWrite, output }: TokenUsage): object {
  return {
    input_tokens: input,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
  };
}

const NO_USAGE: TokenUsage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

function createEvent(type: string, data: object): ServerEvent {
  return { event: type, data: { type, ...data } };
}

interface BlockStream {
  readonly start: object;
  readonly deltas: readonly object[];
  readonly complete: object;
}

function replyBlocks(reply: FinalReply): readonly BlockStream[] {
  return reply.parts.flatMap((part) => partBlocks(part, reply));
}

function partBlocks(part: FinalPart, { model, chunkSize }: FinalReply): readonly BlockStream[] {
  switch (part.type) {
    case "text":
      return [textBlock(part.text, chunkSize)];
    case "call":
      return [toolCallBlock({ type: "tool_use", id: part.id, name: part.name }, { json: part.json, chunkSize })];
    case "thinking":
      return [part.redacted ? createRedactedBlock(part.text, model) : thinkingBlock(part, chunkSize)];
    case "search":
      return createSearchBlocks(part, chunkSize);
  }
}

function textBlock(text: string, chunkSize: number): BlockStream {
  return {
    start: { type: "text", text: "" },
    deltas: splitIntoChunks(text, chunkSize).map((delta) => ({ type: "text_delta", text: delta })),
    complete: { type: "text", text },
  };
}

/** A tool call. Its input is streamed as JSON text. */
function toolCallBlock(
  blockFields: object,
  { json, chunkSize }: { readonly json: string; readonly chunkSize: number },
): BlockStream {
  return {
    start: { ...blockFields, input: {} },
    deltas: splitIntoChunks(json, chunkSize).map((partial_json) => ({ type: "input_json_delta", partial_json })),
    complete: { ...blockFields, input: JSON.parse(json) },
  };
}

function createRedactedBlock(text: string, model: string): BlockStream {
  return wholeBlock({ type: "redacted_thinking", data: sealText(model, text) });
}

/** A block without deltas. */
function wholeBlock(block: object): BlockStream {
  return { start: block, deltas: [], complete: block };
}

function thinkingBlock(
  { text, signature }: Extract<FinalPart, { readonly type: "thinking" }>,
  chunkSize: number,
): BlockStream {
  return {
    start: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...splitIntoChunks(text, chunkSize).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature },
    ],
    complete: { type: "thinking", thinking: text, signature },
  };
}

function createSearchBlocks(search: FinalSearch, chunkSize: number): readonly BlockStream[] {
  const id = `srvtoolu_${search.id}`;
  const json = JSON.stringify({ query: search.query });
  return [
    toolCallBlock({ type: "server_tool_use", id, name: SEARCH_TOOL }, { json, chunkSize }),
    wholeBlock({ type: "web_search_tool_result", tool_use_id: id, content: searchResultContent(search) }),
  ];
}

export const SEARCH_TOOL = "web_search";

function searchResultContent({ results, error }: FinalSearch): unknown {
  if (error !== undefined) return { type: "web_search_tool_result_error", error_code: error };
  return results.map(({ title, url }) => ({
    type: "web_search_result",
    url,
    title,
    encrypted_content: encryptPage({ title, url }),
    page_age: null,
  }));
}

/** The encrypted content of a search result. It is valid for this page only. */
export function encryptPage({ title, url }: SearchResult): string {
  return sealText(SEARCH_TOOL, `${title ?? ""}\n${url}`);
}

function* blockEvents({ start, deltas }: BlockStream, index: number): Generator<ServerEvent> {
  yield createEvent("content_block_start", { index, content_block: start });
  for (const delta of deltas) yield createEvent("content_block_delta", { index, delta });
  yield createEvent("content_block_stop", { index });
}

function stopReasonOf({ stop, stopAs }: FinalReply): string {
  return stopAs ?? STOP_REASONS[stop];
}

const STOP_REASONS: Readonly<Record<StopReason, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  calls: "tool_use",
  refusal: "refusal",
  "context-window": "model_context_window_exceeded",
};

/** Searches are billed separately and counted in the usage. */
function countSearches(parts: readonly FinalPart[]): object {
  const searches = parts.filter(({ type }) => type === "search").length;
  return searches === 0 ? {} : { server_tool_use: { web_search_requests: searches } };
}

export function formatReply(reply: FinalReply): unknown {
  const content = replyBlocks(reply).map(({ complete }) => complete);
  const usage = { ...formatUsage(reply.usage ?? NO_USAGE), ...countSearches(reply.parts) };
  return { ...messageFields(reply), content, stop_reason: stopReasonOf(reply), usage };
}
