/** Sends the text of running replies from a worker, beside the log: what is new of all its sessions, in a few NOTIFYs per tick. A run never waits for it. */

import type { AgentEvent, AgentEventListener } from "@pith/agent";
import type { SessionRef } from "../store/postgres-store.ts";
import { LIVE_CHANNEL, type LiveItem, packItems, REPEAT_CHANNEL, unpackKeys } from "./live-items.ts";
import { type NotifyConnection, openNotifyConnection } from "./notify-connection.ts";
import { OutgoingReply } from "./outgoing-reply.ts";

/** Options of `openLivePublisher`. */
export interface LivePublisherOptions {
  /** Connects directly, with a connection of its own. */
  readonly connectionString: string;
  /** Receives errors of the connection, which is opened again by itself. */
  readonly onError: (error: unknown) => void;
  /** Default: 100 ms. */
  readonly tickMs?: number;
}

/** A session that this worker runs. */
export interface LiveSession {
  /** The listener of its agent. */
  readonly onEvent: AgentEventListener;
  /** Says that the state of the session has changed, such as its questions. */
  markState(): void;
  /** The run has ended, and the session was given back or lost. */
  close(): void;
}

export interface LivePublisher {
  /** `holder`: the fencing token of the run. */
  listen(session: SessionRef, holder: string): LiveSession;
  /** Says that the state of a session has changed that this worker does not run. */
  markState(session: SessionRef): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Rejects if PostgreSQL cannot be reached. */
export async function openLivePublisher(options: LivePublisherOptions): Promise<LivePublisher> {
  const publisher = new Publisher(options.tickMs ?? TICK_MS);
  await publisher.connect(options);
  return publisher;
}

const TICK_MS = 100;

/** Payloads in one statement: about a megabyte. */
const MAX_PAYLOADS = 128;

class Publisher implements LivePublisher {
  readonly #tickMs: number;
  #connection: NotifyConnection | null = null;
  readonly #sessions = new Map<string, OutgoingSession>();
  /** Sessions that have something to send. Nothing is copied before it is sent, so a connection that is away lets nothing grow. */
  readonly #changed = new Set<OutgoingSession>();
  #timer: NodeJS.Timeout | undefined;
  #lastTick = -Infinity;
  #sending: Promise<void> | null = null;

  constructor(tickMs: number) {
    this.#tickMs = tickMs;
  }

  async connect({ connectionString, onError }: LivePublisherOptions): Promise<void> {
    this.#connection = await openNotifyConnection({
      ...{ connectionString, channel: REPEAT_CHANNEL, onError },
      onPayload: (payload) => this.#repeat(unpackKeys(payload)),
      onReconnect: () => this.#schedule(),
    });
  }

  listen({ key }: SessionRef, holder: string): LiveSession {
    const session = new OutgoingSession({ key, holder }, (changed) => this.#onChange(changed));
    this.#sessions.set(key, session);
    return {
      onEvent: (event) => session.apply(event),
      markState: () => session.markState(),
      close: () => {
        session.close();
        if (this.#sessions.get(key) === session) this.#sessions.delete(key);
      },
    };
  }

  markState({ key }: SessionRef): void {
    new OutgoingSession({ key, holder: "0" }, (session) => this.#onChange(session)).close();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    await this.#sendChanges();
    clearTimeout(this.#timer);
    await this.#connection?.close();
  }

  #onChange(session: OutgoingSession): void {
    this.#changed.add(session);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer || this.#sending || this.#changed.size === 0) return;
    const waitMs = Math.max(0, this.#lastTick + this.#tickMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#sendChanges().finally(() => {
        this.#sending = null;
        // While the connection is away, the next tick follows its return.
        if (this.#connection?.isConnected) this.#schedule();
      });
    }, waitMs);
  }

  /** Never rejects. */
  async #sendChanges(): Promise<void> {
    this.#lastTick = performance.now();
    const connection = this.#connection;
    if (!connection?.isConnected) {
      // What a run says when it has ended would otherwise be kept for each of them.
      for (const session of this.#changed) if (session.isClosed) this.#changed.delete(session);
      return;
    }
    const sessions = [...this.#changed];
    this.#changed.clear();
    const payloads = packItems(sessions.flatMap((session) => session.takeItems()));
    for (let index = 0; index < payloads.length; index += MAX_PAYLOADS) {
      if (await connection.send(LIVE_CHANNEL, payloads.slice(index, index + MAX_PAYLOADS))) continue;
      for (const session of sessions) session.startOver();
      return;
    }
  }

  #repeat(keys: readonly string[]): void {
    for (const key of keys) this.#sessions.get(key)?.repeat();
  }
}

/** What a session has to send. */
class OutgoingSession {
  readonly #fields: { readonly key: string; readonly holder: string };
  readonly #onChange: (session: OutgoingSession) => void;
  #reply: OutgoingReply | null = null;
  #hasNewEntries = false;
  #hasNewState = false;
  isClosed = false;

  constructor(fields: { readonly key: string; readonly holder: string }, onChange: (session: OutgoingSession) => void) {
    this.#fields = fields;
    this.#onChange = onChange;
  }

  apply(event: AgentEvent): void {
    switch (event.type) {
      case "message_start":
        if (event.replyId !== undefined) this.#reply = new OutgoingReply(event.replyId, this.#fields);
        return;
      case "message_update":
        this.#reply?.add(event.delta);
        break;
      case "auto_retry_start":
        this.#reply?.clear();
        break;
      case "entry_appended":
        // The rest of the text is in the entry.
        if (event.entry.id === this.#reply?.id) this.#reply = null;
        this.#hasNewEntries = true;
        break;
      case "message_end":
        // A reply that is still there becomes no entry.
        this.#reply?.clear();
        break;
      default:
        return;
    }
    this.#onChange(this);
  }

  markState(): void {
    this.#hasNewState = true;
    this.#onChange(this);
  }

  repeat(): void {
    if (!this.#reply) return;
    this.#reply.repeat();
    this.#onChange(this);
  }

  /** It is not known whether what was sent last has arrived. */
  startOver(): void {
    this.#reply?.startOver();
    this.#hasNewEntries = true;
    this.markState();
  }

  close(): void {
    this.isClosed = true;
    this.#reply?.clear();
    this.#hasNewEntries = true;
    this.markState();
  }

  /** Entries come first: a delta is of a reply that follows them. */
  takeItems(): readonly LiveItem[] {
    const { key } = this.#fields;
    const entries: readonly LiveItem[] = this.#hasNewEntries ? [{ type: "entries", key }] : [];
    const state: readonly LiveItem[] = this.#hasNewState ? [{ type: "state", key }] : [];
    this.#hasNewEntries = false;
    this.#hasNewState = false;
    return [...entries, ...state, ...(this.#reply?.takeItems() ?? [])];
  }
}
