/** Messages that waited become part of the conversation, in the order they were said, each exactly once. */

import { type Drafted, QUEUED, type Queued, type Session, UNQUEUED, type UserMessage } from "@pith/context";
import { appended, appendedHere } from "../append.ts";
import type { AgentEvent } from "../events.ts";
import type { RunParts } from "./run-parts.ts";

/** Keeps a message until its turn. On the disk when it returns. */
export async function enqueue(session: Session, queued: Queued): Promise<void> {
  await appended(session, { type: "custom", customType: QUEUED, data: queued });
}

/** Takes away what still waits by then; what was really taken. */
export async function unqueue(session: Session, isMeant: (queued: Queued) => boolean): Promise<readonly Queued[]> {
  const taken = await appendedHere(session, async () => {
    const said = session.window.state.queue.filter(isMeant);
    const draft: Drafted = { type: "custom", customType: UNQUEUED, data: { ids: said.map(({ id }) => id) } };
    return said.length === 0 ? null : { said, drafts: [draft] };
  });
  return taken ?? [];
}

/** What was said on another branch before it parted from this one waits here no more: its words are there. */
export async function forgetSaid(session: Session): Promise<void> {
  const said = new Set<string>();
  for (const { id } of session.window.state.queue) if (await session.store.entry(id)) said.add(id);
  if (said.size > 0) await unqueue(session, ({ id }) => said.has(id));
}

/** Each under the id that it was given when it was said. `isMeant` says which of those that wait; `more` is said behind them. */
export async function* deliver(
  { session, ports }: Pick<RunParts, "session" | "ports">,
  isMeant: (queued: Queued, at: number) => boolean,
  more: readonly Queued[] = [],
): AsyncGenerator<AgentEvent, number> {
  const hasWaited = session.window.state.queue.length > 0;
  const messages = await appendedHere(session, async () => {
    const waiting = session.window.state.queue.filter(isMeant);
    const all = [...waiting, ...more.filter(({ id }) => !waiting.some((each) => each.id === id))];
    const drafts = all.map(({ id, content }) => ({
      type: "message" as const,
      message: userMessage(session.redacted(content), ports.now()),
      id,
    }));
    return drafts.length === 0 ? null : { said: drafts.map(({ message }) => message), drafts };
  });
  for (const message of messages ?? []) {
    yield { type: "message_start", message };
    yield { type: "message_end", message };
  }
  if (messages && hasWaited) yield queueUpdate(session);
  return messages?.length ?? 0;
}

function userMessage(content: UserMessage["content"], timestamp: number): UserMessage {
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
