/** Keeps queued messages in the log and delivers them to the conversation in order, each exactly once. */

import type { CustomMessage, NewEntry, Runtime, Session, UserMessage } from "@pith/context";
import { displayText, QUEUE_TYPE, type QueuedMessage, UNQUEUE_TYPE } from "@pith/context/host";
import { appended, appendedHere } from "../append.ts";
import type { Tell } from "../async.ts";
import type { AgentEvent } from "../events.ts";
import { hookedMessage } from "../hooks/message-hooks.ts";
import type { RunParts } from "./run-context.ts";

/** Keeps a message until its turn. On the disk when it returns. */
export async function enqueue(session: Session, queued: QueuedMessage): Promise<void> {
  await appended(session, { type: "custom", customType: QUEUE_TYPE, data: queued });
}

/** Takes away what still waits by then; what was really taken. */
export async function unqueue(
  session: Session,
  isMeant: (queued: QueuedMessage) => boolean,
): Promise<readonly QueuedMessage[]> {
  const taken = await appendedHere(session, async () => {
    const said = session.branch.state.queue.filter(isMeant);
    const draft: NewEntry = { type: "custom", customType: UNQUEUE_TYPE, data: { ids: said.map(({ id }) => id) } };
    return said.length === 0 ? null : { said, drafts: [draft] };
  });
  return taken ?? [];
}

/** What was said on another branch before it parted from this one waits here no more: its words are there. */
export async function forgetSaid(session: Session): Promise<void> {
  const said = new Set<string>();
  for (const { id } of session.branch.state.queue) if (await session.store.entry(id)) said.add(id);
  if (said.size > 0) await unqueue(session, ({ id }) => said.has(id));
}

/** Each under the id that it was given when it was said. `isMeant` says which of those that wait; `more` is said behind them. */
export async function* deliver(
  parts: Pick<RunParts, "session" | "ports" | "hooks" | "nudges" | "signal">,
  isMeant: (queued: QueuedMessage, at: number) => boolean,
  more: readonly QueuedMessage[] = [],
): AsyncGenerator<AgentEvent, number> {
  const { session, ports, nudges } = parts;
  // Hooks hear of each once, however often somebody comes in between.
  const heard = new Map<string, Promise<Said>>();
  const messageFor = (each: QueuedMessage): Promise<Said> => {
    const message = heard.get(each.id) ?? hookedWords(messageOf(session.redact(each), ports.now()), parts);
    heard.set(each.id, message);
    return message;
  };
  const hasWaited = session.branch.state.queue.length > 0;
  const messages = await appendedHere(session, async () => {
    const waiting = session.branch.state.queue.filter(isMeant);
    const all = [...waiting, ...more.filter(({ id }) => !waiting.some((each) => each.id === id))];
    const said: Delivered[] = [];
    for (const each of all) said.push({ id: each.id, message: await messageFor(each) });
    return said.length === 0 ? null : { said: said.map(({ message }) => message), drafts: said.map(draftOf) };
  });
  nudges.heard(messages ?? []);
  for (const message of messages ?? []) {
    yield { type: "message_start", message };
    yield { type: "message_end", message };
  }
  if (messages && hasWaited) yield queueUpdate(session);
  return messages?.length ?? 0;
}

type Said = UserMessage | CustomMessage;

function messageOf({ content, custom }: QueuedMessage, timestamp: number): Said {
  if (custom) return { role: "custom", ...custom, content, timestamp };
  return {
    role: "user",
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    timestamp,
  };
}

async function hookedWords(
  message: Said,
  parts: Pick<RunParts, "session" | "ports" | "hooks" | "signal">,
): Promise<Said> {
  return message.role === "user" ? hookedMessage(message, parts) : message;
}

interface Delivered {
  readonly id: string;
  readonly message: Said;
}

function draftOf({ id, message }: Delivered): NewEntry {
  if (message.role === "user") return { type: "message", message, id };
  const { role: _, timestamp: __, ...said } = message;
  return { type: "custom_message", ...said, id };
}

export function queueUpdate({ branch: { state } }: Session): AgentEvent {
  const said = (kind: QueuedMessage["kind"]): readonly string[] =>
    state.queue.filter((each) => each.kind === kind && !each.custom).map(({ content }) => displayText(content));
  return { type: "queue_update", steering: said("steer"), followUp: said("followUp") };
}

export interface InboxParts {
  readonly session: Session;
  readonly ports: Pick<Runtime, "entryId">;
  readonly tell: Tell<AgentEvent>;
  /** What is left to say after whoever has a say in it; null where that is nothing. Absent where nobody has. */
  readonly hear?: Hear | undefined;
}

export type Hear = (said: Omit<QueuedMessage, "id">) => Promise<QueuedMessage["content"] | null>;

export class Inbox {
  readonly #parts: InboxParts;
  /** Over when all is there that is on its way by now. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** On the disk when it returns. */
  async put(said: Omit<QueuedMessage, "id">): Promise<void> {
    const { session, ports, hear } = this.#parts;
    const kept = (content: QueuedMessage["content"]): Promise<void> =>
      enqueue(session, { id: ports.entryId(), ...said, content });
    // In the order in which it was said, however long somebody thinks about one of them.
    const arriving =
      hear && !said.custom
        ? this.#last.then(async () => {
            const content = await hear(said);
            if (content !== null) await kept(content);
          })
        : kept(said.content);
    this.#last = Promise.allSettled([this.#last, arriving]);
    await arriving;
    this.#tell();
  }

  /** Of all that waits. */
  get ids(): readonly string[] {
    return this.#parts.session.branch.state.queue.map(({ id }) => id);
  }

  async takeBack(): Promise<readonly QueuedMessage[]> {
    const taken = await unqueue(this.#parts.session, ({ custom }) => !custom);
    this.#tell();
    return taken;
  }

  /** Whether something waits; what is on its way by now does. */
  async isFilled(): Promise<boolean> {
    for (let last: unknown; last !== this.#last; ) {
      last = this.#last;
      await last;
    }
    return this.ids.length > 0;
  }

  #tell(): void {
    const { session, tell } = this.#parts;
    tell(queueUpdate(session));
  }
}
