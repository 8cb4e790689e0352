/** Defines how sessions find a worker: whoever accepts a message enqueues its session, and a worker with a free place runs it. */

import type { PoolClient } from "pg";
import type { SessionRef } from "../store/postgres-store.ts";

/** Runs one session. Never rejects. */
export type RunSession = (session: SessionRef) => Promise<void>;

export interface Wake {
  /** Enqueues the session in the transaction of the caller. */
  enqueue(session: SessionRef, client: PoolClient | null): Promise<void>;
  /** Calls `run` for sessions from the queue, at most `concurrency` at once. */
  start(run: RunSession, options: { readonly concurrency: number }): Promise<void>;
  /** Takes no more sessions from the queue. May wait until those that run have ended. */
  stop(): Promise<void>;
}

/** A queue in memory, for tests and for a service of one process. Several workers may share it. */
export class MemoryQueue {
  readonly #waiting = new Map<string, SessionRef>();
  readonly #takers = new Set<() => void>();

  add(session: SessionRef): void {
    this.#waiting.set(session.key, session);
    for (const take of this.#takers) take();
  }

  take(): SessionRef | undefined {
    const [first] = this.#waiting;
    if (first) this.#waiting.delete(first[0]);
    return first?.[1];
  }

  /** A wake-up of this queue for one worker. */
  createWake(): Wake {
    let stopTaking: (() => void) | null = null;
    return {
      enqueue: async (session) => this.add(session),
      start: async (run, { concurrency }) => {
        let running = 0;
        const take = (): void => {
          while (running < concurrency) {
            const session = this.take();
            if (!session) return;
            running += 1;
            void run(session).finally(() => {
              running -= 1;
              if (this.#takers.has(take)) take();
            });
          }
        };
        this.#takers.add(take);
        stopTaking = () => this.#takers.delete(take);
        take();
      },
      stop: async () => stopTaking?.(),
    };
  }
}
