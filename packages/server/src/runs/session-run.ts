/** Runs one session on this worker: takes it, brings its messages into the log, runs its agent until nothing is left, and gives it back. */

import type { Agent, AgentEvent, RunEnd } from "@pith/agent";
import { Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import type { Database } from "../store/connect.ts";
import type { PostgresStore, SessionRef } from "../store/postgres-store.ts";
import { type HoldResult, holdSession, releaseSession } from "./hold.ts";
import { deliverMessages } from "./inbox.ts";

/** A session that this worker has. */
export interface HeldSession extends SessionRef {
  readonly store: PostgresStore;
}

/** The agent of a session. `close` ends what belongs to it, but not the store. */
export interface OpenedAgent {
  readonly agent: Agent;
  readonly close: () => Promise<void>;
}

export type OpenAgent = (session: HeldSession) => Promise<OpenedAgent>;

export interface SessionRunOptions {
  readonly database: Database;
  readonly worker: string;
  readonly openAgent: OpenAgent;
  readonly silentMs: number;
}

/** `given-back`: the work is not done, and another worker has to go on. The others: the session was not run. */
export type RunOutcome = "done" | "given-back" | Exclude<HoldResult["type"], "taken">;

export class SessionRun {
  readonly #session: SessionRef;
  readonly #options: SessionRunOptions;
  #agent: Agent | null = null;
  #isSuspending = false;
  /** One delivery at a time, so that messages keep their order. */
  #lastDelivery: Promise<unknown> = Promise.resolve();

  constructor(session: SessionRef, options: SessionRunOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** Rejects if PostgreSQL cannot be reached; then the session stays with this worker until it looks for such sessions. */
  async run(): Promise<RunOutcome> {
    const { database, openAgent } = this.#options;
    const held = await holdSession(database, this.#session, this.#options);
    if (held.type !== "taken") return held.type;
    const { store, token } = held;
    const opened = await openAgent({ ...this.#session, store }).catch(async (error: unknown) => {
      await recordFailure(store, error);
      return null;
    });
    try {
      for (;;) {
        const doneAt = opened ? await this.#runToEnd(opened.agent) : await this.#readAccepted();
        const isReleased = await releaseSession(database, this.#session, { token, doneAt });
        if (isReleased) return doneAt === null ? "given-back" : "done";
      }
    } finally {
      this.#agent = null;
      await opened?.close();
    }
  }

  /** Brings messages that came in during the run into the log. */
  async deliver(): Promise<void> {
    if (this.#agent) await this.#deliver(this.#agent);
  }

  /** Ends the run before its next request. Another worker goes on. */
  async suspend(): Promise<void> {
    this.#isSuspending = true;
    await this.#agent?.suspend();
  }

  /** Returns how many messages were accepted when the work was done, or null if it was suspended. */
  async #runToEnd(agent: Agent): Promise<string | null> {
    this.#agent = agent;
    const accepted = await this.#deliver(agent);
    if (this.#isSuspending) return null;
    const end = await finish(agent.resume());
    if (end.type === "failed") await agent.appendToSession((session) => session.append(createFailureEntry(end.why)));
    const isCutOff = end.type === "suspended" && end.waitsFor === undefined;
    return isCutOff || this.#isSuspending ? null : accepted;
  }

  #deliver(agent: Agent): Promise<string> {
    const delivery = this.#lastDelivery.then(() => deliverMessages(this.#options.database, this.#session, agent));
    this.#lastDelivery = delivery.catch(() => undefined);
    return delivery;
  }

  async #readAccepted(): Promise<string> {
    const { tenant, key } = this.#session;
    const rows = await this.#options.database.readRows<{ accepted: string }>("read_inbox", [tenant, key]);
    return rows[0]?.accepted ?? "0";
  }
}

async function finish(run: AsyncGenerator<AgentEvent, RunEnd>): Promise<RunEnd> {
  for (;;) {
    const { done, value } = await run.next();
    if (done) return value;
  }
}

async function recordFailure(store: PostgresStore, error: unknown): Promise<void> {
  const session = await Session.open(store, nodeRuntime);
  await session.append(createFailureEntry(error instanceof Error ? error.message : String(error)));
}

/** Says in the log why a run ended, so that a session does not just fall silent. */
function createFailureEntry(why: string) {
  return { type: "custom", customType: "pith.run_failed", data: { why } } as const;
}
