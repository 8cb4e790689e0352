/** Types of a script: a list of steps, one for each request, or a function from a request to its step. */

export type Script = readonly Step[] | ((asked: ScriptRequest) => Step | Promise<Step>);

/** A text to say, a whole reply, or a refusal. */
export type Step = string | Reply | RefusalStep;

export interface Reply {
  readonly parts: readonly ReplyPart[];
  /** Follows from the parts where nothing else is said. */
  readonly stop?: StopReason;
  /** What the provider itself calls the stop, where a test wants its spelling. */
  readonly stopAs?: string;
  /** Instead of what the server counted: some numbers, zeros, or nothing at all. */
  readonly usage?: Partial<TokenUsage> | "zero" | "none";
  readonly pace?: ReplyPace;
  readonly breaks?: ReplyBreak;
}

export type ReplyPart =
  | { readonly type: "text"; readonly text: string }
  /** Signed by the server, and refused later if a byte of it has changed. */
  | { readonly type: "thinking"; readonly text: string; readonly redacted?: boolean }
  | {
      readonly type: "call";
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly id?: string;
    }
  | SearchPart;

/** A search that the provider runs itself, where the request declares it; what it finds must come back unchanged. */
export interface SearchPart {
  readonly type: "search";
  readonly query: string;
  readonly results: readonly SearchResult[];
  /** In the place of results, what the provider calls its failure: `max_uses_exceeded`. */
  readonly error?: string;
}

export interface SearchResult {
  readonly title: string | null;
  readonly url: string;
}

export type StopReason = "stop" | "length" | "calls" | "refusal" | "context-window";

export interface TokenUsage {
  /** Tokens of the prompt that no cache held. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

export interface ReplyPace {
  /** Before the first byte. */
  readonly waitMs?: number;
  /** Between two events. */
  readonly everyMs?: number;
  /** Characters in one delta (80). */
  readonly chunk?: number;
}

/** Where a reply goes wrong. Without `after` even the headers do not come; otherwise so many events come first. */
export type ReplyBreak =
  /** Nothing more comes, and nothing ends. */
  | { readonly how: "stall"; readonly after?: number }
  /** The connection is torn down. */
  | { readonly how: "cut"; readonly after?: number }
  /** The answer ends as if it were whole. */
  | { readonly how: "end"; readonly after?: number }
  /** An event that is no JSON, then the rest. */
  | { readonly how: "garbage"; readonly after?: number }
  /** The next event is sent so many times, without `times` until the client leaves; then the rest. */
  | { readonly how: "repeat"; readonly after: number; readonly times?: number }
  /** An event whose line never ends, until the client leaves. */
  | { readonly how: "long-line"; readonly after?: number }
  /** An error in the provider's own shape, inside the stream. */
  | { readonly how: "error"; readonly after?: number; readonly error: ProviderError };

export interface RefusalStep {
  readonly refuse: ProviderError & {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** These bytes instead of the provider's own shape. */
    readonly body?: string;
  };
}

export interface ProviderError {
  readonly type?: string;
  readonly code?: string;
  readonly message: string;
}

export type ProtocolName = "anthropic-messages" | "openai-responses" | "openai-completions" | "google-generative-ai";

/** What was asked, in the same words for all protocols; `body` has the rest. */
export interface ScriptRequest {
  /** 1 for the first request that got as far as the script. */
  readonly number: number;
  readonly wire: ProtocolName;
  readonly model: string;
  readonly isStreaming: boolean;
  readonly tools: readonly string[];
  /** The newest text of the user. */
  readonly text: string;
  /** How many results of calls stand at the end of the conversation. */
  readonly resultCount: number;
  readonly body: Readonly<Record<string, unknown>>;
}
