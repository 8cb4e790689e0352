/** Lets the clients of an API process follow sessions: one connection hears what workers send, and entries are read from the log. */

import type { Database } from "../store/connect.ts";
import type { SessionRef } from "../store/postgres-store.ts";
import { Follower, type LiveEvent } from "./follower.ts";
import { LIVE_CHANNEL, packItems, packKeys, REPEAT_CHANNEL, unpackItems } from "./live-items.ts";
import { type NotifyConnection, openNotifyConnection } from "./notify-connection.ts";

/** Options of `openLiveFeed`. */
export interface LiveFeedOptions {
  /** Connects directly, with a connection of its own. */
  readonly connectionString: string;
  /** For entries. */
  readonly database: Database;
  /** Receives errors of the connection, which is opened again by itself. */
  readonly onError: (error: unknown) => void;
  /** How often entries are looked for whose announcement was lost. Default: 3 seconds. */
  readonly lookMs?: number;
}

export interface FollowOptions {
  /** The position of the last entry that the client has; -1 for none. */
  readonly after: number;
  readonly signal: AbortSignal;
}

export interface LiveFeed {
  /** Ends when the signal is aborted, or the session was erased. Rejects if PostgreSQL stays away; then follow again. */
  follow(session: SessionRef, options: FollowOptions): AsyncIterable<LiveEvent>;
  /** Tells all who follow the session that its state has changed, such as after a message was accepted. */
  markState(session: SessionRef): void;
  close(): Promise<void>;
}

/** Rejects if PostgreSQL cannot be reached. */
export async function openLiveFeed(options: LiveFeedOptions): Promise<LiveFeed> {
  const feed = new Feed(options);
  await feed.connect();
  return feed;
}

const LOOK_MS = 3_000;

/** What this process sends is sent together after this time. */
const SEND_MS = 20;

class Feed implements LiveFeed {
  readonly #options: LiveFeedOptions;
  readonly #followers = new Map<string, Set<Follower>>();
  readonly #closed = new AbortController();
  #connection: NotifyConnection | null = null;
  #lookTimer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  #sendTimer: NodeJS.Timeout | undefined;
  /** The keys of sessions: whose replies to ask for, and whose state has changed. */
  readonly #asked = new Set<string>();
  readonly #marked = new Set<string>();

  constructor(options: LiveFeedOptions) {
    this.#options = options;
  }

  async connect(): Promise<void> {
    const { connectionString, onError, lookMs = LOOK_MS } = this.#options;
    this.#connection = await openNotifyConnection({
      ...{ connectionString, channel: LIVE_CHANNEL, onError },
      onPayload: (payload) => this.#receive(payload),
      onReconnect: () => {
        for (const follower of this.#all()) follower.startOver();
      },
    });
    this.#lookTimer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = null;
      });
    }, lookMs);
  }

  async *follow(session: SessionRef, { after, signal }: FollowOptions): AsyncGenerator<LiveEvent> {
    const follower = new Follower({
      ...{ database: this.#options.database, session, after },
      signal: AbortSignal.any([signal, this.#closed.signal]),
      askForReply: (key) => this.#sendSoon(this.#asked, key),
    });
    const followers = this.#followers.get(session.key) ?? new Set();
    this.#followers.set(session.key, followers.add(follower));
    try {
      yield* follower.read();
    } finally {
      followers.delete(follower);
      if (followers.size === 0 && this.#followers.get(session.key) === followers) this.#followers.delete(session.key);
    }
  }

  markState({ key }: SessionRef): void {
    this.#sendSoon(this.#marked, key);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    clearInterval(this.#lookTimer);
    clearTimeout(this.#sendTimer);
    await this.#looking;
    await this.#send();
    await this.#connection?.close();
  }

  *#all(): Generator<Follower> {
    for (const followers of this.#followers.values()) yield* followers;
  }

  #receive(payload: string): void {
    for (const item of unpackItems(payload))
      for (const follower of this.#followers.get(item.key) ?? []) follower.receive(item);
  }

  /** A lost announcement delays an entry, but loses none. Never rejects. */
  async #look(): Promise<void> {
    const rows = [...this.#all()].flatMap((follower) => {
      const { seq, state } = follower.seen;
      return state ? [{ key: follower.key, seq, ...state }] : [];
    });
    if (rows.length === 0) return;
    const columns = [
      rows.map(({ key }) => key),
      rows.map(({ seq }) => seq),
      rows.map(({ status }) => status),
      rows.map(({ openQuestions }) => openQuestions),
    ];
    try {
      const changed = await this.#options.database.readRows<{ key: string }>("find_changed", columns);
      for (const { key } of changed) for (const follower of this.#followers.get(key) ?? []) follower.readAgain();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #sendSoon(keys: Set<string>, key: string): void {
    keys.add(key);
    this.#sendTimer ??= setTimeout(() => {
      this.#sendTimer = undefined;
      void this.#send();
    }, SEND_MS);
  }

  /** What cannot be sent is dropped: a state is read at the next look, and a reply is asked for when the connection is back. */
  async #send(): Promise<void> {
    const [asked, marked] = [[...this.#asked], [...this.#marked]];
    this.#asked.clear();
    this.#marked.clear();
    const states = packItems(marked.map((key) => ({ type: "state", key }) as const));
    if (states.length > 0) await this.#connection?.send(LIVE_CHANNEL, states);
    const keys = packKeys(asked);
    if (keys.length > 0) await this.#connection?.send(REPEAT_CHANNEL, keys);
  }
}
