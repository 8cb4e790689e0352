/** Defines the model port: a request in, events out, failures as values. Providers are adapters behind it. */

import type { AssistantMessage, Message, ThinkingLevel, Tool, Usage } from "./message.ts";

/** The model port: a request in, events out, failures as values. */
export interface Model extends ModelName {
  /** Tokens the model can see at once, its answer included. */
  readonly contextWindow: number;
  /** Tokens of one answer at most. */
  readonly maxTokens: number;
  /** The clock and the random words of the machine it is asked from, for calls that are handed nothing else of it. */
  readonly runtime?: {
    readonly sleep: (ms: number, options: { readonly signal?: AbortSignal }) => Promise<void>;
    readonly nonce: () => string;
  };
  /** False for a model that can call no tools; then none are declared to it, and its system prompt says so. */
  readonly takesTools?: boolean;
  /** Ends with exactly one `reply-ended` or `reply-failed`; never throws for what a provider does. */
  stream(request: Request, options: StreamOptions): AsyncIterable<ModelEvent>;
}

export interface StreamOptions {
  readonly signal?: AbortSignal;
  readonly transport?: TransportOptions;
}

/** What goes over the line beside a request; a model without one need not look at it. */
export interface TransportOptions {
  /** Sent with it. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Told the headers of the answer, before its words come. */
  readonly onResponse?: (headers: Readonly<Record<string, string>>) => void;
  /** Told each piece as the provider sent it; without it, none are asked for. */
  readonly onChunk?: (chunk: unknown) => void;
}

export type ModelEvent =
  /** The request differs from what was asked for; for people, before anything of the reply. */
  | { readonly type: "notice"; readonly code: "thinking-off"; readonly message: string }
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "thinking-delta"; readonly text: string }
  | {
      readonly type: "tool-call-delta";
      readonly index: number;
      readonly json: string;
      /** Whose arguments these are, where that is known while they come. */
      readonly call?: { readonly id: string; readonly name: string };
    }
  /**
   * What came so far does not count: the model is asked again after `waitMs`, and in all at most `most` times. With
   * `usage`, what it cost all the same.
   */
  | {
      readonly type: "reply-restarted";
      readonly failure: ModelFailure;
      readonly waitMs: number;
      readonly maxAttempts?: number;
      readonly usage?: Usage;
    }
  /** With `overflow` the reply counts, but the context was too much for it: compact before the next request. */
  | { readonly type: "reply-ended"; readonly message: AssistantMessage; readonly overflow?: ModelFailure }
  /** With `message`, what had come by then, and what it cost. */
  | { readonly type: "reply-failed"; readonly failure: ModelFailure; readonly message?: AssistantMessage };

export interface ModelFailure {
  /**
   * `overflow`: too many tokens. `payload`: one item too big. `busy`: wait. `quota`: more than a minute's allowance, so
   * that waiting never helps. `refused`: it will not. `unreachable`: no answer, or one that broke off.
   */
  readonly kind: "overflow" | "payload" | "busy" | "quota" | "refused" | "unreachable" | "aborted";
  readonly message: string;
  /** The most tokens it takes, where it said so. */
  readonly limit?: number;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** What a model is sent: one plain value, a pure function of the branch. Nothing else is ever sent. */
export interface Request {
  readonly system: readonly SystemSection[];
  readonly tools: readonly Tool[];
  readonly messages: readonly Message[];
  readonly thinking: ThinkingLevel;
  readonly toolChoice: ToolChoice;
  readonly cacheMarks: readonly CacheMark[];
  /** Without it the model estimates what the request leaves of its window. */
  readonly replyBudget?: ReplyBudget;
}

/** How much of the window is left for a reply, by a caller who knows the size of the context. */
export interface ReplyBudget {
  /** Tokens that the reply may use now, its thinking included. */
  readonly tokens: number;
  /** Tokens that are left at every request up to the compaction threshold. What follows from it does not change from request to request. */
  readonly reserve: number;
}

/** A named part of the system prompt; the unnamed first text is called `prompt`. */
export interface SystemSection {
  readonly name: string;
  readonly text: string;
}

export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

/** A place up to which a provider is asked to keep the prefix. */
export type CacheMark =
  | { readonly after: "tools" }
  | { readonly after: "system" }
  | { readonly after: "message"; readonly index: number };

/** Whose request it is: signatures and call ids of the same model go back as they came. */
export interface ModelName {
  readonly api: string;
  readonly provider: string;
  readonly model: string;
}
