/** Schedules an agent's work: one run at a time, and other work between two of its requests. */

import type { Runtime, Session } from "@pith/context";
import { NewEntryEvents } from "../append-entries.ts";
import { type EmitEvent, raceAbort, runWithEvents } from "../async.ts";
import type { AgentEvent, AgentEventListener, RunEnd } from "../events.ts";
import type { Secrets } from "../ports.ts";
import { type InputFilter, MessageQueue } from "./message-queue.ts";
import { BetweenRequests, type RunStart, type RunTask, resumeFromLog, runAgent } from "./run.ts";
import type { RunContext } from "./run-context.ts";

export interface QueuedTask<Outcome> {
  /** Done at once, before its turn has come. */
  readonly beforeTurn?: () => Promise<void>;
  readonly run: (signal: AbortSignal) => AsyncGenerator<AgentEvent, Outcome>;
}

export interface TaskQueueOptions {
  readonly onEvent?: AgentEventListener | undefined;
  /** Asked what was found with every entry that is told. */
  readonly secrets?: Pick<Secrets, "takeFindings"> | undefined;
}

export class TaskQueue {
  readonly emit: AgentEventListener;
  readonly #session: Session;
  readonly #newEntries: NewEntryEvents;
  readonly #secrets: Pick<Secrets, "takeFindings"> | undefined;
  readonly #controllers = new Set<AbortController>();
  readonly #preparations = new Set<AbortController>();
  #lastTask: Promise<void> = Promise.resolve();

  constructor(session: Session, { onEvent = () => {}, secrets }: TaskQueueOptions = {}) {
    this.#session = session;
    this.#newEntries = new NewEntryEvents(session);
    this.#secrets = secrets;
    this.emit = guardListener(onEvent);
  }

  get isBusy(): boolean {
    return this.#controllers.size > 0;
  }

  /** After the abort nothing of it begins any more. */
  async abort(): Promise<void> {
    for (const controller of [...this.#controllers, ...this.#preparations]) controller.abort();
    await this.#lastTask;
  }

  /** What is thought about before an act has a turn; it can be stopped like one. */
  async prepare<Outcome>(work: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
    const controller = new AbortController();
    this.#preparations.add(controller);
    try {
      return await work(controller.signal);
    } finally {
      this.#preparations.delete(controller);
    }
  }

  /** An act in its turn. It does not wait for whoever takes what it tells; who stops taking it stops it. */
  async *run<Outcome>(task: QueuedTask<Outcome>): AsyncGenerator<AgentEvent, Outcome> {
    const controller = new AbortController();
    const previousTask = this.#lastTask;
    const ended = Promise.withResolvers<void>();
    this.#lastTask = ended.promise;
    this.#controllers.add(controller);
    const work = async (emit: EmitEvent<AgentEvent>): Promise<Outcome> => {
      try {
        await task.beforeTurn?.();
        await previousTask;
        return await this.#emitAll(task.run(controller.signal), { emit, signal: controller.signal });
      } finally {
        this.#controllers.delete(controller);
        ended.resolve();
      }
    };
    return yield* runWithEvents(work, { onEarlyReturn: () => controller.abort() });
  }

  #redactionEvents(): readonly AgentEvent[] {
    const secrets = this.#secrets?.takeFindings() ?? [];
    return secrets.length === 0 ? [] : [{ type: "secrets_redacted", secrets }];
  }

  /** What was written since is told before what it led to. */
  async #emitAll<Outcome>(
    events: AsyncGenerator<AgentEvent, Outcome>,
    { emit, signal }: { readonly emit: EmitEvent<AgentEvent>; readonly signal: AbortSignal },
  ): Promise<Outcome> {
    for (;;) {
      const { done, value } = await events.next();
      // SEC11: whoever it comes from; a provider or a hook may complain of a secret.
      const next = done ? [] : [this.#session.redact(value)];
      // A reply is told behind the pieces it was made of.
      const written = !done && value.type === "message_update" ? [] : this.#newEntries.take();
      for (const event of [...written, ...this.#redactionEvents(), ...next]) {
        const handled = this.emit(event);
        // EVT6: who listens slowly slows it down, and yet cannot keep it from being stopped.
        if (handled) await raceAbort(handled, signal);
        emit(event);
      }
      if (done) return value;
    }
  }
}

/** What a listener throws is its own affair: it comes to light, and nothing here ends because of it. */
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

export interface SchedulerOptions {
  readonly session: Session;
  readonly runtime: Pick<Runtime, "entryId">;
  readonly onEvent?: AgentEventListener | undefined;
  readonly secrets?: Secrets | undefined;
  /** As they are at the moment they are asked for. */
  readonly getRun: (signal: AbortSignal) => RunContext;
  /** Says what must have been said before the first word. */
  readonly ensureSystemPrompt: () => Promise<void>;
  /** What is left of what was said, after whoever has a say in it. */
  readonly filterInput?: InputFilter | undefined;
}

/** What a run begins with, and what must be done at once though its turn may come later. */
export type RunRequest = RunStart & Pick<QueuedTask<RunEnd>, "beforeTurn">;

/** The same, once it is clear what was said; or how it ended where nothing was. */
export type RunRequestResolver = (signal: AbortSignal) => Promise<RunRequest | RunEnd>;

export class Scheduler {
  readonly messageQueue: MessageQueue;
  readonly #options: SchedulerOptions;
  readonly #tasks: TaskQueue;
  readonly #betweenRequests = new BetweenRequests();
  #isRunning = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#tasks = new TaskQueue(options.session, options);
    this.messageQueue = new MessageQueue({ ...options, emit: (event) => this.#emit(event) });
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Whether anything is under way, a run or not. */
  get isBusy(): boolean {
    return this.#tasks.isBusy;
  }

  abort(): Promise<void> {
    return this.#tasks.abort();
  }

  async *run(request: RunRequest | RunRequestResolver): AsyncGenerator<AgentEvent, RunEnd> {
    if (this.#isRunning) throw new Error("the agent is at work; steer it, follow up, or abort it");
    this.#isRunning = true;
    let end: RunEnd;
    try {
      const resolved = typeof request === "function" ? await this.#resolveRequest(request) : request;
      if ("type" in resolved) return resolved;
      end = yield* this.#runUntilQueueEmpty(resolved);
    } finally {
      this.#isRunning = false;
      // What came too late for the last moment between two requests has no run to wait for.
      if (this.#betweenRequests.hasTasks) void this.runTaskWhenIdle((run) => this.#betweenRequests.runTasks(() => run));
    }
    // Whoever hears that nothing is under way may begin something at once.
    const settled = { type: "agent_settled", aborted: end.type === "aborted" } as const;
    this.#emit(settled);
    yield settled;
    return end;
  }

  /** Between two requests of the run, or now where there is none. */
  runTaskBetweenRequests<Outcome>(task: RunTask<Outcome>): Promise<Outcome> {
    return this.#isRunning ? this.#betweenRequests.schedule(task) : this.runTaskWhenIdle(task);
  }

  /** The same for what tells nothing but what it writes. */
  runBetweenRequests<Outcome>(work: (run: RunContext) => Promise<Outcome>): Promise<Outcome> {
    return this.runTaskBetweenRequests((run) => runWithEvents<AgentEvent, Outcome>(() => work(run)));
  }

  /** The same, when nothing is under way any more. */
  runWhenIdle<Outcome>(work: (run: RunContext) => Promise<Outcome>): Promise<Outcome> {
    return this.runTaskWhenIdle((run) => runWithEvents<AgentEvent, Outcome>(() => work(run)));
  }

  /** When nothing else is under way. */
  async runTaskWhenIdle<Outcome>(task: RunTask<Outcome>): Promise<Outcome> {
    const events = this.#tasks.run({ run: (signal) => task(this.#options.getRun(signal)) });
    for (;;) {
      const { done, value } = await events.next();
      if (done) return value;
    }
  }

  /** Whoever spoke meanwhile is heard, whatever came of it. */
  async #resolveRequest(resolve: RunRequestResolver): Promise<RunRequest | RunEnd> {
    const queuedBefore = new Set(this.messageQueue.ids);
    const resolved = await this.#tasks.prepare(resolve);
    if (!("type" in resolved) || resolved.type === "aborted") return resolved;
    await this.messageQueue.hasMessages();
    return this.messageQueue.ids.some((id) => !queuedBefore.has(id)) ? resumeFromLog() : resolved;
  }

  async *#runUntilQueueEmpty(request: RunRequest): AsyncGenerator<AgentEvent, RunEnd> {
    for (let start = request; ; start = resumeFromLog()) {
      const end = yield* this.#tasks.run({ ...start, run: (signal) => this.#runOnce(start, signal) });
      // RUN6: whoever spoke while it was running is heard, also in its last moment.
      if (end.type !== "done" || !(await this.messageQueue.hasMessages())) return end;
    }
  }

  #runOnce(start: RunStart, signal: AbortSignal): AsyncGenerator<AgentEvent, RunEnd> {
    const { getRun, ensureSystemPrompt } = this.#options;
    return runAgent({
      ...start,
      getRun: () => getRun(signal),
      betweenRequests: this.#betweenRequests,
      ensureSystemPrompt,
    });
  }

  #emit(event: AgentEvent): void {
    void this.#tasks.emit(event);
  }
}
