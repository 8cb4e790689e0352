/** Writes a reply in Google's format, as pieces of which the last one says why it ends, or as one answer. */

import type { Counted, Stop } from "../../script.ts";
import { replyTokens } from "../../tokens.ts";
import { isObject, type Json } from "../json.ts";
import { type Body, chunks, type Said, type SaidPart, type SaidSearch, type ServerEvent } from "../protocol.ts";
import { signature } from "../signature.ts";

const TOOL = "GOOGLE_SEARCH_WEB";

/** What was looked for, and a snippet for web pages that only Google can make use of. */
export function searchParts({ query, id }: SaidSearch, { model }: Said): readonly object[] {
  const call = { toolType: TOOL, args: { queries: [query] }, id };
  const response = { toolType: TOOL, response: { search_suggestions: `<div>${query}</div>` }, id };
  return [
    { toolCall: call, thoughtSignature: serverSignature(model, call.args) },
    { toolResponse: response, thoughtSignature: serverSignature(model, response.response) },
  ];
}

/** Of what a tool was asked, or of what it answered. */
export function serverSignature(model: string, value: unknown): string {
  return signature(model, TOOL + JSON.stringify(value));
}

/** Only then do its own tools stand among the parts. */
export function tellsServerTools({ toolConfig }: Body): boolean {
  return isObject(toolConfig) && toolConfig.includeServerSideToolInvocations === true;
}

/** Empty where nothing was looked for. */
export function grounding({ parts }: Said): Json {
  const searches = parts.filter((part: SaidPart) => part.type === "search");
  if (searches.length === 0) return {};
  const groundingChunks = searches.flatMap(({ results }) =>
    results.map(({ title, url }) => ({ web: { uri: url, ...(title !== null && { title }) } })),
  );
  return { groundingMetadata: { webSearchQueries: searches.map(({ query }) => query), groundingChunks } };
}

/** Only the first call, or without a call the last text, bears a signature. A search has signatures of its own. */
export function signedPart({ model, parts }: Said, part: SaidPart): string | undefined {
  const call = parts.findIndex(({ type }) => type === "call");
  const bearer = call >= 0 ? call : parts.findLastIndex(({ type }) => type === "text");
  if (part !== parts[bearer]) return undefined;
  if (part.type === "call") return callSignature(model, part.name, JSON.parse(part.json));
  return textSignature(model, wordsUpTo(parts, bearer));
}

/** Texts in a row are one to whoever reads the stream. */
function wordsUpTo(parts: Said["parts"], at: number): string {
  const begin = parts.findLastIndex(({ type }, index) => index < at && type !== "text") + 1;
  return parts.slice(begin, at + 1).reduce((words, part) => words + (part.type === "text" ? part.text : ""), "");
}

export function callSignature(model: string, name: string, args: unknown): string {
  return signature(model, name + JSON.stringify(args));
}

export function textSignature(model: string, text: string): string {
  return signature(model, text);
}

export function* events(said: Said, asked: Body): Generator<ServerEvent> {
  const told = toldOf(said, asked);
  const pieces = told.parts.flatMap((part) => deltas(part, told));
  const last = pieces.pop() ?? { text: "" };
  for (const part of pieces) yield { data: answer(said, { parts: [part], usage: soFar(said.usage) }) };
  yield { data: answer(said, { parts: [last], usage: counted(said), finishReason: reasonOf(said) }) };
}

export function whole(said: Said, asked: Body): unknown {
  const told = toldOf(said, asked);
  const parts = told.parts.flatMap((part) => finished(part, told));
  return answer(said, { parts, usage: counted(said), finishReason: reasonOf(said) });
}

interface Answer {
  readonly parts: readonly object[];
  readonly usage: object | null;
  readonly finishReason?: string;
}

function answer(said: Said, { parts, usage, finishReason }: Answer): object {
  const end = finishReason === undefined ? {} : { finishReason, ...grounding(said) };
  return {
    candidates: [{ content: { role: "model", parts }, index: 0, ...end }],
    ...(usage && { usageMetadata: usage }),
    modelVersion: said.model,
    responseId: said.id,
  };
}

/** A search is only told where the request wants to hear of it. */
function toldOf(said: Said, asked: Body): Said {
  return tellsServerTools(asked) ? said : { ...said, parts: said.parts.filter(({ type }) => type !== "search") };
}

/** Calls come whole; the signature of a text comes behind it, on a part that says nothing. */
function deltas(part: SaidPart, said: Said): readonly object[] {
  if (part.type === "call" || part.type === "search") return finished(part, said);
  const texts = chunks(part.text, said.chunk).map((text) => ({
    text,
    ...(part.type === "thinking" && { thought: true }),
  }));
  const signature = signedPart(said, part);
  return signature === undefined ? texts : [...texts, { text: "", thoughtSignature: signature }];
}

function finished(part: SaidPart, said: Said): readonly object[] {
  const signature = signedPart(said, part);
  const signed = signature === undefined ? {} : { thoughtSignature: signature };
  switch (part.type) {
    case "text":
      return [{ text: part.text, ...signed }];
    case "thinking":
      return [{ text: part.text, thought: true, ...signed }];
    case "call":
      return [{ functionCall: { id: part.id, name: part.name, args: JSON.parse(part.json) }, ...signed }];
    case "search":
      return searchParts(part, said);
  }
}

function reasonOf({ stop, stopAs }: Said): string {
  return stopAs ?? reasons[stop];
}

// Calls end as texts do, and there is no word of its own for a full window.
const reasons: Readonly<Record<Stop, string>> = {
  stop: "STOP",
  calls: "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
  "context-window": "MAX_TOKENS",
};

function soFar(usage: Counted | null): object | null {
  if (!usage) return null;
  return { promptTokenCount: promptCount(usage), totalTokenCount: promptCount(usage) };
}

function counted({ usage, parts }: Said): object | null {
  if (!usage) return null;
  const thoughts = Math.min(usage.output, replyTokens(parts.filter(({ type }) => type === "thinking")));
  return {
    promptTokenCount: promptCount(usage),
    candidatesTokenCount: usage.output - thoughts,
    totalTokenCount: promptCount(usage) + usage.output,
    ...(usage.cacheRead > 0 && { cachedContentTokenCount: usage.cacheRead }),
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
  };
}

/** Google counts what the cache held into the prompt. */
function promptCount({ input, cacheRead, cacheWrite }: Counted): number {
  return input + cacheRead + cacheWrite;
}
