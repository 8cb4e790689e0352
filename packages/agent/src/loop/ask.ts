/** One request to the model: built from the branch, told piece by piece, and what came of it in the log. */

import {
  type AssistantMessage,
  buildRequest,
  buildSessionContext,
  hookedContext,
  type ModelEvent,
  type ModelFailure,
  type Request,
} from "@pith/context";
import { appended } from "../append.ts";
import type { AgentEvent } from "../events.ts";
import { during, type Tell } from "./during.ts";
import type { RunParts } from "./run-parts.ts";

export type Asked =
  /** With `overflow` the reply counts, but its context was too much. */
  | { readonly type: "replied"; readonly message: AssistantMessage; readonly overflow: boolean }
  /** With `message`, what had come by then. */
  | { readonly type: "failed"; readonly failure: ModelFailure; readonly message?: AssistantMessage };

/** The reply stands in the log under the id of the step. */
export async function* ask(parts: RunParts, stepId: string): AsyncGenerator<AgentEvent, Asked> {
  yield { type: "message_start", message: unsaid(parts) };
  const asked = yield* during<AgentEvent, Asked>((tell) =>
    parts.step(stepId, async () => {
      const request = await requestOf(parts);
      return request ? streamed(request, { parts, stepId, tell }) : unheard(parts);
    }),
  );
  const said = asked.type === "replied" ? asked.message : (asked.message ?? unsaid(parts, asked.failure));
  yield { type: "message_end", message: said };
  return asked;
}

/** Null: somebody who has a say in it stopped it. */
async function requestOf({ session, model, hooks, ports, signal }: RunParts): Promise<Request | null> {
  const context = buildSessionContext(session.window);
  const hooked = hooks.context?.length ? await hookedContext(context, { hooks, ports, signal }) : null;
  if (hooked?.type === "cancelled") return null;
  return buildRequest(hooked?.context ?? context, { to: model });
}

function unheard({ signal }: RunParts): Asked {
  const failure: ModelFailure = signal.aborted
    ? { kind: "aborted", message: "it was stopped" }
    : { kind: "refused", message: "a hook that watches over every request failed, so none was sent" };
  return { type: "failed", failure };
}

interface Stream {
  readonly parts: RunParts;
  readonly stepId: string;
  readonly tell: Tell<AgentEvent>;
}

async function streamed(request: Request, { parts, stepId, tell }: Stream): Promise<Asked> {
  const { session, model, signal } = parts;
  const release = session.occupy("streaming");
  let restarts = 0;
  try {
    for await (const event of model.stream(request, { signal })) {
      switch (event.type) {
        case "reply-restarted":
          restarts += 1;
          tell(restarted(event, restarts));
          continue;
        case "reply-ended":
        case "reply-failed":
          if (restarts > 0) tell(restartsEnded(event, restarts));
          return await kept(event, session, stepId);
        default:
          tell({ type: "message_update", delta: event });
      }
    }
    return { type: "failed", failure: { kind: "unreachable", message: "the reply never ended" } };
  } finally {
    release();
  }
}

type LastEvent = Extract<ModelEvent, { type: "reply-ended" | "reply-failed" }>;

/** What was said is in the log before anybody acts on it; half a reply too, for people to read. */
async function kept(event: LastEvent, session: RunParts["session"], id: string): Promise<Asked> {
  if (event.message) await appended(session, { type: "message", message: event.message, id });
  if (event.type === "reply-failed")
    return { type: "failed", failure: event.failure, ...(event.message && { message: event.message }) };
  return { type: "replied", message: event.message, overflow: event.overflow !== undefined };
}

function restarted({ failure, waitMs }: Extract<ModelEvent, { type: "reply-restarted" }>, attempt: number): AgentEvent {
  return { type: "auto_retry_start", attempt, delayMs: waitMs, errorMessage: failure.message };
}

function restartsEnded(event: LastEvent, attempt: number): AgentEvent {
  const success = event.type === "reply-ended";
  return { type: "auto_retry_end", attempt, success, ...(!success && { finalError: event.failure.message }) };
}

/** A reply of which nothing has come. */
function unsaid({ model, ports }: RunParts, failure?: ModelFailure): AssistantMessage {
  const { api, provider, model: name } = model;
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    role: "assistant",
    content: [],
    api,
    provider,
    model: name,
    usage: { ...free, totalTokens: 0, cost: { ...free, total: 0 } },
    stopReason: failure ? (failure.kind === "aborted" ? "aborted" : "error") : "stop",
    ...(failure && { errorMessage: failure.message }),
    timestamp: ports.now(),
  };
}
