/** Keeps one direct connection for LISTEN and NOTIFY. It connects again by itself; what is sent meanwhile is lost. */

import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";

/** Options of `openNotifyConnection`. */
export interface NotifyConnectionOptions {
  /** Of PostgreSQL itself: LISTEN does not work through a pooler in transaction mode. */
  readonly connectionString: string;
  /** The channel to listen to. */
  readonly channel: string;
  readonly onPayload: (payload: string) => void;
  /** Called each time that it listens again after the connection was away. */
  readonly onReconnect: () => void;
  readonly onError: (error: unknown) => void;
}

export interface NotifyConnection {
  readonly isConnected: boolean;
  /** Sends payloads in one statement. Returns false if they may not have been sent. */
  send(channel: string, payloads: readonly string[]): Promise<boolean>;
  close(): Promise<void>;
}

/** Rejects if PostgreSQL cannot be reached at first. */
export async function openNotifyConnection(options: NotifyConnectionOptions): Promise<NotifyConnection> {
  const connection = new ReconnectingConnection(options);
  await connection.open();
  return connection;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** A connection that does not answer for this long counts as broken. */
const TIMEOUT_MS = 5_000;

class ReconnectingConnection implements NotifyConnection {
  readonly #options: NotifyConnectionOptions;
  #client: Client | null = null;
  #probeTimer: NodeJS.Timeout | undefined;
  readonly #closed = new AbortController();
  #reconnecting: Promise<void> = Promise.resolve();
  /** One statement at a time. */
  #lastQuery: Promise<unknown> = Promise.resolve();

  constructor(options: NotifyConnectionOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#client !== null;
  }

  async open(): Promise<void> {
    await this.#connect();
    // A connection that was lost without a word is noticed only if something is sent.
    this.#probeTimer = setInterval(() => void this.#query("select 1", []), TIMEOUT_MS);
  }

  send(channel: string, payloads: readonly string[]): Promise<boolean> {
    return this.#query("select pg_notify($1, payload) from unnest($2::text[]) payload", [channel, payloads]);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    clearInterval(this.#probeTimer);
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
    await this.#reconnecting;
  }

  #query(text: string, values: readonly unknown[]): Promise<boolean> {
    const query = this.#lastQuery.then(() => this.#runQuery(text, values));
    this.#lastQuery = query;
    return query;
  }

  async #runQuery(text: string, values: readonly unknown[]): Promise<boolean> {
    const client = this.#client;
    if (!client) return false;
    try {
      await client.query({ text, values: [...values] });
      return true;
    } catch (error) {
      this.#onBreak(client, error);
      return false;
    }
  }

  async #connect(): Promise<void> {
    const { connectionString, channel, onPayload } = this.#options;
    const client = new Client({
      ...{ connectionString, keepAlive: true, application_name: "pith", options: "-c jit=off" },
      ...{ connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS },
    });
    client.on("error", (error) => this.#onBreak(client, error));
    client.on("end", () => this.#onBreak(client, new Error("the connection for live text ended")));
    client.on("notification", ({ payload = "" }) => {
      try {
        onPayload(payload);
      } catch (error) {
        // Not ours: another role of this database may send what it likes.
        this.#options.onError(error);
      }
    });
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    if (this.#closed.signal.aborted) await client.end();
    else this.#client = client;
  }

  #onBreak(client: Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#options.onError(error);
    void client.end().catch(() => undefined);
    this.#reconnecting = this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#closed;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
      try {
        if (!signal.aborted) await this.#connect();
        if (this.#client) this.#options.onReconnect();
        return;
      } catch {
        // The next try follows; the break was reported.
      }
    }
  }
}
