/** Keeps queued messages in the log and delivers them to the conversation in order, each exactly once. */

import type { CustomMessage, NewEntry, Runtime, Session, UserMessage } from "@pith/context";
import { displayText, QUEUE_TYPE, type QueuedMessage, UNQUEUE_TYPE } from "@pith/context/host";
import { appendAtCurrentLeaf, appendEntries } from "../append-entries.ts";
import type { EmitEvent } from "../async.ts";
import type { AgentEvent } from "../events.ts";
import { runMessageHooks } from "../hooks/message-hooks.ts";
import type { RunContext } from "./run-context.ts";

/** Keeps a message until its turn. On the disk when it returns. */
export async function enqueue(session: Session, queued: QueuedMessage): Promise<void> {
  await appendEntries(session, { type: "custom", customType: QUEUE_TYPE, data: queued });
}

/** Takes away what still waits by then; what was really taken. */
export async function removeQueued(
  session: Session,
  matches: (queued: QueuedMessage) => boolean,
): Promise<readonly QueuedMessage[]> {
  const removed = await appendAtCurrentLeaf(session, async () => {
    const queued = session.branch.state.queue.filter(matches);
    const draft: NewEntry = { type: "custom", customType: UNQUEUE_TYPE, data: { ids: queued.map(({ id }) => id) } };
    return queued.length === 0 ? null : { result: queued, drafts: [draft] };
  });
  return removed ?? [];
}

/** What was said on another branch before it parted from this one waits here no more: its words are there. */
export async function removeDelivered(session: Session): Promise<void> {
  const deliveredIds = new Set<string>();
  for (const { id } of session.branch.state.queue) if (await session.store.entry(id)) deliveredIds.add(id);
  if (deliveredIds.size > 0) await removeQueued(session, ({ id }) => deliveredIds.has(id));
}

/** Each under the id that it was given when it was said. `isMeant` says which of those that wait; `more` is said behind them. */
export async function* deliverQueued(
  run: Pick<RunContext, "session" | "runtime" | "hooks" | "continuations" | "signal">,
  matches: (queued: QueuedMessage, at: number) => boolean,
  extra: readonly QueuedMessage[] = [],
): AsyncGenerator<AgentEvent, number> {
  const { session, runtime, continuations } = run;
  // Hooks hear of each once, however often somebody comes in between.
  const messagesById = new Map<string, Promise<DeliverableMessage>>();
  const messageFor = (queued: QueuedMessage): Promise<DeliverableMessage> => {
    const message =
      messagesById.get(queued.id) ?? runUserMessageHooks(toMessage(session.redact(queued), runtime.now()), run);
    messagesById.set(queued.id, message);
    return message;
  };
  const hadQueue = session.branch.state.queue.length > 0;
  const messages = await appendAtCurrentLeaf(session, async () => {
    const matching = session.branch.state.queue.filter(matches);
    const all = [...matching, ...extra.filter(({ id }) => !matching.some((queued) => queued.id === id))];
    const deliveries: Delivery[] = [];
    for (const queued of all) deliveries.push({ id: queued.id, message: await messageFor(queued) });
    return deliveries.length === 0
      ? null
      : { result: deliveries.map(({ message }) => message), drafts: deliveries.map(toNewEntry) };
  });
  continuations.resetOnUserMessage(messages ?? []);
  for (const message of messages ?? []) {
    yield { type: "message_start", message };
    yield { type: "message_end", message };
  }
  if (messages && hadQueue) yield queueUpdateEvent(session);
  return messages?.length ?? 0;
}

type DeliverableMessage = UserMessage | CustomMessage;

function toMessage({ content, custom }: QueuedMessage, timestamp: number): DeliverableMessage {
  if (custom) return { role: "custom", ...custom, content, timestamp };
  return {
    role: "user",
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    timestamp,
  };
}

async function runUserMessageHooks(
  message: DeliverableMessage,
  run: Pick<RunContext, "session" | "runtime" | "hooks" | "signal">,
): Promise<DeliverableMessage> {
  return message.role === "user" ? runMessageHooks(message, run) : message;
}

interface Delivery {
  readonly id: string;
  readonly message: DeliverableMessage;
}

function toNewEntry({ id, message }: Delivery): NewEntry {
  if (message.role === "user") return { type: "message", message, id };
  const { role: _, timestamp: __, ...fields } = message;
  return { type: "custom_message", ...fields, id };
}

export function queueUpdateEvent({ branch: { state } }: Session): AgentEvent {
  const textsOf = (kind: QueuedMessage["kind"]): readonly string[] =>
    state.queue.filter((queued) => queued.kind === kind && !queued.custom).map(({ content }) => displayText(content));
  return { type: "queue_update", steering: textsOf("steer"), followUp: textsOf("followUp") };
}

export interface MessageQueueOptions {
  readonly session: Session;
  readonly runtime: Pick<Runtime, "entryId">;
  readonly emit: EmitEvent<AgentEvent>;
  /** What is left to say after whoever has a say in it; null where that is nothing. Absent where nobody has. */
  readonly filterInput?: InputFilter | undefined;
}

export type InputFilter = (said: Omit<QueuedMessage, "id">) => Promise<QueuedMessage["content"] | null>;

export class MessageQueue {
  readonly #options: MessageQueueOptions;
  /** Over when all is there that is on its way by now. */
  #lastArrival: Promise<unknown> = Promise.resolve();

  constructor(options: MessageQueueOptions) {
    this.#options = options;
  }

  /** On the disk when it returns. */
  async enqueue(message: Omit<QueuedMessage, "id">): Promise<void> {
    const { session, runtime, filterInput } = this.#options;
    const store = (content: QueuedMessage["content"]): Promise<void> =>
      enqueue(session, { id: runtime.entryId(), ...message, content });
    // In the order in which it was said, however long somebody thinks about one of them.
    const arrival =
      filterInput && !message.custom
        ? this.#lastArrival.then(async () => {
            const content = await filterInput(message);
            if (content !== null) await store(content);
          })
        : store(message.content);
    this.#lastArrival = Promise.allSettled([this.#lastArrival, arrival]);
    await arrival;
    this.#emitUpdate();
  }

  /** Of all that waits. */
  get ids(): readonly string[] {
    return this.#options.session.branch.state.queue.map(({ id }) => id);
  }

  async clear(): Promise<readonly QueuedMessage[]> {
    const removed = await removeQueued(this.#options.session, ({ custom }) => !custom);
    this.#emitUpdate();
    return removed;
  }

  /** Whether something waits; what is on its way by now does. */
  async hasMessages(): Promise<boolean> {
    for (let last: unknown; last !== this.#lastArrival; ) {
      last = this.#lastArrival;
      await last;
    }
    return this.ids.length > 0;
  }

  #emitUpdate(): void {
    const { session, emit } = this.#options;
    emit(queueUpdateEvent(session));
  }
}
