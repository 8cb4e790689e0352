/** Schedules an agent's work: one run at a time, and other tasks between two of its requests or when it is idle. */

import type { Runtime, Session } from "@pith/context";
import { NewEntryEvents } from "../append-entries.ts";
import { type EmitEvent, raceAbort, runWithEvents } from "../async.ts";
import type { AgentEvent, AgentEventListener, RunEnd } from "../events.ts";
import type { Secrets } from "../ports.ts";
import type { RunContext } from "../run-context.ts";
import { type InputFilter, MessageQueue } from "./message-queue.ts";
import { addRunEvents, type RunStart, resumeFromLog, runAgent } from "./run.ts";

export interface SchedulerOptions {
  readonly session: Session;
  readonly runtime: Pick<Runtime, "entryId">;
  readonly onEvent?: AgentEventListener | undefined;
  readonly secrets?: Pick<Secrets, "takeFindings"> | undefined;
  /** The context as it is at the time of the call. */
  readonly getRun: (signal: AbortSignal) => RunContext;
  readonly ensureSystemPrompt: () => Promise<void>;
  readonly filterInput?: InputFilter | undefined;
}

/** Resolves to the request once input hooks have run, or to the end of the run if they leave nothing to send. */
export type RunStartResolver = (signal: AbortSignal) => Promise<RunStart | RunEnd>;

/** Work with or without events of its own. */
export type RunTask<Outcome> = (run: RunContext) => AsyncGenerator<AgentEvent, Outcome> | Promise<Outcome>;

/** A run or a task with a place in the order of execution. */
interface QueuedWork<Outcome> {
  readonly onQueued?: (() => Promise<void>) | undefined;
  readonly execute: (signal: AbortSignal) => AsyncGenerator<AgentEvent, Outcome>;
}

export class Scheduler {
  readonly messageQueue: MessageQueue;
  readonly #options: SchedulerOptions;
  readonly #newEntries: NewEntryEvents;
  readonly #notifyListener: AgentEventListener;
  /** Of the work that runs or waits for its turn. */
  readonly #workControllers = new Set<AbortController>();
  /** Of input hooks that run before a run is queued. */
  readonly #inputControllers = new Set<AbortController>();
  /** Tasks that wait for the time between two requests. */
  readonly #pendingTasks: RunTask<void>[] = [];
  /** Settles when all queued work has ended. */
  #lastWork: Promise<void> = Promise.resolve();
  #isRunning = false;
  #isSuspending = false;

  constructor(options: SchedulerOptions) {
    const { session, onEvent = () => {} } = options;
    this.#options = options;
    this.#newEntries = new NewEntryEvents(session);
    this.#notifyListener = guardListener(onEvent);
    this.messageQueue = new MessageQueue({ ...options, emit: (event) => void this.#notifyListener(event) });
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Whether a run or another task is in progress. */
  get isBusy(): boolean {
    return this.#workControllers.size > 0;
  }

  async *run(request: RunStart | RunStartResolver): AsyncGenerator<AgentEvent, RunEnd> {
    if (this.#isRunning)
      throw new Error("the agent is already running; call steer() or followUp() to add a message, or abort() first");
    this.#isRunning = true;
    let end: RunEnd;
    try {
      const resolved = typeof request === "function" ? await this.#resolveRequest(request) : request;
      if ("type" in resolved) return resolved;
      end = yield* this.#startRun(resolved);
      // RUN6: a message that is queued during the run is delivered, even one that is queued at its very end.
      while (end.type === "done" && (await this.messageQueue.hasMessages()))
        end = this.#isSuspending ? { type: "suspended" } : yield* this.#startRun(resumeFromLog());
    } finally {
      this.#isRunning = false;
      // Tasks that were added after the last request have no run to wait for.
      if (this.#pendingTasks.length > 0) void this.runWhenIdle((run) => this.#runPendingTasks(() => run));
    }
    if (end.type === "suspended") return end;
    // The listener may start a new run, so `isRunning` is false by now.
    const settled = { type: "agent_settled", aborted: end.type === "aborted" } as const;
    void this.#notifyListener(settled);
    yield settled;
    return end;
  }

  /** Passes an event outside of a run to the listener. */
  notify(event: AgentEvent): void {
    void this.#notifyListener(this.#options.session.redact(event));
  }

  /** Aborts all work, and waits until it has ended. Work that waits for its turn does not start. */
  async abort(): Promise<void> {
    for (const controller of [...this.#workControllers, ...this.#inputControllers]) controller.abort();
    await this.#lastWork;
  }

  /** Ends the current run before its next request, and waits until all work has ended. */
  async suspend(): Promise<void> {
    this.#isSuspending = true;
    try {
      await this.#lastWork;
    } finally {
      this.#isSuspending = false;
    }
  }

  /** Runs a task between two requests of the current run, or as soon as the agent is idle if there is no run. */
  runBetweenRequests<Outcome>(task: RunTask<Outcome>): Promise<Outcome> {
    if (!this.#isRunning) return this.runWhenIdle(task);
    const outcome = Promise.withResolvers<Outcome>();
    this.#pendingTasks.push(async function* (run) {
      try {
        outcome.resolve(yield* startTask(task, run));
      } catch (error) {
        // The error belongs to the caller; the run continues.
        outcome.reject(error);
      }
    });
    return outcome.promise;
  }

  /** Runs a task when all earlier work has ended. */
  async runWhenIdle<Outcome>(task: RunTask<Outcome>): Promise<Outcome> {
    const events = this.#enqueueWork({ execute: (signal) => startTask(task, this.#options.getRun(signal)) });
    for (;;) {
      const { done, value } = await events.next();
      if (done) return value;
    }
  }

  /** Messages that were queued while the input hooks ran are delivered even if the hooks leave no prompt. */
  async #resolveRequest(resolve: RunStartResolver): Promise<RunStart | RunEnd> {
    const queuedBefore = new Set(this.messageQueue.ids);
    const controller = new AbortController();
    this.#inputControllers.add(controller);
    let resolved: RunStart | RunEnd;
    try {
      resolved = await resolve(controller.signal);
    } finally {
      this.#inputControllers.delete(controller);
    }
    if (!("type" in resolved) || resolved.type === "aborted") return resolved;
    await this.messageQueue.hasMessages();
    return this.messageQueue.ids.some((id) => !queuedBefore.has(id)) ? resumeFromLog() : resolved;
  }

  #startRun(start: RunStart): AsyncGenerator<AgentEvent, RunEnd> {
    const { getRun, ensureSystemPrompt } = this.#options;
    const execute = (signal: AbortSignal): AsyncGenerator<AgentEvent, RunEnd> => {
      const getCurrentRun = (): RunContext => getRun(signal);
      const runPendingTasks = (): AsyncGenerator<AgentEvent> => this.#runPendingTasks(getCurrentRun);
      const isSuspended = (): boolean => this.#isSuspending;
      const options = { ...start, getRun: getCurrentRun, runPendingTasks, ensureSystemPrompt, isSuspended };
      return addRunEvents(runAgent(options));
    };
    return this.#enqueueWork({ onQueued: start.onQueued, execute });
  }

  /** Each task gets a new context, because the task before it may have changed the model. */
  async *#runPendingTasks(getRun: () => RunContext): AsyncGenerator<AgentEvent> {
    for (let task = this.#pendingTasks.shift(); task; task = this.#pendingTasks.shift())
      yield* startTask(task, getRun());
  }

  /** Executes work after all earlier work. It does not wait for a slow reader of its events; a reader that returns early aborts it. */
  async *#enqueueWork<Outcome>({ onQueued, execute }: QueuedWork<Outcome>): AsyncGenerator<AgentEvent, Outcome> {
    const controller = new AbortController();
    const previousWork = this.#lastWork;
    const ended = Promise.withResolvers<void>();
    this.#lastWork = ended.promise;
    this.#workControllers.add(controller);
    const work = async (emit: EmitEvent<AgentEvent>): Promise<Outcome> => {
      try {
        await onQueued?.();
        await previousWork;
        return await this.#emitAll(execute(controller.signal), emit, controller.signal);
      } finally {
        this.#workControllers.delete(controller);
        ended.resolve();
      }
    };
    return yield* runWithEvents(work, { onEarlyReturn: () => controller.abort() });
  }

  /** Emits the events of the work. The event of a new entry precedes the events that follow from the entry. */
  async #emitAll<Outcome>(
    events: AsyncGenerator<AgentEvent, Outcome>,
    emit: EmitEvent<AgentEvent>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    for (;;) {
      const { done, value } = await events.next();
      // SEC11: an error of a provider or a hook may contain a secret.
      const next = done ? [] : [this.#options.session.redact(value)];
      // The entry of a reply is reported after all deltas of the reply.
      const entryEvents = !done && value.type === "message_update" ? [] : this.#newEntries.take();
      for (const event of [...entryEvents, ...this.#takeRedactionEvents(), ...next]) {
        const handled = this.#notifyListener(event);
        // EVT6: a slow listener slows the work, but cannot keep it from being stopped.
        if (handled) await raceAbort(handled, signal);
        emit(event);
      }
      if (done) return value;
    }
  }

  #takeRedactionEvents(): readonly AgentEvent[] {
    const secrets = this.#options.secrets?.takeFindings() ?? [];
    return secrets.length === 0 ? [] : [{ type: "secrets_redacted", secrets }];
  }
}

async function* startTask<Outcome>(task: RunTask<Outcome>, run: RunContext): AsyncGenerator<AgentEvent, Outcome> {
  const work = task(run);
  return "then" in work ? await work : yield* work;
}

/** An error of a listener is rethrown as an uncaught error, and does not end the work. */
function guardListener(listener: AgentEventListener): AgentEventListener {
  const rethrowLater = (error: unknown): void =>
    queueMicrotask(() => {
      throw error;
    });
  return (event) => {
    try {
      return listener(event)?.catch(rethrowLater);
    } catch (error) {
      return rethrowLater(error);
    }
  };
}
