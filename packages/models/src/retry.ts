/** Retries a busy or unreachable model with jittered backoff, honours Retry-After and keeps within a time budget. */

import type { Model, ModelEvent, ModelFailure, Request, Runtime, StreamOptions } from "@pith/context";
import { IdleTimeoutError } from "./read-stream.ts";

export interface RequestPolicy {
  /** The most retries of one request. */
  readonly retries: number;
  /** The most milliseconds of waiting, all retries together. */
  readonly maxTotalWaitMs: number;
  /** The longest first wait. Each later wait may be twice as long. */
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
  /** How long to wait for the first token. A local model may read a long prompt for minutes. */
  readonly firstTokenTimeoutMs: number;
  /** How long to wait for more data after the first token. Some models think silently for minutes. */
  readonly idleTimeoutMs: number;
}

export const defaultRequestPolicy: RequestPolicy = {
  retries: 6,
  maxTotalWaitMs: 180_000,
  firstWaitMs: 1_000,
  maxWaitMs: 30_000,
  firstTokenTimeoutMs: 600_000,
  idleTimeoutMs: 300_000,
};

export interface RetryRuntime {
  readonly sleep: Runtime["sleep"];
  /** From 0 up to 1. Spreads the retries of clients that were refused at the same time. */
  readonly random: () => number;
}

/** Wraps a model so that temporary failures are retried. Failures that a second request would not change are not. */
export function withRetries(model: Model, runtime: RetryRuntime, policy: RequestPolicy = defaultRequestPolicy): Model {
  return {
    api: model.api,
    provider: model.provider,
    model: model.model,
    get contextWindow() {
      return model.contextWindow;
    },
    maxTokens: model.maxTokens,
    ...(model.takesTools !== undefined && { takesTools: model.takesTools }),
    stream: (request, options) => streamWithRetries({ model, request, options, runtime, policy }),
  };
}

interface RetryContext {
  readonly model: Model;
  readonly request: Request;
  readonly options: StreamOptions;
  readonly runtime: RetryRuntime;
  readonly policy: RequestPolicy;
}

async function* streamWithRetries({
  model,
  request,
  options,
  runtime,
  policy,
}: RetryContext): AsyncGenerator<ModelEvent> {
  const { signal } = options;
  let remainingMs = policy.maxTotalWaitMs;
  for (let retry = 0; ; retry += 1) {
    const failedEvent = yield* forwardUntilFailure(model.stream(request, options));
    if (!failedEvent) return;
    const waitMs = computeRetryDelay(failedEvent.failure, { retry, policy, random: runtime.random });
    if (signal?.aborted || waitMs === null || waitMs > remainingMs) return yield failedEvent;
    const usage = failedEvent.message?.usage;
    const maxAttempts = policy.retries;
    yield {
      type: "reply-restarted",
      failure: failedEvent.failure,
      waitMs,
      maxAttempts,
      ...(usage && { usage }),
    };
    await runtime.sleep(waitMs, signal ? { signal } : {}).catch(() => undefined); // An abort is checked next.
    if (signal?.aborted)
      return yield { type: "reply-failed", failure: { kind: "aborted", message: "aborted while waiting to retry" } };
    remainingMs -= waitMs;
  }
}

type ReplyFailedEvent = Extract<ModelEvent, { type: "reply-failed" }>;

/** Yields all events except a failure, which it returns. */
async function* forwardUntilFailure(
  events: AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent, ReplyFailedEvent | null> {
  for await (const event of events) {
    if (event.type === "reply-failed") return event;
    yield event;
  }
  return null;
}

/** Null if a retry would not help. */
function computeRetryDelay(
  { kind, reason, retryAfterMs, cause }: ModelFailure,
  { retry, policy, random }: { readonly retry: number; readonly policy: RequestPolicy; readonly random: () => number },
): number | null {
  if ((kind !== "busy" && kind !== "unreachable") || retry >= policy.retries) return null;
  if (reason === "tls") return null;
  if ((reason === "connection-refused" || reason === "unknown-host") && retry >= MAX_UNCONNECTED_RETRIES) return null;
  if (cause instanceof IdleTimeoutError && retry >= MAX_TIMEOUT_RETRIES) return null;
  const maxDelayMs = Math.min(policy.maxWaitMs, policy.firstWaitMs * 2 ** retry);
  // The provider's wait is the minimum; jitter only adds to it.
  if (retryAfterMs !== undefined && retryAfterMs >= 0) return Math.ceil(retryAfterMs + random() * policy.firstWaitMs);
  return Math.ceil(maxDelayMs * (0.5 + random() / 2));
}

/** RTY7: a server that is not running stays down, and a wrong name stays unknown; a server that restarts is soon back. */
const MAX_UNCONNECTED_RETRIES = 2;
/** RTY8: each timeout has already taken minutes. */
const MAX_TIMEOUT_RETRIES = 1;
