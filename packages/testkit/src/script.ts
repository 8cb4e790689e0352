/** Types of a script: a list of steps, one for each request, or a function from a request to its step. */

export type Script = readonly Step[] | ((request: ScriptRequest) => Step | Promise<Step>);

/** A text reply, a whole reply, or a refusal. */
export type Step = string | Reply | RefusalStep;

export interface Reply {
  readonly parts: readonly ReplyPart[];
  /** Default: `calls` if a part is a call, else `stop`. */
  readonly stop?: StopReason;
  /** The provider's own stop reason, sent as it is. */
  readonly stopAs?: string;
  /** Replaces the counted usage: some of its numbers, all zeros, or no usage at all. */
  readonly usage?: Partial<TokenUsage> | "zero" | "none";
  readonly pace?: ReplyPace;
  readonly breaks?: ReplyBreak;
}

export type ReplyPart =
  | { readonly type: "text"; readonly text: string }
  /** Signed by the server. A request that returns it changed is refused. */
  | { readonly type: "thinking"; readonly text: string; readonly redacted?: boolean }
  | {
      readonly type: "call";
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly id?: string;
    }
  | SearchPart;

/** A search by the provider's own tool, which the request must declare. Later requests must return its results unchanged. */
export interface SearchPart {
  readonly type: "search";
  readonly query: string;
  readonly results: readonly SearchResult[];
  /** The provider's error code, sent instead of results: `max_uses_exceeded`. */
  readonly error?: string;
}

export interface SearchResult {
  readonly title: string | null;
  readonly url: string;
}

export type StopReason = "stop" | "length" | "calls" | "refusal" | "context-window";

export interface TokenUsage {
  /** Prompt tokens that were not read from or written to the cache. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

export interface ReplyPace {
  /** Milliseconds before the first byte. */
  readonly waitMs?: number;
  /** Milliseconds between two events. */
  readonly everyMs?: number;
  /** Characters in one delta. Default: 80. */
  readonly chunk?: number;
}

/** How a reply breaks. `after` is the number of events sent before the break; without it not even the headers are sent. */
export type ReplyBreak =
  /** Sends nothing more and keeps the connection open. */
  | { readonly how: "stall"; readonly after?: number }
  /** Closes the connection abruptly. */
  | { readonly how: "cut"; readonly after?: number }
  /** Ends the response as if it were complete. */
  | { readonly how: "end"; readonly after?: number }
  /** Sends one event that is not JSON, then continues. */
  | { readonly how: "garbage"; readonly after?: number }
  /** Sends the next event `times` times, then continues. Without `times`, repeats it until the client disconnects. */
  | { readonly how: "repeat"; readonly after: number; readonly times?: number }
  /** Sends an event whose line never ends, until the client disconnects. */
  | { readonly how: "long-line"; readonly after?: number }
  /** Sends an error event in the provider's format. */
  | { readonly how: "error"; readonly after?: number; readonly error: ProviderError };

export interface RefusalStep {
  readonly refuse: ProviderError & {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** A response body that replaces the provider's error format. */
    readonly body?: string;
  };
}

export interface ProviderError {
  readonly type?: string;
  readonly code?: string;
  readonly message: string;
}

export type ProtocolName = "anthropic-messages" | "openai-responses" | "openai-completions" | "google-generative-ai";

/** A request as a script sees it, with the same fields for all protocols. `body` is the whole request body. */
export interface ScriptRequest {
  /** Counts the requests that reached the script, from 1. */
  readonly number: number;
  readonly wire: ProtocolName;
  readonly model: string;
  readonly isStreaming: boolean;
  readonly tools: readonly string[];
  /** The last text of the user. */
  readonly text: string;
  /** The number of tool results at the end of the conversation. */
  readonly resultCount: number;
  readonly body: Readonly<Record<string, unknown>>;
}
