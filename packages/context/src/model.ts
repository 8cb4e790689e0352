/** Defines the model interface: a request in, events out, failures as values. Providers implement it. */

import type { AssistantMessage, Message, ThinkingLevel, Tool, Usage } from "./message.ts";

/** A model: it takes a request and streams events. Failures are events, not exceptions. */
export interface Model extends ModelName {
  /** The size of the context window in tokens, including the reply. */
  readonly contextWindow: number;
  /** The maximum number of tokens in a reply. */
  readonly maxTokens: number;
  /** The timer and the nonce generator for calls that get no runtime of their own. */
  readonly runtime?: {
    readonly sleep: (ms: number, options: { readonly signal?: AbortSignal }) => Promise<void>;
    readonly nonce: () => string;
  };
  /** False for a model without tool calls. No tools are declared to it, and its system prompt says so. */
  readonly takesTools?: boolean;
  /** Streams a reply. The last event is `reply-ended` or `reply-failed`. Provider errors never throw. */
  stream(request: Request, options: StreamOptions): AsyncIterable<ModelEvent>;
}

/** Options for `Model.stream`. */
export interface StreamOptions {
  readonly signal?: AbortSignal;
  readonly transport?: TransportOptions;
}

/** HTTP options for a request. A model without HTTP ignores them. */
export interface TransportOptions {
  /** Headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the response headers, before the body arrives. */
  readonly onResponse?: (headers: Readonly<Record<string, string>>) => void;
  /** Called with each chunk as the provider sent it. */
  readonly onChunk?: (chunk: unknown) => void;
}

/** An event in a streamed reply. */
export type ModelEvent =
  /** Tells the user that the sent request differs from the given one. Comes before the reply. */
  | { readonly type: "notice"; readonly code: "thinking-off"; readonly message: string }
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "thinking-delta"; readonly text: string }
  | {
      readonly type: "tool-call-delta";
      readonly index: number;
      readonly json: string;
      /** The tool call that the arguments belong to, if it is already known. */
      readonly call?: { readonly id: string; readonly name: string };
    }
  /** Discards the reply so far; the request is sent again after `waitMs`, at most `maxAttempts` times. `usage` is that of the failed attempt. */
  | {
      readonly type: "reply-restarted";
      readonly failure: ModelFailure;
      readonly waitMs: number;
      readonly maxAttempts?: number;
      readonly usage?: Usage;
    }
  /** Ends the reply. `overflow` means that the reply is valid but the context is too large: compact before the next request. */
  | { readonly type: "reply-ended"; readonly message: AssistantMessage; readonly overflow?: ModelFailure }
  /** Ends a failed reply. `message` is the partial reply and its cost. */
  | { readonly type: "reply-failed"; readonly failure: ModelFailure; readonly message?: AssistantMessage };

/** Why a model call failed. */
export interface ModelFailure {
  /**
   * `overflow`: the request has too many tokens. `payload`: one item is too large. `busy`: retry later. `quota`: the request exceeds the
   * quota per minute, so a retry does not help. `refused`: the provider rejects the request. `unreachable`: no response, or it broke off.
   */
  readonly kind: "overflow" | "payload" | "busy" | "quota" | "refused" | "unreachable" | "aborted";
  readonly message: string;
  /** The maximum number of tokens, if the provider reports it. */
  readonly limit?: number;
  readonly retryAfterMs?: number;
  /** Set if the user can do something about it. */
  readonly reason?: RequestProblem | ConnectionProblem | "cost-limit";
  readonly cause?: unknown;
}

type RequestProblem = "invalid-key" | "no-access" | "no-credit" | "unknown-model" | "unknown-path" | "rate-limit";
type ConnectionProblem = "connection-refused" | "unknown-host" | "tls" | "timeout";

/** The request to a model: plain data that depends only on the branch. */
export interface Request {
  readonly system: readonly SystemSection[];
  readonly tools: readonly Tool[];
  readonly messages: readonly Message[];
  readonly thinking: ThinkingLevel;
  readonly toolChoice: ToolChoice;
  readonly cacheMarks: readonly CacheMark[];
  /** If absent, the model estimates how many tokens the request leaves for the reply. */
  readonly replyBudget?: ReplyBudget;
}

/** The tokens that are left for a reply, from a caller that knows the size of the context. */
export interface ReplyBudget {
  /** The tokens that this reply may use, thinking included. */
  readonly tokens: number;
  /** The tokens that are left at every request up to the compaction threshold; the same for each request. */
  readonly reserve: number;
}

/** A named part of the system prompt. The content of the system message is named `prompt`. */
export interface SystemSection {
  readonly name: string;
  readonly text: string;
}

/** Which tools the model may or must call. */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

/** The end of a prefix that the provider should cache. */
export type CacheMark =
  | { readonly after: "tools" }
  | { readonly after: "system" }
  | { readonly after: "message"; readonly index: number };

/** Identifies a model by API, provider and name. Signatures and call ids are sent back only to the same model. */
export interface ModelName {
  readonly api: string;
  readonly provider: string;
  readonly model: string;
}
