/** Writes a reply in Google's format, as stream chunks or as one response. */

import type { StopReason, TokenUsage } from "../../script.ts";
import { countReplyTokens } from "../../tokens.ts";
import { isObject, type Json } from "../json.ts";
import {
  type Body,
  type FinalPart,
  type FinalReply,
  type FinalSearch,
  type ServerEvent,
  splitIntoChunks,
} from "../protocol.ts";
import { createSignature } from "../signature.ts";

export function* streamReply(reply: FinalReply, requestBody: Body): Generator<ServerEvent> {
  const visibleReply = withVisibleParts(reply, requestBody);
  const parts = visibleReply.parts.flatMap((part) => partDeltas(part, visibleReply));
  const last = parts.pop() ?? { text: "" };
  for (const part of parts) yield { data: createResponse(reply, { parts: [part], usage: partialUsage(reply.usage) }) };
  yield {
    data: createResponse(reply, { parts: [last], usage: finalUsage(reply), finishReason: finishReasonOf(reply) }),
  };
}

/** Search parts are sent only if the request asks for them. */
function withVisibleParts(reply: FinalReply, requestBody: Body): FinalReply {
  return includesServerTools(requestBody)
    ? reply
    : { ...reply, parts: reply.parts.filter(({ type }) => type !== "search") };
}

/** Whether the request asks for the parts of Google's own tools. */
export function includesServerTools({ toolConfig }: Body): boolean {
  return isObject(toolConfig) && toolConfig.includeServerSideToolInvocations === true;
}

/** A call is one delta. The signature of a text follows it on an empty text part. */
function partDeltas(part: FinalPart, reply: FinalReply): readonly object[] {
  if (part.type === "call" || part.type === "search") return completePart(part, reply);
  const texts = splitIntoChunks(part.text, reply.chunkSize).map((text) => ({
    text,
    ...(part.type === "thinking" && { thought: true }),
  }));
  const signature = partSignature(reply, part);
  return signature === undefined ? texts : [...texts, { text: "", thoughtSignature: signature }];
}

function completePart(part: FinalPart, reply: FinalReply): readonly object[] {
  const signature = partSignature(reply, part);
  const signatureField = signature === undefined ? {} : { thoughtSignature: signature };
  switch (part.type) {
    case "text":
      return [{ text: part.text, ...signatureField }];
    case "thinking":
      return [{ text: part.text, thought: true, ...signatureField }];
    case "call":
      return [{ functionCall: { id: part.id, name: part.name, args: JSON.parse(part.json) }, ...signatureField }];
    case "search":
      return createSearchParts(part, reply);
  }
}

/** Only the first call or, without calls, the last text has a signature. Search parts have separate signatures. */
function partSignature({ model, parts }: FinalReply, part: FinalPart): string | undefined {
  const call = parts.findIndex(({ type }) => type === "call");
  const signedIndex = call >= 0 ? call : parts.findLastIndex(({ type }) => type === "text");
  if (part !== parts[signedIndex]) return undefined;
  if (part.type === "call") return callSignature(model, part.name, JSON.parse(part.json));
  return textSignature(model, textUpTo(parts, signedIndex));
}

export function callSignature(model: string, name: string, args: unknown): string {
  return createSignature(model, name + JSON.stringify(args));
}

export function textSignature(model: string, text: string): string {
  return createSignature(model, text);
}

/** Joins consecutive texts, because a client that reads the stream joins them. */
function textUpTo(parts: FinalReply["parts"], position: number): string {
  const start = parts.findLastIndex(({ type }, index) => index < position && type !== "text") + 1;
  return parts.slice(start, position + 1).reduce((text, part) => text + (part.type === "text" ? part.text : ""), "");
}

/** The queries and sources of the searches. */
function createSearchParts({ query, id }: FinalSearch, { model }: FinalReply): readonly object[] {
  const call = { toolType: SEARCH_TOOL, args: { queries: [query] }, id };
  const response = { toolType: SEARCH_TOOL, response: { search_suggestions: `<div>${query}</div>` }, id };
  return [
    { toolCall: call, thoughtSignature: serverSignature(model, call.args) },
    { toolResponse: response, thoughtSignature: serverSignature(model, response.response) },
  ];
}

const SEARCH_TOOL = "GOOGLE_SEARCH_WEB";

/** Signs the arguments or the response of a Google tool. */
export function serverSignature(model: string, value: unknown): string {
  return createSignature(model, SEARCH_TOOL + JSON.stringify(value));
}

interface ResponseParts {
  readonly parts: readonly object[];
  readonly usage: object | null;
  readonly finishReason?: string;
}

function createResponse(reply: FinalReply, { parts, usage, finishReason }: ResponseParts): object {
  const endFields = finishReason === undefined ? {} : { finishReason, ...createGroundingMetadata(reply) };
  return {
    candidates: [{ content: { role: "model", parts }, index: 0, ...endFields }],
    ...(usage && { usageMetadata: usage }),
    modelVersion: reply.model,
    responseId: reply.id,
  };
}

function createGroundingMetadata({ parts }: FinalReply): Json {
  const searches = parts.filter((part: FinalPart) => part.type === "search");
  if (searches.length === 0) return {};
  const groundingChunks = searches.flatMap(({ results }) =>
    results.map(({ title, url }) => ({ web: { uri: url, ...(title !== null && { title }) } })),
  );
  return { groundingMetadata: { webSearchQueries: searches.map(({ query }) => query), groundingChunks } };
}

function partialUsage(usage: TokenUsage | null): object | null {
  if (!usage) return null;
  return { promptTokenCount: sumPromptTokens(usage), totalTokenCount: sumPromptTokens(usage) };
}

/** Google includes cached tokens in the prompt tokens. */
function sumPromptTokens({ input, cacheRead, cacheWrite }: TokenUsage): number {
  return input + cacheRead + cacheWrite;
}

function finalUsage({ usage, parts }: FinalReply): object | null {
  if (!usage) return null;
  const thoughts = Math.min(usage.output, countReplyTokens(parts.filter(({ type }) => type === "thinking")));
  return {
    promptTokenCount: sumPromptTokens(usage),
    candidatesTokenCount: usage.output - thoughts,
    totalTokenCount: sumPromptTokens(usage) + usage.output,
    ...(usage.cacheRead > 0 && { cachedContentTokenCount: usage.cacheRead }),
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
  };
}

function finishReasonOf({ stop, stopAs }: FinalReply): string {
  return stopAs ?? FINISH_REASONS[stop];
}

// Calls end with STOP too, and a full context window has no reason of its own.
const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  stop: "STOP",
  calls: "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
  "context-window": "MAX_TOKENS",
};

export function formatReply(reply: FinalReply, requestBody: Body): unknown {
  const visibleReply = withVisibleParts(reply, requestBody);
  const parts = visibleReply.parts.flatMap((part) => completePart(part, visibleReply));
  return createResponse(reply, { parts, usage: finalUsage(reply), finishReason: finishReasonOf(reply) });
}
