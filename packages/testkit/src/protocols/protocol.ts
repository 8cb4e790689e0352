/** Types of a wire protocol: how it reads and refuses requests, writes replies and caches prompts. */

import type { ProtocolName, ProviderError, ScriptRequest, SearchPart, StopReason, TokenUsage } from "../script.ts";

export interface Protocol {
  readonly name: ProtocolName;
  /** Whether requests to this path use the protocol. */
  readonly matchesPath: (path: string) => boolean;
  readonly readRequest: (request: ProtocolRequest) => Omit<ScriptRequest, "number" | "wire" | "body">;
  /** Brings field names to one spelling, if the provider accepts two. The log keeps the body as it was sent. */
  readonly normalizeBody?: (body: Body) => Body;
  /** Finds the first fault that the provider would refuse. */
  readonly checkRequest: (request: ProtocolRequest) => Refusal | null;
  /** Reads the prompt in the order in which the provider caches it. */
  readonly readPrompt: (body: Body) => Prompt;
  /** Writes a reply as events. Some fields are sent only if the request asks for them. */
  readonly streamReply: (reply: FinalReply, requestBody: Body) => Iterable<ServerEvent>;
  /** Writes a reply as one body. */
  readonly formatReply: (reply: FinalReply, requestBody: Body) => unknown;
  readonly cacheRules: (model: string) => CacheRules;
  /** The provider's error for a prompt that is too long. */
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
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
  readonly bytes: number;
}

export interface Refusal extends ProviderError {
  readonly status: number;
}

/** A server-sent event. `data` is a JSON value or, as a string, raw text such as `[DONE]`. */
export interface ServerEvent {
  readonly event?: string;
  readonly data: unknown;
}

export interface Prompt {
  readonly blocks: readonly PromptBlock[];
  /** Settings that invalidate the cached messages when they change, such as thinking and tool choice. */
  readonly settings: string;
}

export interface PromptBlock {
  readonly level: "tools" | "system" | "messages";
  /** The block's JSON without its cache mark. */
  readonly text: string;
  /** The time to live of a cache mark on this block, in seconds; null without a mark. */
  readonly ttlSeconds: number | null;
  /** Consecutive blocks with the same key count as one for the look-back limit. */
  readonly runKey?: string;
}

/** A reply with all ids, signatures and numbers, ready to be written in a protocol's format. */
export interface FinalReply {
  /** A random hex string that is part of the reply's ids. */
  readonly id: string;
  readonly model: string;
  readonly parts: readonly FinalPart[];
  readonly stop: StopReason;
  readonly stopAs?: string;
  /** Null: the reply reports no usage. */
  readonly usage: TokenUsage | null;
  /** The number of characters in one delta. */
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

/** Splits a text into deltas. An empty text is one empty delta. */
export function splitIntoChunks(text: string, size: number): readonly string[] {
  const count = Math.max(1, Math.ceil(text.length / size));
  return Array.from({ length: count }, (_, index) => text.slice(index * size, (index + 1) * size));
}

export interface CacheRules {
  /** `marks`: caches up to the marks of a request, and looks back a few blocks from each. `prefixes`: caches every prefix and reads the longest. */
  readonly cachedBy: "marks" | "prefixes";
  /** The minimum length of a cached prefix, in tokens. */
  readonly minTokens: number;
  /** Prefixes are cached in steps of this many tokens. */
  readonly stepTokens: number;
  /** Seconds without a read after which a prefix expires, if the request does not set a time. */
  readonly ttlSeconds: number;
}

/** The rules of OpenAI and Google: automatic caching from 1,024 tokens, in steps of 128. */
export const PREFIX_CACHE_RULES: CacheRules = {
  cachedBy: "prefixes",
  minTokens: 1024,
  stepTokens: 128,
  ttlSeconds: 600,
};
