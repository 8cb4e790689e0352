/** Retries a busy or unreachable model with jittered backoff, honours Retry-After and keeps within a time budget. */

import type { Model, ModelEvent, ModelFailure, Request, Runtime, StreamOptions } from "@pith/context";
import { IdleTimeoutError } from "./read-stream.ts";

export interface RequestPolicy {
  /** Times it is asked again at most. */
  readonly retries: number;
  /** Milliseconds of waiting at most, all retries together. */
  readonly maxTotalWaitMs: number;
  /** The first wait at most; each one after it may be twice as long. */
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
  /** Until the first token: a local model may read a long prompt for minutes, on an open line or before it answers at all. */
  readonly firstTokenTimeoutMs: number;
  /** After the first token, a line on which nothing comes for so long is taken for dead. Some models think for minutes without a word. */
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
  /** From 0 up to 1: spreads out those who were refused together. */
  readonly random: () => number;
}

/** The same model, for whom a moment's trouble is not the end. Nothing that another request would not change is asked twice. */
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
      maxAttempts: maxAttempts,
      ...(usage && { usage }),
    };
    await runtime.sleep(waitMs, signal ? { signal } : {}).catch(() => undefined); // Aborted, which is asked next.
    if (signal?.aborted)
      return yield { type: "reply-failed", failure: { kind: "aborted", message: "aborted while waiting" } };
    remainingMs -= waitMs;
  }
}

type ReplyFailedEvent = Extract<ModelEvent, { type: "reply-failed" }>;

/** Passes everything on but a failure, which it hands back. */
async function* forwardUntilFailure(
  events: AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent, ReplyFailedEvent | null> {
  for await (const event of events) {
    if (event.type === "reply-failed") return event;
    yield event;
  }
  return null;
}

/** Null: asking again would not help, or not soon enough. */
function computeRetryDelay(
  { kind, retryAfterMs, cause }: ModelFailure,
  { retry, policy, random }: { readonly retry: number; readonly policy: RequestPolicy; readonly random: () => number },
): number | null {
  if ((kind !== "busy" && kind !== "unreachable") || retry >= policy.retries) return null;
  if (Object(cause).code === CONNECTION_REFUSED && retry >= MAX_REFUSED_RETRIES) return null;
  if (cause instanceof IdleTimeoutError && retry >= MAX_TIMEOUT_RETRIES) return null;
  const maxDelayMs = Math.min(policy.maxWaitMs, policy.firstWaitMs * 2 ** retry);
  // What the provider asks for is the least; chance only adds to it.
  if (retryAfterMs !== undefined && retryAfterMs >= 0) return Math.ceil(retryAfterMs + random() * policy.firstWaitMs);
  return Math.ceil(maxDelayMs * (0.5 + random() / 2));
}

/** RTY7: a server that was not started does not start by being asked; one that restarts is back in a moment. */
const CONNECTION_REFUSED = "ECONNREFUSED";
const MAX_REFUSED_RETRIES = 2;
/** RTY8: each silence has taken minutes already. */
const MAX_TIMEOUT_RETRIES = 1;
