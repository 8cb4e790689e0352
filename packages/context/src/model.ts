/** The door to a model: a request in, events out. Providers are adapters behind this port. */

import type { AssistantMessage } from "./message.ts";
import type { ModelName, Request } from "./request.ts";

export interface Model extends ModelName {
  /** Tokens the model can see at once, its answer included. */
  readonly contextWindow: number;
  /** Tokens of one answer at most. */
  readonly maxTokens: number;
  /** Ends with exactly one `reply-ended` or `reply-failed`; never throws for what a provider does. */
  stream(request: Request, act: { readonly signal?: AbortSignal }): AsyncIterable<ModelEvent>;
}

export type ModelEvent =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "thinking-delta"; readonly text: string }
  | { readonly type: "tool-call-delta"; readonly index: number; readonly json: string }
  | { readonly type: "reply-ended"; readonly message: AssistantMessage }
  | { readonly type: "reply-failed"; readonly failure: ModelFailure };

export interface ModelFailure {
  /** `overflow`: too many tokens. `payload`: one item too big. `busy`: wait. `refused`: it will not. `unreachable`: no answer. */
  readonly kind: "overflow" | "payload" | "busy" | "refused" | "unreachable" | "aborted";
  readonly message: string;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}
