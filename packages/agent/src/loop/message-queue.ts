/** Keeps queued messages in the log and delivers them to the conversation in order, each exactly once. */

import type { CustomMessage, NewEntry, Runtime, Session, UserMessage } from "@pith/context";
import { displayText, QUEUE_TYPE, type QueuedMessage, UNQUEUE_TYPE } from "@pith/context/host";
import { appendAtCurrentLeaf, appendEntries } from "../append-entries.ts";
import type { EmitEvent } from "../async.ts";
import type { AgentEvent } from "../events.ts";
import type { HookContext } from "../hooks/hooks.ts";
import { runMessageHooks } from "../hooks/message-hooks.ts";
import type { RunContext } from "../run-context.ts";

/** The caller's id, or a new one. */
export function chooseMessageId(id: string | undefined, { entryId }: Pick<Runtime, "entryId">): string {
  if (id === "") throw new Error("the id of a message is empty; pass a unique id, or none");
  return id ?? entryId();
}

/** Adds a message to the queue, unless it is in the session already. The message is on disk when the promise resolves. */
export async function enqueue(
  session: Session,
  queued: QueuedMessage,
  { mayBeKnown }: { readonly mayBeKnown: boolean } = { mayBeKnown: false },
): Promise<void> {
  if (mayBeKnown && (await isKnown(queued, session))) return;
  await appendEntries(session, { type: "custom", customType: QUEUE_TYPE, data: queued });
}

async function isKnown({ id }: QueuedMessage, session: Session): Promise<boolean> {
  await session.loadState();
  return session.branch.state.queue.some((queued) => queued.id === id) || (await session.store.entry(id)) !== undefined;
}

/** Removes matching messages from the queue, and returns those that were still in it. */
async function removeQueued(
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

/** Removes messages from the queue that were delivered on another branch. */
export async function removeDelivered(session: Session): Promise<void> {
  const deliveredIds = new Set<string>();
  for (const { id } of session.branch.state.queue) if (await session.store.entry(id)) deliveredIds.add(id);
  if (deliveredIds.size > 0) await removeQueued(session, ({ id }) => deliveredIds.has(id));
}

type DeliveryContext = HookContext & Pick<RunContext, "continuations">;

/** Appends the matching messages of the queue, then `extra`, each with the id it got in the queue. Returns their number. */
export async function* deliverQueued(
  run: DeliveryContext,
  matches: (queued: QueuedMessage) => boolean,
  extra: readonly QueuedMessage[] = [],
): AsyncGenerator<AgentEvent, number> {
  const { session, runtime, continuations } = run;
  // Hooks run once per message, even if the append is tried again because the leaf has moved.
  const messagesById = new Map<string, Promise<DeliverableMessage>>();
  const prepareMessage = async (queued: QueuedMessage): Promise<DeliverableMessage> => {
    const message = toMessage(session.redact(queued), runtime.now());
    return message.role === "user" ? runMessageHooks(message, run) : message;
  };
  const messageFor = (queued: QueuedMessage): Promise<DeliverableMessage> => {
    const message = messagesById.get(queued.id) ?? prepareMessage(queued);
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

interface Delivery {
  readonly id: string;
  readonly message: DeliverableMessage;
}

function toNewEntry({ id, message }: Delivery): NewEntry {
  if (message.role === "user") return { type: "message", message, id };
  const { role: _, timestamp: __, ...fields } = message;
  return { type: "custom_message", ...fields, id };
}

function queueUpdateEvent({ branch: { state } }: Session): AgentEvent {
  const textsOf = (kind: QueuedMessage["kind"]): readonly string[] =>
    state.queue.filter((queued) => queued.kind === kind && !queued.custom).map(({ content }) => displayText(content));
  return { type: "queue_update", steering: textsOf("steer"), followUp: textsOf("followUp") };
}

/** Selects the messages of a kind to deliver now: all of them, or the oldest. */
export function createDeliveryFilter(
  kind: QueuedMessage["kind"],
  { session, queueModes }: Pick<RunContext, "session" | "queueModes">,
): (queued: QueuedMessage) => boolean {
  if (queueModes[kind] === "all") return (queued) => queued.kind === kind;
  const nextId = session.branch.state.queue.find((queued) => queued.kind === kind)?.id;
  return ({ id }) => id === nextId;
}

export interface MessageQueueOptions {
  readonly session: Session;
  readonly runtime: Pick<Runtime, "entryId">;
  readonly emit: EmitEvent<AgentEvent>;
  /** Runs the input hooks, and returns the content to queue; null if a hook has handled it. Absent without input hooks. */
  readonly filterInput?: InputFilter | undefined;
}

/** `id`: the caller's id, if it has one. */
type NewMessage = Omit<QueuedMessage, "id"> & { readonly id?: string };

export type InputFilter = (message: Omit<QueuedMessage, "id">) => Promise<QueuedMessage["content"] | null>;

export class MessageQueue {
  readonly #options: MessageQueueOptions;
  /** Settles when all messages that were passed to `enqueue` so far are in the log. */
  #lastArrival: Promise<unknown> = Promise.resolve();

  constructor(options: MessageQueueOptions) {
    this.#options = options;
  }

  /** The message is on disk when the promise resolves. */
  async enqueue(message: NewMessage): Promise<void> {
    const { filterInput } = this.#options;
    const isFiltered = filterInput !== undefined && !message.custom;
    // Messages keep their order even if the hooks of one of them are slow, and a repeated id is found even if both calls come at once.
    const arrival =
      isFiltered || message.id !== undefined
        ? this.#lastArrival.then(async () => {
            const content = isFiltered ? await filterInput(message) : message.content;
            if (content !== null) await this.#store({ ...message, content });
          })
        : this.#store(message);
    this.#lastArrival = Promise.allSettled([this.#lastArrival, arrival]);
    await arrival;
    this.#emitUpdate();
  }

  async #store({ id, ...message }: NewMessage): Promise<void> {
    const { session, runtime } = this.#options;
    await enqueue(session, { id: chooseMessageId(id, runtime), ...message }, { mayBeKnown: id !== undefined });
  }

  /** The ids of all queued messages. */
  get ids(): readonly string[] {
    return this.#options.session.branch.state.queue.map(({ id }) => id);
  }

  /** Removes the messages of the user, and returns them. */
  async clear(): Promise<readonly QueuedMessage[]> {
    const removed = await removeQueued(this.#options.session, ({ custom }) => !custom);
    this.#emitUpdate();
    return removed;
  }

  /** Whether the queue has messages. Waits for messages whose input hooks still run. */
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
