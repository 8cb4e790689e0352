/** Runs one session on this worker: takes it, brings its messages into the log, runs its agent until nothing is left, and gives it back. */

import type { Agent, AgentEvent, AgentEventListener, AskPermission, RunEnd } from "@pith/agent";
import { type LoadedBranch, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import type { LivePublisher, LiveSession } from "../live/publisher.ts";
import type { Database } from "../store/connect.ts";
import type { PostgresStore, SessionRef } from "../store/postgres-store.ts";
import { MessageDelivery, type MessageTarget } from "./deliver.ts";
import { type HoldResult, holdSession, type ReleaseReason, releaseSession } from "./hold.ts";
import { SessionQuestions } from "./questions.ts";

/** A session that this worker has. */
export interface HeldSession extends SessionRef {
  readonly store: PostgresStore;
  /** Asks the users of the session. A question is answered now, later or never. */
  readonly ask: AskPermission;
  /** Sends the text of its replies to those who follow the session. Pass it the events of the agent. */
  readonly onEvent: AgentEventListener;
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
  readonly live?: LivePublisher | undefined;
  /** Waits until few enough runs start. Otherwise all starts wait for each other, and for the runs that end. */
  readonly limitStarts: <Result>(start: () => Promise<Result>) => Promise<Result>;
}

/** How a run ended, or why the session was not run. `next`: the session that waited for its place. */
export interface RunOutcome {
  readonly type: ReleaseReason["type"] | Exclude<HoldResult["type"], "taken">;
  readonly next: SessionRef | null;
}

export class SessionRun {
  readonly #session: SessionRef;
  readonly #options: SessionRunOptions;
  #running: { readonly target: MessageTarget; readonly delivery: MessageDelivery } | null = null;
  #suspendReason: "given-back" | "waiting" | null = null;
  #isStopped = false;
  #hasStarted = false;

  constructor(session: SessionRef, options: SessionRunOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** Whether it has looked at the session's row. A wake-up after that may be about something newer. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Rejects if PostgreSQL cannot be reached; then the session stays with this worker until it looks for such sessions. */
  async run(): Promise<RunOutcome> {
    const { database, limitStarts } = this.#options;
    const started = await limitStarts(() => this.#start());
    if (started.type !== "started") return { type: started.type, next: null };
    const { held, opened, questions, delivery, live } = started;
    try {
      for (;;) {
        const reason = await this.#runToEnd(delivery, opened && { agent: opened.agent, questions });
        const result = await releaseSession(database, this.#session, {
          ...held,
          delivered: delivery.delivered,
          reason,
        });
        if (result.isReleased) return { type: reason.type, next: result.next };
        await delivery.read();
      }
    } finally {
      this.#running = null;
      live?.close();
      await opened?.close();
    }
  }

  /** Brings messages that came in during the run into the log. */
  async deliver(): Promise<void> {
    if (this.#running) await this.#running.delivery.readAndDeliver(this.#running.target);
  }

  /** Ends the run before its next request. `given-back`: another worker goes on. `waiting`: its tenant has used up its limit. */
  async suspend(reason: "given-back" | "waiting"): Promise<void> {
    this.#suspendReason ??= reason;
    await this.#running?.target.agent.suspend();
  }

  /** Ends the run at once and its commands with it, because its session was erased. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running?.target.agent.abort().catch(() => undefined);
  }

  async #start() {
    const { database, live: publisher } = this.#options;
    this.#hasStarted = true;
    const held = await holdSession(database, this.#session, this.#options);
    if (held.type !== "taken") {
      publisher?.markState(this.#session);
      return held;
    }
    const live = publisher?.listen(this.#session, held.token);
    live?.markState();
    const questions = new SessionQuestions(database, this.#session, { ...held, onChange: live?.markState });
    const delivery = new MessageDelivery(database, this.#session, { token: held.token, content: held.inbox });
    return {
      type: "started",
      held,
      questions,
      delivery,
      live,
      opened: await this.#openAgent(held.store, { questions, live }),
    } as const;
  }

  async #openAgent(store: PostgresStore, { questions, live }: AgentConnections): Promise<OpenedAgent | null> {
    const { ask } = questions;
    const { onEvent = ignoreEvent } = live ?? {};
    try {
      const opened = await this.#options.openAgent({ ...this.#session, store, ask, onEvent });
      questions.open(opened.agent.session);
      return opened;
    } catch (error) {
      const session = await Session.open(store, nodeRuntime);
      await session.append(createFailureEntry(error instanceof Error ? error.message : String(error)));
      return null;
    }
  }

  /** Without an agent there is nothing to run: the failure is in the log. */
  async #runToEnd(delivery: MessageDelivery, target: MessageTarget | null): Promise<ReleaseReason> {
    if (!target) {
      await delivery.refuseCommands();
      return { type: "done", accepted: delivery.accepted };
    }
    const { agent, questions } = target;
    const delivered = delivery.deliver(target);
    this.#running = { target, delivery };
    await delivered;
    if (this.#suspendReason) return { type: this.#suspendReason };
    const { accepted } = delivery;
    if (this.#isStopped) return { type: "done", accepted };
    const mayResume = !delivery.isStopped && (delivery.hasMessages || !hasFailed(agent.session.branch));
    const end: RunEnd = mayResume ? await finish(agent.resume()) : { type: "aborted" };
    if (end.type === "failed") await agent.appendToSession((session) => session.append(createFailureEntry(end.why)));
    if (end.type === "suspended" && end.waitsFor === undefined) return { type: this.#suspendReason ?? "given-back" };
    if (end.type !== "suspended") await questions.close();
    return this.#suspendReason ? { type: this.#suspendReason } : { type: "done", accepted };
  }
}

/** What connects an agent to the users of its session. */
interface AgentConnections {
  readonly questions: SessionQuestions;
  readonly live: LiveSession | undefined;
}

function ignoreEvent(): void {}

async function finish(run: AsyncGenerator<AgentEvent, RunEnd>): Promise<RunEnd> {
  for (;;) {
    const { done, value } = await run.next();
    if (done) return value;
  }
}

/** Says in the log why a run ended, so that a session does not just fall silent. */
function createFailureEntry(why: string) {
  return { type: "custom", customType: FAILURE_TYPE, data: { why } } as const;
}

const FAILURE_TYPE = "pith.run_failed";

/** Whether the newest run failed. Then a new message is needed to try again; a command, such as a compaction, is none. */
function hasFailed({ entries }: Pick<LoadedBranch, "entries">): boolean {
  const failure = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === FAILURE_TYPE);
  return failure >= 0 && !entries.slice(failure).some(({ type }) => type === "message" || type === "custom_message");
}
