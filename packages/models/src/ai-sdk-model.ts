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
  applyStreamPart,
  buildAssistantMessage,
  buildCallOptions,
  type Draft,
  determineEnding,
  type Ending,
  emptyDraft,
  type Prices,
  thinkingNotice,
  toDelta,
} from "./convert/index.ts";
import { toModelFailure } from "./errors.ts";
import { computeOutputBudget, type OutputBudget, reduceOutputBudget } from "./max-output-tokens.ts";
import { findSizeLimitError } from "./network/response-limits.ts";
import { countsOutputTokens, detectReplyOverflow, type ReplyOverflow } from "./overflow/index.ts";
import { IdleTimeoutError, readStreamParts } from "./read-stream.ts";
import { ReplyMeter } from "./reply-limit.ts";

export function createAiSdkModel(options: AiSdkModelOptions): Model {
  const { api, provider, model } = options.modelName;
  return {
    api,
    provider,
    model,
    get contextWindow() {
      return currentContextWindow(options);
    },
    maxTokens: options.maxTokens,
    ...(options.takesTools !== undefined && { takesTools: options.takesTools }),
    stream: (request, streamOptions) => streamReply(request, options, streamOptions),
  };
}

export interface AiSdkModelOptions {
  readonly languageModel: LanguageModelV4;
  /** The api, provider and model that messages record. */
  readonly modelName: ModelName;
  /** A function if the window may change, for example when a smaller one is learned. */
  readonly contextWindow: number | (() => number);
  readonly maxTokens: number;
  readonly prices?: Prices | undefined;
  readonly runtime: Pick<Runtime, "now">;
  /** The key under which the package reads provider options, if it differs from the bundled package's. */
  readonly optionsKey?: string | undefined;
  /** Identifies requests that share a prefix, for providers that use such a key; for example the session id. */
  readonly cacheKey?: string | undefined;
  /** False for a model that cannot think; thinking is not requested. */
  readonly supportsThinking?: boolean | undefined;
  /** False for a model without image input; text replaces each image. */
  readonly supportsImages?: boolean | undefined;
  /** False for a model that cannot call tools; none are declared. */
  readonly takesTools?: boolean | undefined;
  /** Milliseconds to wait for the first token (ten minutes by default). */
  readonly firstTokenTimeoutMs?: number | undefined;
  /** Milliseconds without any data after the first token before the reply fails (five minutes by default). */
  readonly idleTimeoutMs?: number | undefined;
}

/** A request that is refused for its output length is sent once more with a smaller one. */
async function* streamReply(
  request: Request,
  modelOptions: AiSdkModelOptions,
  streamOptions: StreamOptions,
): AsyncGenerator<ModelEvent> {
  const { supportsImages = true, takesTools = true } = modelOptions;
  const imagesReplaced = supportsImages ? request : replaceImages(request);
  const adaptedRequest = takesTools ? imagesReplaced : removeTools(imagesReplaced);
  const budget = computeOutputBudget(adaptedRequest, {
    window: currentContextWindow(modelOptions),
    maxTokens: modelOptions.maxTokens,
  });
  const finalEvent = yield* streamOnce(adaptedRequest, modelOptions, { streamOptions, budget });
  const smallerBudget = isRefusedForOutputLength(finalEvent)
    ? reduceOutputBudget(budget, finalEvent.failure.limit)
    : null;
  yield smallerBudget
    ? yield* streamOnce(adaptedRequest, modelOptions, { streamOptions, budget: smallerBudget })
    : finalEvent;
}

/** For a model without image input: text replaces each image, since most providers would refuse the whole request. */
function replaceImages(request: Request): Request {
  return { ...request, messages: request.messages.map(replaceMessageImages) };
}

function replaceMessageImages(message: Message): Message {
  if (message.role !== "user" && message.role !== "toolResult") return message;
  if (typeof message.content === "string" || !message.content.some(({ type }) => type === "image")) return message;
  return { ...message, content: message.content.map(replaceImageBlock) } as Message;
}

function replaceImageBlock(block: TextBlock | ImageBlock): TextBlock | ImageBlock {
  return block.type === "image" ? { type: "text", text: "[image omitted: this model does not support images]" } : block;
}

/** For a model without tool calls: no tools are declared, and earlier calls and results become text. */
function removeTools(request: Request): Request {
  return { ...request, tools: [], messages: request.messages.map(replaceToolCalls) };
}

function replaceToolCalls(message: Message): Message {
  switch (message.role) {
    case "system": {
      const { toolsAdded: _, toolsRemoved: __, ...rest } = message;
      return rest;
    }
    case "assistant":
      return { ...message, content: message.content.map(toolCallToText) };
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

function toolCallToText(block: AssistantMessage["content"][number]): AssistantMessage["content"][number] {
  if (block.type !== "toolCall") return block;
  return { type: "text", text: `[called ${block.name} with ${JSON.stringify(block.arguments)}]` };
}

function isRefusedForOutputLength(event: FinalEvent): event is Extract<FinalEvent, { readonly type: "reply-failed" }> {
  if (event.type !== "reply-failed" || event.failure.kind !== "overflow" || event.message) return false;
  return countsOutputTokens(event.failure.message);
}

interface AttemptContext {
  readonly streamOptions: StreamOptions;
  readonly budget: OutputBudget;
}

async function* streamOnce(
  request: Request,
  modelOptions: AiSdkModelOptions,
  { streamOptions: { signal, transport = {} }, budget }: AttemptContext,
): AsyncGenerator<ModelEvent, FinalEvent> {
  const { languageModel, modelName: target, firstTokenTimeoutMs = 600_000, idleTimeoutMs = 300_000 } = modelOptions;
  const convertOptions = {
    ...modelOptions,
    target,
    maxTokens: budget.maxTokens,
    modelMaxTokens: modelOptions.maxTokens,
  };
  const options = buildCallOptions(request, convertOptions);
  const notice = thinkingNotice(request, convertOptions);
  if (notice) yield { type: "notice", code: "thinking-off", message: notice };
  const openStream = createStreamOpener(languageModel, { ...options, ...transportCallOptions(transport) }, transport);
  const meter = new ReplyMeter(modelOptions.maxTokens);
  const sizeLimitController = new AbortController();
  let draft = emptyDraft();
  try {
    for await (const incomingPart of readStreamParts(openStream, {
      signal: signal ? AbortSignal.any([signal, sizeLimitController.signal]) : sizeLimitController.signal,
      idleTimeoutMs: () => {
        if (draft.error) return AFTER_ERROR_TIMEOUT_MS;
        // Many servers send the headers at once and read the prompt afterwards.
        return draft.blocks.length === 0 ? firstTokenTimeoutMs : idleTimeoutMs;
      },
    })) {
      if (incomingPart.type === "raw") transport.onChunk?.(incomingPart.rawValue);
      const { part, error } = meter.addPart(incomingPart, toDelta(draft, incomingPart));
      const delta = toDelta(draft, part);
      draft = applyStreamPart(draft, part);
      if (delta) yield delta;
      if (error) {
        // The rest of the reply is not read.
        sizeLimitController.abort();
        throw error;
      }
      // The usage may follow an error, so an error alone does not end the loop.
      if (draft.finish) break;
    }
  } catch (thrown) {
    draft = { ...draft, error: draft.error ?? { thrown } };
  }
  return createFinalEvent(draft, { ...modelOptions, budget, isAborted: signal?.aborted ?? false });
}

const AFTER_ERROR_TIMEOUT_MS = 200;

type CallOptions = Parameters<LanguageModelV4["doStream"]>[0];

function transportCallOptions({
  headers,
  onChunk,
}: TransportOptions): Pick<CallOptions, "headers" | "includeRawChunks"> {
  return { ...(headers && { headers: { ...headers } }), ...(onChunk && { includeRawChunks: true }) };
}

function createStreamOpener(languageModel: LanguageModelV4, options: CallOptions, { onResponse }: TransportOptions) {
  return async (abortSignal: AbortSignal) => {
    const result = await languageModel.doStream({ ...options, abortSignal });
    onResponse?.(result.response?.headers ?? {});
    return result;
  };
}

/** The one event that ends every stream: the reply, or the failure and what had arrived by then. */
function createFinalEvent(draft: Draft, context: FinalEventContext): FinalEvent {
  const ending = determineEnding(draft);
  if (ending.type !== "ended")
    return createFailedEvent(draft, context, describeEnding(ending, { ...context, replyText: refusalText(draft) }));
  const message = buildMessage(draft, context, { stopReason: ending.stopReason });
  const overflow = detectOverflow({
    ending,
    usage: message.usage,
    budget: context.budget,
    provider: context.modelName.provider,
  });
  if (!overflow) return { type: "reply-ended", message };
  if (!overflow.isReplyValid) return createFailedEvent(draft, context, overflow.failure);
  return { type: "reply-ended", message, overflow: overflow.failure };
}

export interface FinalEventContext {
  readonly modelName: ModelName;
  readonly prices?: Prices | undefined;
  readonly runtime: Pick<Runtime, "now">;
  readonly budget: OutputBudget;
  readonly isAborted: boolean;
}

type FinalEvent = Extract<ModelEvent, { readonly type: "reply-ended" | "reply-failed" }>;

function describeEnding(
  ending: Exclude<Ending, { readonly type: "ended" }>,
  {
    modelName: { provider },
    runtime,
    budget,
    isAborted,
    replyText,
  }: FinalEventContext & { readonly replyText: string },
): ModelFailure {
  if (isAborted) return { kind: "aborted", message: "the reply was aborted" };
  switch (ending.type) {
    case "error": {
      // BOUND1: a retry would exceed the limit again.
      const sizeError = findSizeLimitError(ending.thrown);
      if (sizeError) return { kind: "refused", message: `${provider} ${sizeError.message}`, cause: sizeError };
      if (ending.thrown instanceof IdleTimeoutError)
        return {
          kind: "unreachable",
          message: `${provider} ${ending.thrown.message}`,
          reason: "timeout",
          cause: ending.thrown,
        };
      return toModelFailure(ending.thrown, { provider, estimate: budget, now: runtime.now });
    }
    case "filtered": {
      const reason = (ending.raw ?? "content filter").replaceAll("_", " ");
      const text = replyText === "" ? "" : `; its text: "${replyText}"`;
      return { kind: "refused", message: `${provider} ended the reply (${reason})${text}` };
    }
    case "broken":
      return { kind: "unreachable", message: `the reply ended unexpectedly${ending.raw ? ` (${ending.raw})` : ""}` };
  }
}

/** The text of a filtered reply, which explains the refusal. */
function refusalText({ blocks }: Draft): string {
  const text = blocks.map((block) => (block.kind === "text" ? block.text : "")).join("");
  return text.replace(/\s+/g, " ").trim().slice(0, 300).toWellFormed();
}

function createFailedEvent(draft: Draft, context: FinalEventContext, failure: ModelFailure): FinalEvent {
  if (draft.blocks.length === 0 && !draft.usage) return { type: "reply-failed", failure };
  const stopReason = failure.kind === "aborted" ? "aborted" : "error";
  return {
    type: "reply-failed",
    failure,
    message: buildMessage(draft, context, { stopReason, errorMessage: failure.message }),
  };
}

function buildMessage(
  draft: Draft,
  { modelName, prices, runtime }: FinalEventContext,
  outcome: { readonly stopReason: StopReason; readonly errorMessage?: string },
): AssistantMessage {
  return buildAssistantMessage(draft, { modelName, prices, timestamp: runtime.now(), ...outcome });
}

/** Null if the reply and its request fit. */
function detectOverflow({ ending, usage, budget, provider }: OverflowCheckInput): DetectedOverflow | null {
  const { input, output, cacheRead, cacheWrite } = usage;
  const overflow = detectReplyOverflow({
    stopReason: ending.raw ?? ending.stopReason,
    ...{ input, output, cacheRead, cacheWrite },
    window: budget.window,
    maxOutput: budget.maxTokens,
  });
  // Some servers cut every reply short for other reasons. A window that is less than half full is not the reason.
  if (!overflow || (overflow.kind === "squeezed" && usage.totalTokens < budget.window / 2)) return null;
  const { isReplyValid, limit } = overflow;
  const failure = { kind: "overflow" as const, message: `${provider} ${overflowDescriptions[overflow.kind]}` };
  return { isReplyValid, failure: limit === undefined ? failure : { ...failure, limit } };
}

export interface OverflowCheckInput {
  readonly ending: Extract<Ending, { readonly type: "ended" }>;
  readonly usage: Usage;
  readonly budget: OutputBudget;
  readonly provider: string;
}

export interface DetectedOverflow {
  /** Whether the reply can be used. */
  readonly isReplyValid: boolean;
  readonly failure: ModelFailure;
}

const overflowDescriptions: Readonly<Record<ReplyOverflow["kind"], string>> = {
  named: "reports that the context window is full",
  "no-room": "had no room left in the context window for a reply",
  "over-window": "received more tokens than the context window holds",
  truncated: "processed far fewer tokens than were sent; it probably truncated the context",
  squeezed: "cut off the reply because the context left too little room for it",
};

function currentContextWindow({ contextWindow }: AiSdkModelOptions): number {
  return typeof contextWindow === "number" ? contextWindow : contextWindow();
}
