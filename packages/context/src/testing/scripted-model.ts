/** Creates a model that replies from a script and records every request, and a deterministic runtime. */

import type { AssistantMessage } from "../message.ts";
import type { Model, ModelEvent, ModelFailure, Request } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import { emptyUsage } from "./story.ts";

/** A reply: its text, a message, or a failure. */
export type ScriptedReply = string | Partial<AssistantMessage> | { readonly failure: ModelFailure };

/** A model that replies from a script, with the requests it received. */
export interface ScriptedModel extends Model {
  readonly requests: readonly Request[];
}

/** Creates a model that gives these replies in order; any further request throws. */
export function scriptedModel(...replies: readonly ScriptedReply[]): ScriptedModel {
  const requests: Request[] = [];
  const modelName = { api: "anthropic-messages", provider: "anthropic", model: "storyteller" };
  return {
    ...modelName,
    contextWindow: 200_000,
    maxTokens: 8_000,
    requests,
    async *stream(request, { signal }) {
      requests.push(request);
      const reply = replies[requests.length - 1];
      if (reply === undefined)
        throw new Error(`request ${requests.length}: the script has only ${replies.length} replies`);
      yield* signal?.aborted ? [abortEvent] : createReplyEvents(reply, modelName);
    },
  };
}

const abortEvent: ModelEvent = {
  type: "reply-failed",
  failure: { kind: "aborted", message: "aborted before it started" },
};

function* createReplyEvents(
  reply: ScriptedReply,
  modelName: Pick<Model, "api" | "provider" | "model">,
): Generator<ModelEvent> {
  if (typeof reply === "object" && "failure" in reply) {
    yield { type: "reply-failed", failure: reply.failure };
    return;
  }
  const partialMessage = typeof reply === "string" ? { content: [{ type: "text" as const, text: reply }] } : reply;
  const message: AssistantMessage = {
    role: "assistant",
    content: [],
    ...modelName,
    usage: emptyUsage,
    stopReason: partialMessage.content?.some((block) => block.type === "toolCall") ? "toolUse" : "stop",
    timestamp: 0,
    ...partialMessage,
  };
  for (const block of message.content) if (block.type === "text") yield { type: "text-delta", text: block.text };
  yield { type: "reply-ended", message };
}

/** Creates a runtime with a deterministic clock and ids; `prefix` makes the ids of two runtimes differ. */
export function testRuntime(prefix = "e"): Runtime {
  let time = 1767225600000;
  let ids = 0;
  let sessions = 0;
  return {
    now: () => (time += 1000),
    entryId: () => `${prefix}${++ids}`,
    sessionId: () => `session-${prefix}${++sessions}`,
    nonce: () => `nonce-${++ids}`,
    sleep: (ms, { signal }) => sleepMicrotasks(ms, signal),
    checksum: crc32,
  };
}

// A sleep of one millisecond waits for one microtask.
async function sleepMicrotasks(count: number, signal: AbortSignal | undefined): Promise<void> {
  for (let turn = 0; turn < count && !signal?.aborted; turn++) await null;
}

function crc32(bytes: Uint8Array): number {
  let sum = ~0;
  for (const byte of bytes) sum = (sum >>> 8) ^ (crcTable[(sum ^ byte) & 0xff] ?? 0);
  return ~sum >>> 0;
}

const crcTable = Int32Array.from({ length: 256 }, (_, start) => {
  let row = start;
  for (let bit = 0; bit < 8; bit++) row = row & 1 ? (row >>> 1) ^ 0xedb88320 : row >>> 1;
  return row;
});
