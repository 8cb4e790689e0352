/** A model that says what it is told to, reply by reply, and remembers every request. */

import type { AssistantMessage } from "../message.ts";
import type { Model, ModelEvent, ModelFailure } from "../model.ts";
import type { Request } from "../request.ts";
import { nothingUsed } from "./story.ts";

/** A text to say, a whole message, or a way to fail. */
export type ScriptedReply = string | Partial<AssistantMessage> | { readonly failure: ModelFailure };

export interface ScriptedModel extends Model {
  readonly requests: readonly Request[];
}

export function scriptedModel(...replies: readonly ScriptedReply[]): ScriptedModel {
  const requests: Request[] = [];
  const name = { api: "anthropic-messages", provider: "anthropic", model: "storyteller" };
  return {
    ...name,
    contextWindow: 200_000,
    maxTokens: 8_000,
    requests,
    async *stream(request, { signal }) {
      requests.push(request);
      const reply = replies[requests.length - 1];
      if (reply === undefined)
        throw new Error(`request ${requests.length}: the script has only ${replies.length} replies`);
      yield* signal?.aborted ? [aborted] : eventsOf(reply, name);
    },
  };
}

const aborted: ModelEvent = { type: "reply-failed", failure: { kind: "aborted", message: "aborted before it began" } };

function* eventsOf(reply: ScriptedReply, name: Pick<Model, "api" | "provider" | "model">): Generator<ModelEvent> {
  if (typeof reply === "object" && "failure" in reply) {
    yield { type: "reply-failed", failure: reply.failure };
    return;
  }
  const said = typeof reply === "string" ? { content: [{ type: "text" as const, text: reply }] } : reply;
  const message: AssistantMessage = {
    role: "assistant",
    content: [],
    ...name,
    usage: nothingUsed,
    stopReason: said.content?.some((block) => block.type === "toolCall") ? "toolUse" : "stop",
    timestamp: 0,
    ...said,
  };
  for (const block of message.content) if (block.type === "text") yield { type: "text-delta", text: block.text };
  yield { type: "reply-ended", message };
}
