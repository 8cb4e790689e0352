/** Wraps any AI SDK language model as a `Model`: sends the request, folds the stream and yields one final event. */

import type { LanguageModelV4 } from "@ai-sdk/provider";
import type {
  AssistantMessage,
  ImageBlock,
  Message,
  Model,
  ModelEvent,
  ModelFailure,
  ModelName,
  Request,
  Runtime,
  StopReason,
  StreamOptions,
  TextBlock,
  TransportOptions,
  Usage,
} from "@pith/context";
import {
  callOptions,
  type Draft,
  deltaOf,
  type Ending,
  emptyDraft,
  endingOf,
  fold,
  messageOf,
  type Prices,
  thinkingNotice,
} from "./convert/index.ts";
import { failureOf } from "./errors.ts";
import { type Room, room, smallerRoom } from "./max-output.ts";
import { findTooLarge } from "./network/response-limits.ts";
import { countsAnswer, overflowInReply, type ReplyOverflow } from "./overflow/index.ts";
import { ReplyMeter } from "./reply-limit.ts";
import { Silence, streamParts } from "./stream.ts";

export interface EndedParts {
  readonly ending: Extract<Ending, { readonly type: "ended" }>;
  readonly usage: Usage;
  readonly size: Room;
  readonly provider: string;
}

/** Null: there was room enough. */
export function overflowOf({ ending, usage, size, provider }: EndedParts): TooMuch | null {
  const { input, output, cacheRead, cacheWrite } = usage;
  const found = overflowInReply({
    stopReason: ending.raw ?? ending.stopReason,
    ...{ input, output, cacheRead, cacheWrite },
    window: size.window,
    maxOutput: size.maxTokens,
  });
  // Some servers cut every answer short, for reasons of their own: half an empty window is not why.
  if (!found || (found.kind === "squeezed" && usage.totalTokens < size.window / 2)) return null;
  const { keep, limit } = found;
  const failure = { kind: "overflow" as const, message: `${provider} ${told[found.kind]}` };
  return { keep, failure: limit === undefined ? failure : { ...failure, limit } };
}

export interface TooMuch {
  /** Whether the reply counts. */
  readonly keep: boolean;
  readonly failure: ModelFailure;
}

const told: Readonly<Record<ReplyOverflow["kind"], string>> = {
  named: "says that the context window is full",
  "no-room": "had no room left for an answer",
  "over-window": "read more than the context window holds",
  truncated: "read much less than was sent: it seems to have cut the context",
  squeezed: "cut the answer short: the context left too little room for it",
};

export interface EventParts {
  readonly name: ModelName;
  readonly prices?: Prices | undefined;
  readonly ports: Pick<Runtime, "now">;
  readonly size: Room;
  readonly aborted: boolean;
}

type Last = Extract<ModelEvent, { readonly type: "reply-ended" | "reply-failed" }>;

/** The one event that ends every stream: the reply, or the failure and what had arrived by then. */
export function lastEvent(draft: Draft, parts: EventParts): Last {
  const ending = endingOf(draft);
  if (ending.type !== "ended") return failed(draft, parts, failureAt(ending, { ...parts, said: textOf(draft) }));
  const message = written(draft, parts, { stopReason: ending.stopReason });
  const found = overflowOf({ ending, usage: message.usage, size: parts.size, provider: parts.name.provider });
  if (!found) return { type: "reply-ended", message };
  if (!found.keep) return failed(draft, parts, found.failure);
  return { type: "reply-ended", message, overflow: found.failure };
}

function failureAt(
  ending: Exclude<Ending, { readonly type: "ended" }>,
  { name: { provider }, ports, size, aborted, said }: EventParts & { readonly said: string },
): ModelFailure {
  if (aborted) return { kind: "aborted", message: "the reply was aborted" };
  switch (ending.type) {
    case "error": {
      // BOUND1: asking again would bring the same again.
      const large = findTooLarge(ending.thrown);
      if (large) return { kind: "refused", message: `${provider} ${large.message}`, cause: large };
      if (ending.thrown instanceof Silence)
        return { kind: "unreachable", message: `${provider} ${ending.thrown.message}`, cause: ending.thrown };
      return failureOf(ending.thrown, { provider, estimate: size, now: ports.now });
    }
    case "filtered":
      return {
        kind: "refused",
        message: `${provider} stopped the reply: ${said || (ending.raw ?? "it was filtered")}`,
      };
    case "broken":
      return { kind: "unreachable", message: `the reply broke off${ending.raw ? ` (${ending.raw})` : ""}` };
  }
}

/** In a refusal, the words of it. */
function textOf({ blocks }: Draft): string {
  const text = blocks.map((block) => (block.kind === "text" ? block.text : "")).join("");
  return text.replace(/\s+/g, " ").trim().slice(0, 300).toWellFormed();
}

function failed(draft: Draft, parts: EventParts, failure: ModelFailure): Last {
  if (draft.blocks.length === 0 && !draft.usage) return { type: "reply-failed", failure };
  const stopReason = failure.kind === "aborted" ? "aborted" : "error";
  return {
    type: "reply-failed",
    failure,
    message: written(draft, parts, { stopReason, errorMessage: failure.message }),
  };
}

function written(
  draft: Draft,
  { name, prices, ports }: EventParts,
  end: { readonly stopReason: StopReason; readonly errorMessage?: string },
): AssistantMessage {
  return messageOf(draft, { from: name, prices, timestamp: ports.now(), ...end });
}

/** For a model that cannot see: text replaces each image, since most providers would refuse the whole request. */
export function withoutImages(request: Request): Request {
  return { ...request, messages: request.messages.map(unseen) };
}

function unseen(message: Message): Message {
  if (message.role !== "user" && message.role !== "toolResult") return message;
  if (typeof message.content === "string" || !message.content.some(({ type }) => type === "image")) return message;
  return { ...message, content: message.content.map(asText) } as Message;
}

function asText(block: TextBlock | ImageBlock): TextBlock | ImageBlock {
  return block.type === "image" ? { type: "text", text: "[an image, which this model cannot see]" } : block;
}

/** For a model that can call no tools: none are declared, and calls and results from before stand there as text. */
export function withoutTools(request: Request): Request {
  return { ...request, tools: [], messages: request.messages.map(withoutCalls) };
}

function withoutCalls(message: Message): Message {
  switch (message.role) {
    case "system": {
      const { toolsAdded: _, toolsRemoved: __, ...rest } = message;
      return rest;
    }
    case "assistant":
      return { ...message, content: message.content.map(calledAsText) };
    case "toolResult":
      return {
        role: "user",
        content: [{ type: "text", text: `[result of ${message.toolName}]` }, ...message.content],
        timestamp: message.timestamp,
      };
    case "user":
      return message;
  }
}

function calledAsText(block: AssistantMessage["content"][number]): AssistantMessage["content"][number] {
  if (block.type !== "toolCall") return block;
  return { type: "text", text: `[called ${block.name} with ${JSON.stringify(block.arguments)}]` };
}

export interface AiSdkModelParts {
  readonly language: LanguageModelV4;
  /** As our messages bear it: api, provider, model. */
  readonly name: ModelName;
  /** A function where the window may turn out to be smaller than was thought. */
  readonly contextWindow: number | (() => number);
  readonly maxTokens: number;
  readonly prices?: Prices | undefined;
  readonly ports: Pick<Runtime, "now">;
  /** Under which its package reads options, where that is another name than the bundled package's. */
  readonly optionsName?: string | undefined;
  /** Whose requests share a prefix, for providers that want to be told; a session's id will do. */
  readonly cacheKey?: string | undefined;
  /** False: it cannot think, and is not asked to. */
  readonly thinks?: boolean | undefined;
  /** False: it cannot see, and is told so where a picture stands. */
  readonly seesImages?: boolean | undefined;
  /** False: it can call no tools, and none are declared to it. */
  readonly takesTools?: boolean | undefined;
  /** Milliseconds without a token after which a reply that has not begun is given up (ten minutes). */
  readonly firstTokenMs?: number | undefined;
  /** Milliseconds without a sign of life after which a reply that has begun is given up (five minutes). */
  readonly silenceMs?: number | undefined;
}

export function aiSdkModel(parts: AiSdkModelParts): Model {
  const { api, provider, model } = parts.name;
  return {
    api,
    provider,
    model,
    get contextWindow() {
      return windowOf(parts);
    },
    maxTokens: parts.maxTokens,
    ...(parts.takesTools !== undefined && { takesTools: parts.takesTools }),
    stream: (request, act) => streamed(request, parts, act),
  };
}

/** A request that is refused for the length of its answer is sent once more with a shorter one. */
async function* streamed(request: Request, parts: AiSdkModelParts, act: StreamOptions): AsyncGenerator<ModelEvent> {
  const { seesImages = true, takesTools = true } = parts;
  const seen = seesImages ? request : withoutImages(request);
  const shown = takesTools ? seen : withoutTools(seen);
  const size = room(shown, { window: windowOf(parts), maxTokens: parts.maxTokens });
  const last = yield* attempt(shown, parts, { act, size });
  const less = isRefusedForAnswer(last) ? smallerRoom(size, last.failure.limit) : null;
  yield less ? yield* attempt(shown, parts, { act, size: less }) : last;
}

function isRefusedForAnswer(last: Last): last is Extract<Last, { readonly type: "reply-failed" }> {
  if (last.type !== "reply-failed" || last.failure.kind !== "overflow" || last.message) return false;
  return countsAnswer(last.failure.message);
}

interface Attempt {
  readonly act: StreamOptions;
  readonly size: Room;
}

async function* attempt(
  request: Request,
  parts: AiSdkModelParts,
  { act: { signal, transport: line = {} }, size }: Attempt,
): AsyncGenerator<ModelEvent, Last> {
  const { language, name: to, firstTokenMs = 600_000, silenceMs = 300_000 } = parts;
  const callParts = { ...parts, to, maxTokens: size.maxTokens, longest: parts.maxTokens };
  const options = callOptions(request, callParts);
  const notice = thinkingNotice(request, callParts);
  if (notice) yield { type: "notice", code: "thinking-off", message: notice };
  const open = opening(language, { ...options, ...lineOptions(line) }, line);
  const meter = new ReplyMeter(parts.maxTokens);
  const tooLarge = new AbortController();
  let draft = emptyDraft();
  try {
    for await (const sent of streamParts(open, {
      signal: signal ? AbortSignal.any([signal, tooLarge.signal]) : tooLarge.signal,
      silenceMs: () => {
        if (draft.error) return AFTERTHOUGHT_MS;
        // Many servers answer with headers at once, and read the prompt after that.
        return draft.blocks.length === 0 ? firstTokenMs : silenceMs;
      },
    })) {
      if (sent.type === "raw") line.onChunk?.(sent.rawValue);
      const { part, error } = meter.take(sent, deltaOf(draft, sent));
      const delta = deltaOf(draft, part);
      draft = fold(draft, part);
      if (delta) yield delta;
      if (error) {
        // The request ends at once: the rest is not read.
        tooLarge.abort();
        throw error;
      }
      // An error may be followed by what it cost.
      if (draft.finish) break;
    }
  } catch (thrown) {
    draft = { ...draft, error: draft.error ?? { thrown } };
  }
  return lastEvent(draft, { ...parts, size, aborted: signal?.aborted ?? false });
}

const AFTERTHOUGHT_MS = 200;

type CallOptions = Parameters<LanguageModelV4["doStream"]>[0];

function lineOptions({ headers, onChunk: piece }: TransportOptions): Pick<CallOptions, "headers" | "includeRawChunks"> {
  return { ...(headers && { headers: { ...headers } }), ...(piece && { includeRawChunks: true }) };
}

function opening(language: LanguageModelV4, options: CallOptions, { onResponse: answered }: TransportOptions) {
  return async (abortSignal: AbortSignal) => {
    const result = await language.doStream({ ...options, abortSignal });
    answered?.(result.response?.headers ?? {});
    return result;
  };
}

function windowOf({ contextWindow }: AiSdkModelParts): number {
  return typeof contextWindow === "number" ? contextWindow : contextWindow();
}
