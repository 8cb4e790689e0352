/** Retries a busy or unreachable model with jittered backoff, honours Retry-After and keeps within a time budget. */

import type { Model, ModelEvent, ModelFailure, Request, Runtime, StreamOptions } from "@pith/context";
import { Silence } from "./stream.ts";

export interface Patience {
  /** Times it is asked again at most. */
  readonly retries: number;
  /** Milliseconds of waiting at most, all retries together. */
  readonly budgetMs: number;
  /** The first wait at most; each one after it may be twice as long. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** Until the first token: a local model may read a long prompt for minutes, on an open line or before it answers at all. */
  readonly firstTokenMs: number;
  /** After the first token, a line on which nothing comes for so long is taken for dead. Some models think for minutes without a word. */
  readonly silenceMs: number;
}

export const patience: Patience = {
  retries: 6,
  budgetMs: 180_000,
  firstMs: 1_000,
  longestMs: 30_000,
  firstTokenMs: 600_000,
  silenceMs: 300_000,
};

export interface RetryPorts {
  readonly sleep: Runtime["sleep"];
  /** From 0 up to 1: spreads out those who were refused together. */
  readonly random: () => number;
}

/** The same model, for whom a moment's trouble is not the end. Nothing that another request would not change is asked twice. */
export function retrying(model: Model, ports: RetryPorts, limits: Patience = patience): Model {
  return {
    api: model.api,
    provider: model.provider,
    model: model.model,
    get contextWindow() {
      return model.contextWindow;
    },
    maxTokens: model.maxTokens,
    ...(model.takesTools !== undefined && { takesTools: model.takesTools }),
    stream: (request, act) => attempts({ model, request, act, ports, limits }),
  };
}

interface Attempts {
  readonly model: Model;
  readonly request: Request;
  readonly act: StreamOptions;
  readonly ports: RetryPorts;
  readonly limits: Patience;
}

async function* attempts({ model, request, act, ports, limits }: Attempts): AsyncGenerator<ModelEvent> {
  const { signal } = act;
  let left = limits.budgetMs;
  for (let retry = 0; ; retry += 1) {
    const failed = yield* attempt(model.stream(request, act));
    if (!failed) return;
    const waitMs = waitFor(failed.failure, { retry, limits, random: ports.random });
    if (signal?.aborted || waitMs === null || waitMs > left) return yield failed;
    const usage = failed.message?.usage;
    const most = limits.retries;
    yield { type: "reply-restarted", failure: failed.failure, waitMs, maxAttempts: most, ...(usage && { usage }) };
    await ports.sleep(waitMs, signal ? { signal } : {}).catch(() => undefined); // Aborted, which is asked next.
    if (signal?.aborted)
      return yield { type: "reply-failed", failure: { kind: "aborted", message: "aborted while waiting" } };
    left -= waitMs;
  }
}

type Failed = Extract<ModelEvent, { type: "reply-failed" }>;

/** Passes everything on but a failure, which it hands back. */
async function* attempt(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent, Failed | null> {
  for await (const event of events) {
    if (event.type === "reply-failed") return event;
    yield event;
  }
  return null;
}

/** Null: asking again would not help, or not soon enough. */
function waitFor(
  { kind, retryAfterMs, cause }: ModelFailure,
  { retry, limits, random }: { readonly retry: number; readonly limits: Patience; readonly random: () => number },
): number | null {
  if ((kind !== "busy" && kind !== "unreachable") || retry >= limits.retries) return null;
  if (Object(cause).code === NOBODY_LISTENS && retry >= MOST_FOR_NOBODY) return null;
  if (cause instanceof Silence && retry >= MOST_FOR_SILENCE) return null;
  const longest = Math.min(limits.longestMs, limits.firstMs * 2 ** retry);
  // What the provider asks for is the least; chance only adds to it.
  if (retryAfterMs !== undefined && retryAfterMs >= 0) return Math.ceil(retryAfterMs + random() * limits.firstMs);
  return Math.ceil(longest * (0.5 + random() / 2));
}

/** RTY7: a server that was not started does not start by being asked; one that restarts is back in a moment. */
const NOBODY_LISTENS = "ECONNREFUSED";
const MOST_FOR_NOBODY = 2;
/** RTY8: each silence has taken minutes already. */
const MOST_FOR_SILENCE = 1;
