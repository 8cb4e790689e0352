/** Types of a wire protocol: how it reads and refuses requests, writes replies and caches prompts. */

import type { ProtocolName, ProviderError, ScriptRequest, SearchPart, StopReason, TokenUsage } from "../script.ts";

export interface Protocol {
  readonly name: ProtocolName;
  /** Whether a request to this path speaks it. */
  readonly matchesPath: (path: string) => boolean;
  readonly readRequest: (request: ProtocolRequest) => Omit<ScriptRequest, "number" | "wire" | "body">;
  /** The body in one spelling, where the provider takes two; what was sent stays in the log. */
  readonly normalizeBody?: (body: Body) => Body;
  /** The first thing the provider would refuse it for. */
  readonly checkRequest: (request: ProtocolRequest) => Refusal | null;
  /** The prompt in the order in which the provider caches it. */
  readonly readPrompt: (body: Body) => Prompt;
  /** The reply as a stream of events; some things are only told where the request asks for them. */
  readonly streamReply: (said: FinalReply, asked: Body) => Iterable<ServerEvent>;
  /** The reply in one piece. */
  readonly formatReply: (said: FinalReply, asked: Body) => unknown;
  /** How it keeps the prompts of a model. */
  readonly cacheRules: (model: string) => CacheRules;
  /** How it says that a prompt is too long. */
  readonly overflowError: (size: PromptSize) => ProviderError;
  readonly errorBody: (error: ProviderError, status: number) => unknown;
  readonly errorEvent: (error: ProviderError) => ServerEvent;
}

export interface PromptSize {
  readonly tokens: number;
  readonly window: number;
}

export type Body = Readonly<Record<string, unknown>>;

export interface ProtocolRequest {
  readonly path: string;
  /** What follows the path's question mark. */
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
  readonly bytes: number;
}

export interface Refusal extends ProviderError {
  readonly status: number;
}

/** A server-sent event; `data` is JSON, or words of the protocol's own. */
export interface ServerEvent {
  readonly event?: string;
  readonly data: unknown;
}

export interface Prompt {
  readonly pieces: readonly PromptBlock[];
  /** What the messages' cache depends on besides their bytes: thinking, tool choice. */
  readonly settings: string;
}

export interface PromptBlock {
  readonly level: "tools" | "system" | "messages";
  /** The bytes that count, without the mark. */
  readonly text: string;
  /** Seconds for which the request asks to keep the prefix up to here; null where it does not ask. */
  readonly keptFor: number | null;
  /** Pieces of one kind in a row count as one when a provider looks back. */
  readonly runKey?: string;
}

/** A reply with every name and number in place, ready to be spelled. */
export interface FinalReply {
  /** A word that is new for every reply, for ids. */
  readonly id: string;
  readonly model: string;
  readonly parts: readonly FinalPart[];
  readonly stop: StopReason;
  readonly stopAs?: string;
  /** Null: the provider says nothing of it. */
  readonly usage: TokenUsage | null;
  /** Characters in one delta. */
  readonly chunkSize: number;
}

export type FinalPart =
  | { readonly type: "text"; readonly text: string; readonly signature: string }
  | { readonly type: "thinking"; readonly text: string; readonly redacted: boolean; readonly signature: string }
  | {
      readonly type: "call";
      readonly name: string;
      readonly json: string;
      readonly id: string;
      readonly signature: string;
    }
  | FinalSearch;

export interface FinalSearch extends SearchPart {
  readonly id: string;
}

/** A text in deltas; an empty one is one empty delta. */
export function splitIntoChunks(text: string, size: number): readonly string[] {
  const count = Math.max(1, Math.ceil(text.length / size));
  return Array.from({ length: count }, (_, index) => text.slice(index * size, (index + 1) * size));
}

export interface CacheRules {
  /** `marks`: only where the request asks, found again by looking back a few blocks. `prefixes`: by itself, the longest it knows. */
  readonly cachedBy: "marks" | "prefixes";
  /** Tokens a prefix must have at least. */
  readonly minTokens: number;
  /** Prefixes are kept in steps of so many tokens. */
  readonly stepTokens: number;
  /** Seconds without a read after which a prefix is forgotten, where the request does not say. */
  readonly ttlSeconds: number;
}

/** By itself, from 1,024 tokens on, in steps of 128. */
export const PREFIX_CACHE_RULES: CacheRules = {
  cachedBy: "prefixes",
  minTokens: 1024,
  stepTokens: 128,
  ttlSeconds: 600,
};
