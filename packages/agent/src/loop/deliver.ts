/** Messages that waited become part of the conversation, in the order they were said, each exactly once. */

import { QUEUED, type Queued, type Session, UNQUEUED, type UserMessage } from "@pith/context";
import { appended } from "../append.ts";
import type { AgentEvent } from "../events.ts";
import type { RunParts } from "./run-parts.ts";

/** Keeps a message until its turn. On the disk when it returns. */
export async function enqueue(session: Session, queued: Queued): Promise<void> {
  await appended(session, { type: "custom", customType: QUEUED, data: queued });
}

/** Takes messages away before their turn. */
export async function unqueue(session: Session, waiting: readonly Queued[]): Promise<void> {
  if (waiting.length === 0) return;
  await appended(session, { type: "custom", customType: UNQUEUED, data: { ids: waiting.map(({ id }) => id) } });
}

/** Under the id that it was given when it was said: whoever delivers it again changes nothing. */
export async function* deliver(
  waiting: readonly Queued[],
  { session, ports }: Pick<RunParts, "session" | "ports">,
): AsyncGenerator<AgentEvent> {
  if (waiting.length === 0) return;
  const hasWaited = session.window.state.queue.length > 0;
  const said = waiting.map(({ id, content }) => ({ id, message: userMessage(content, ports.now()) }));
  await appended(session, ...said.map((each) => ({ type: "message" as const, ...each })));
  for (const { message } of said) {
    yield { type: "message_start", message };
    yield { type: "message_end", message };
  }
  if (hasWaited) yield queueUpdate(session);
}

export function userMessage(content: UserMessage["content"], timestamp: number): UserMessage {
  return {
    role: "user",
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    timestamp,
  };
}

export function queueUpdate({ window: { state } }: Session): AgentEvent {
  const said = (kind: Queued["kind"]): readonly string[] =>
    state.queue.filter((each) => each.kind === kind).map(({ content }) => textOf(content));
  return { type: "queue_update", steering: said("steer"), followUp: said("followUp") };
}

function textOf(content: UserMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("\n");
}
