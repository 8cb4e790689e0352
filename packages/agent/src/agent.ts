/** An agent: a session, somebody who speaks and what can be done, from one message of the user to the end of the work. */

import {
  type CompactionLimits,
  type ContextSize,
  compactionLimits,
  contextSize,
  type Model,
  modelWriter,
  type Ports,
  type Queued,
  type Session,
  type ThinkingLevel,
  type UserMessage,
  type Writer,
} from "@pith/context";
import { appended } from "./append.ts";
import type { Blobs } from "./blobs.ts";
import type { AgentEvent, RunEnd } from "./events.ts";
import { type Act, Between } from "./loop/between.ts";
import { enqueue, queueUpdate, unqueue } from "./loop/deliver.ts";
import { budgetOf, type Compacted, compaction } from "./loop/keep-fit.ts";
import { run, type Start } from "./loop/run.ts";
import type { AgentHooks, RunParts } from "./loop/run-parts.ts";
import { changeModel, type ModelSet } from "./loop/set-model.ts";
import { saying, takingUp } from "./loop/start.ts";
import { Turns } from "./loop/turns.ts";
import { type Destination, filesOnTheWay, type Navigated, navigate } from "./navigate.ts";
import type { Permits } from "./permissions/permit.ts";
import { type Beginning, establish } from "./prompt/establish.ts";
import type { PlannedFile, RewindParts } from "./rewind/plan-rewind.ts";
import { atOnce, type Step } from "./step.ts";
import type { Tool } from "./tool.ts";

export interface AgentParts {
  readonly session: Session;
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly ports: Ports;
  /** Where it works, and what it is told before the first word. */
  readonly beginning?: Beginning;
  readonly thinking?: ThinkingLevel;
  readonly limits?: CompactionLimits;
  /** Who writes summaries; the model that works, where nobody is named. */
  readonly writers?: readonly Writer[];
  readonly hooks?: AgentHooks;
  /** Without it everything is permitted: whoever hands in the tools answers for them. */
  readonly permits?: Permits;
  readonly blobs?: Blobs;
  /** Where files are put back as they were; without it none are. */
  readonly rewind?: RewindParts;
  readonly step?: Step;
  /** Told everything that happens, also what happens outside a run. */
  readonly listen?: (event: AgentEvent) => void;
}

export type Content = UserMessage["content"];

/** An agent. It does one thing at a time; what else is asked of it waits for the moment between two requests. */
export class Agent {
  readonly #parts: AgentParts;
  readonly #turns: Turns;
  readonly #between = new Between();
  #model: Model;
  #isAutomatic = true;
  #isRunning = false;
  /** The newest of what is on its way into the queue. */
  #lastSaid: Promise<unknown> = Promise.resolve();

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#model = parts.model;
    this.#turns = new Turns(parts.session, parts.listen);
  }

  get session(): Session {
    return this.#parts.session;
  }

  get model(): Model {
    return this.#model;
  }

  /** Whether a run is under way; then what is said to it waits. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** What waits, in the order in which it was said. */
  get queue(): readonly Queued[] {
    return this.session.window.state.queue;
  }

  /** Says something to the model and lets it work until it has no more to say. One run at a time. */
  async *prompt(content: Content): AsyncGenerator<AgentEvent, RunEnd> {
    this.#mustBeIdle();
    const said: Queued = { id: this.#parts.ports.entryId(), kind: "followUp", content };
    // Whatever else is under way, what was said is in the log at once.
    if (this.#turns.isBusy) await enqueue(this.session, said);
    return yield* this.#run(saying(said));
  }

  /** Goes on with what a run left open when its program ended; done at once where that is nothing. */
  async *resume(): AsyncGenerator<AgentEvent, RunEnd> {
    this.#mustBeIdle();
    return yield* this.#run(takingUp(this.#parts.ports.entryId()));
  }

  /** Says something before the next request of the run that is under way; where there is none, at the beginning of the next. */
  steer(content: Content): Promise<void> {
    return this.#enqueue("steer", content);
  }

  /** Says something when the model has no more to say. */
  followUp(content: Content): Promise<void> {
    return this.#enqueue("followUp", content);
  }

  /** Takes back all that waits, e.g. to write it anew. */
  async clearQueue(): Promise<readonly Queued[]> {
    const { queue } = this;
    await unqueue(this.session, queue);
    this.#turns.tell(queueUpdate(this.session));
    return queue;
  }

  /** Ends what is under way, and comes back when it has ended. What was said and done until then stays. */
  abort(): Promise<void> {
    return this.#turns.abort();
  }

  /** Asked for: whatever the threshold says, and also where nothing happens by itself. A run goes on afterwards. */
  compact(instructions?: string): Promise<Compacted> {
    const need = { reason: "asked", ...(instructions !== undefined && { instructions }) } as const;
    return this.#aside((parts) => compaction(parts, need));
  }

  /** Another model takes over from the next request on. What is too much for it is compacted first; else nothing changes. */
  async setModel(model: Model): Promise<ModelSet> {
    const outcome = await this.#aside((parts) => changeModel(model, parts));
    if (outcome.type === "set") this.#model = model;
    return outcome;
  }

  async setThinkingLevel(level: ThinkingLevel): Promise<void> {
    await appended(this.session, { type: "thinking_level_change", thinkingLevel: level });
    this.#turns.tell({ type: "thinking_level_changed", level });
  }

  /** False stops every compaction that nobody asked for. */
  setAutoCompactionEnabled(isEnabled: boolean): void {
    this.#isAutomatic = isEnabled;
  }

  /** Goes to another place in the tree; refused while a run is under way (B80). */
  async navigateTree(target: string | null, wish: Destination = {}): Promise<Navigated> {
    if (this.#isRunning) return { type: "refused", why: "streaming" };
    return this.#aside((parts) => navigate(target, wish, { parts, rewind: this.#parts.rewind }));
  }

  /** What going there would do to the files that the session changed; nothing is touched. */
  async previewFiles(target: string | null): Promise<readonly PlannedFile[]> {
    const { rewind } = this.#parts;
    return rewind ? filesOnTheWay(target, this.session, rewind) : [];
  }

  /** What the next request would weigh, and what the model can see. */
  contextUsage(): ContextSize & { readonly contextWindow: number } {
    const { contextWindow } = this.#model;
    return { ...contextSize(this.session.window, budgetOf(this.#runParts(NEVER))), contextWindow };
  }

  #mustBeIdle(): void {
    if (this.#isRunning) throw new Error("the agent is at work; steer it, follow up, or abort it");
  }

  async *#run(first: Start): AsyncGenerator<AgentEvent, RunEnd> {
    this.#isRunning = true;
    try {
      for (let start = first; ; start = takingUp(this.#parts.ports.entryId())) {
        const end = yield* this.#oneRun(start);
        // RUN6: whoever spoke while it was running is heard, also in its last moment.
        if (end.type !== "done" || !(await this.#isSpokenTo())) return end;
      }
    } finally {
      this.#isRunning = false;
      // What came too late for the last moment between two requests has no run to wait for.
      if (this.#between.isWaiting) void this.#alone((parts) => this.#between.acts(() => parts));
    }
  }

  #oneRun(start: Start): AsyncGenerator<AgentEvent, RunEnd> {
    return this.#turns.take((signal) => {
      const parts = (): RunParts => this.#runParts(signal);
      return run({ ...start, parts, between: this.#between, establish: () => establish(this.#parts) });
    });
  }

  async #isSpokenTo(): Promise<boolean> {
    for (let last: unknown; last !== this.#lastSaid; ) {
      last = this.#lastSaid;
      await last;
    }
    return this.queue.length > 0;
  }

  /** Between two requests of the run, or now where there is none. */
  #aside<Outcome>(act: Act<Outcome>): Promise<Outcome> {
    return this.#isRunning ? this.#between.wait(act) : this.#alone(act);
  }

  async #alone<Outcome>(act: Act<Outcome>): Promise<Outcome> {
    const acts = this.#turns.take((signal) => act(this.#runParts(signal)));
    for (;;) {
      const { done, value } = await acts.next();
      if (done) return value;
    }
  }

  async #enqueue(kind: Queued["kind"], content: Content): Promise<void> {
    const said = enqueue(this.session, { id: this.#parts.ports.entryId(), kind, content });
    this.#lastSaid = said.catch(() => undefined);
    await said;
    this.#turns.tell(queueUpdate(this.session));
  }

  #runParts(signal: AbortSignal): RunParts {
    const { session, tools, ports, limits = compactionLimits, hooks = {}, permits, blobs, step = atOnce } = this.#parts;
    const model = this.#model;
    const writers = this.#parts.writers ?? [modelWriter(model, { ports })];
    const automatic = { ...limits, enabled: limits.enabled && this.#isAutomatic };
    return { session, model, tools, ports, limits: automatic, writers, hooks, permits, blobs, step, signal };
  }
}

const NEVER = new AbortController().signal;
