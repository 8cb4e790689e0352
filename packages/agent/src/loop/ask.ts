/** One request to the model: built from the branch, told piece by piece, and what came of it in the log. */

import {
  type AssistantMessage,
  buildRequest,
  buildSessionContext,
  type ModelEvent,
  type ModelFailure,
} from "@pith/context";
import type { AgentEvent } from "../events.ts";
import { during, type Tell } from "./during.ts";
import type { RunParts } from "./run-parts.ts";

export type Asked =
  /** With `overflow` the reply counts, but its context was too much. */
  | { readonly type: "replied"; readonly message: AssistantMessage; readonly overflow: boolean }
  | { readonly type: "failed"; readonly failure: ModelFailure };

export async function* ask(parts: RunParts, stepId: string): AsyncGenerator<AgentEvent, Asked> {
  const asked = yield* during<AgentEvent, Asked>((tell) => parts.step(stepId, () => streamed(parts, tell)));
  const message = asked.type === "replied" ? asked.message : null;
  if (message) yield { type: "message_end", message };
  return asked;
}

async function streamed({ session, model, thinking, signal }: RunParts, tell: Tell<AgentEvent>): Promise<Asked> {
  const context = buildSessionContext(session.window);
  const request = buildRequest(context, { to: model, ...(thinking && { thinking }) });
  const release = session.occupy("streaming");
  try {
    for await (const event of model.stream(request, { signal })) {
      if (event.type === "reply-ended" || event.type === "reply-failed") return await kept(event, session);
      tell(event.type === "reply-restarted" ? restarted(event) : { type: "message_update", delta: event });
    }
    return { type: "failed", failure: { kind: "unreachable", message: "the reply never ended" } };
  } finally {
    release();
  }
}

type LastEvent = Extract<ModelEvent, { type: "reply-ended" | "reply-failed" }>;

/** What was said is in the log before anybody acts on it; half a reply too, for people to read. */
async function kept(event: LastEvent, session: RunParts["session"]): Promise<Asked> {
  if (event.message) await session.append({ type: "message", message: event.message });
  if (event.type === "reply-failed") return { type: "failed", failure: event.failure };
  return { type: "replied", message: event.message, overflow: event.overflow !== undefined };
}

function restarted({ failure, waitMs }: Extract<ModelEvent, { type: "reply-restarted" }>): AgentEvent {
  return { type: "auto_retry_start", delayMs: waitMs, errorMessage: failure.message };
}
