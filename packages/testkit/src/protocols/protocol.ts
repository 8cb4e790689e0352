/** Types of a wire protocol: how it reads and refuses requests, writes replies and caches prompts. */

import type { Asked, Counted, ProviderError, Search, Stop, WireName } from "../script.ts";

export interface Wire {
  readonly name: WireName;
  /** Whether a request to this path speaks it. */
  readonly owns: (path: string) => boolean;
  readonly read: (request: WireRequest) => Omit<Asked, "number" | "wire" | "body">;
  /** The body in one spelling, where the provider takes two; what was sent stays in the log. */
  readonly inOneSpelling?: (body: Body) => Body;
  /** The first thing the provider would refuse it for. */
  readonly refusal: (request: WireRequest) => Refusal | null;
  /** The prompt in the order in which the provider caches it. */
  readonly prompt: (body: Body) => Prompt;
  /** The reply as a stream of events; some things are only told where the request asks for them. */
  readonly events: (said: Said, asked: Body) => Iterable<ServerEvent>;
  /** The reply in one piece. */
  readonly whole: (said: Said, asked: Body) => unknown;
  /** How it keeps the prompts of a model. */
  readonly cache: (model: string) => CacheRules;
  /** How it says that a prompt is too long. */
  readonly tooLong: (size: Size) => ProviderError;
  readonly errorBody: (error: ProviderError, status: number) => unknown;
  readonly errorEvent: (error: ProviderError) => ServerEvent;
}

export interface Size {
  readonly tokens: number;
  readonly window: number;
}

export type Body = Readonly<Record<string, unknown>>;

export interface WireRequest {
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
  readonly pieces: readonly Piece[];
  /** What the messages' cache depends on besides their bytes: thinking, tool choice. */
  readonly settings: string;
}

export interface Piece {
  readonly level: "tools" | "system" | "messages";
  /** The bytes that count, without the mark. */
  readonly text: string;
  /** Seconds for which the request asks to keep the prefix up to here; null where it does not ask. */
  readonly keptFor: number | null;
  /** Pieces of one kind in a row count as one when a provider looks back. */
  readonly run?: string;
}

/** A reply with every name and number in place, ready to be spelled. */
export interface Said {
  /** A word that is new for every reply, for ids. */
  readonly id: string;
  readonly model: string;
  readonly parts: readonly SaidPart[];
  readonly stop: Stop;
  readonly stopAs?: string;
  /** Null: the provider says nothing of it. */
  readonly usage: Counted | null;
  /** Characters in one delta. */
  readonly chunk: number;
}

export type SaidPart =
  | { readonly type: "text"; readonly text: string; readonly signature: string }
  | { readonly type: "thinking"; readonly text: string; readonly redacted: boolean; readonly signature: string }
  | {
      readonly type: "call";
      readonly name: string;
      readonly json: string;
      readonly id: string;
      readonly signature: string;
    }
  | SaidSearch;

export interface SaidSearch extends Search {
  readonly id: string;
}

/** A text in deltas; an empty one is one empty delta. */
export function chunks(text: string, size: number): readonly string[] {
  const count = Math.max(1, Math.ceil(text.length / size));
  return Array.from({ length: count }, (_, at) => text.slice(at * size, (at + 1) * size));
}

export interface CacheRules {
  /** `marks`: only where the request asks, found again by looking back a few blocks. `prefixes`: by itself, the longest it knows. */
  readonly keeps: "marks" | "prefixes";
  /** Tokens a prefix must have at least. */
  readonly least: number;
  /** Prefixes are kept in steps of so many tokens. */
  readonly step: number;
  /** Seconds without a read after which a prefix is forgotten, where the request does not say. */
  readonly seconds: number;
}

/** By itself, from 1,024 tokens on, in steps of 128. */
export const longestPrefixes: CacheRules = { keeps: "prefixes", least: 1024, step: 128, seconds: 600 };
