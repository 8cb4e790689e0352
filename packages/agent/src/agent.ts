/** An agent: a session, somebody who speaks and what can be done, from one message of the user to the end of the work. */

import {
  type CompactionLimits,
  type ContextSize,
  compactionLimits,
  contextSize,
  type Model,
  type Moved,
  type Ports,
  type Queued,
  type Session,
  type ThinkingLevel,
  type Undone,
  type UserMessage,
  type Writer,
} from "@pith/context";
import { appended } from "./append.ts";
import type { Blobs } from "./blobs.ts";
import type { AgentEvent, RunEnd } from "./events.ts";
import { enqueue, queueUpdate, unqueue } from "./loop/deliver.ts";
import { budgetOf } from "./loop/fitting/budget-of.ts";
import type { Compacted } from "./loop/fitting/compaction.ts";
import { compacting } from "./loop/fitting/keep-fit.ts";
import { changeModel, type ModelSet } from "./loop/fitting/set-model.ts";
import type { AgentHooks, RunParts } from "./loop/run-parts.ts";
import { saying, takingUp } from "./loop/start.ts";
import { Work } from "./loop/work.ts";
import type { Destination, Navigated } from "./navigate.ts";
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

type Refused = Extract<Moved, { type: "refused" }>;

export type Content = UserMessage["content"];

/** An agent. It does one thing at a time; what else is asked of it waits for the moment between two requests. */
export class Agent {
  readonly #parts: AgentParts;
  readonly #work: Work;
  #model: Model;
  #thinking: ThinkingLevel | undefined;
  #isAutomatic = true;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#model = parts.model;
    this.#thinking = parts.thinking;
    const { session, listen } = parts;
    const establishing = (): Promise<void> => establish({ ...parts, model: this.#model, thinking: this.#thinking });
    this.#work = new Work({ session, listen, parts: (signal) => this.#runParts(signal), establish: establishing });
  }

  get session(): Session {
    return this.#parts.session;
  }

  get model(): Model {
    return this.#model;
  }

  /** Whether a run is under way; then what is said to it waits. */
  get isRunning(): boolean {
    return this.#work.isRunning;
  }

  /** What waits, in the order in which it was said. */
  get queue(): readonly Queued[] {
    return this.session.window.state.queue;
  }

  /** Says something to the model and lets it work until it has no more to say. One run at a time. */
  async *prompt(content: Content): AsyncGenerator<AgentEvent, RunEnd> {
    if (content.length === 0) throw new Error("there is nothing to say");
    const said: Queued = { id: this.#parts.ports.entryId(), kind: "followUp", content };
    // Whatever else is under way, what was said is in the log at once.
    const first = this.#work.isBusy ? { first: () => enqueue(this.session, said) } : {};
    return yield* this.#work.run({ ...saying(said), ...first });
  }

  /** Goes on with what a run left open when its program ended; done at once where that is nothing. */
  resume(): AsyncGenerator<AgentEvent, RunEnd> {
    return this.#work.run(takingUp());
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
    const taken = await unqueue(this.session, () => true);
    this.#work.tell(queueUpdate(this.session));
    return taken;
  }

  /** Ends what is under way, and comes back when it has ended. What was said and done until then stays. */
  abort(): Promise<void> {
    return this.#work.abort();
  }

  /** Asked for: whatever the threshold says, and also where nothing happens by itself. A run goes on afterwards. */
  compact(instructions?: string): Promise<Compacted> {
    const need = { reason: "asked", ...(instructions !== undefined && { instructions }) } as const;
    return this.#work.aside((parts) => compacting(parts, need));
  }

  /** Another model takes over from the next request on. What is too much for it is compacted first; else nothing changes. */
  async setModel(model: Model): Promise<ModelSet> {
    const outcome = await this.#work.aside((parts) => changeModel(model, parts));
    if (outcome.type === "set") this.#model = model;
    return outcome;
  }

  /** From the next request on. */
  async setThinkingLevel(level: ThinkingLevel): Promise<void> {
    this.#thinking = level;
    await this.#work.aside(async function* ({ session }) {
      await appended(session, { type: "thinking_level_change", thinkingLevel: level });
      yield { type: "thinking_level_changed", level };
    });
  }

  /** False stops every compaction that nobody asked for. */
  setAutoCompactionEnabled(isEnabled: boolean): void {
    this.#isAutomatic = isEnabled;
  }

  /** Undoes the newest compaction, or takes that back: one step. A move like any other, so that a run must have ended. */
  async undoCompaction(step: "undo" | "redo" = "undo"): Promise<Undone | Refused> {
    if (this.isRunning) return { type: "refused", why: "streaming" };
    return this.#work.alone(async function* (parts) {
      const { steppedBack } = await import("./navigate.ts");
      return yield* steppedBack(step, parts);
    });
  }

  /** Goes to another place in the tree; refused while a run is under way (B80). */
  async navigateTree(target: string | null, wish: Destination = {}): Promise<Navigated> {
    if (this.isRunning) return { type: "refused", why: "streaming" };
    const { rewind } = this.#parts;
    return this.#work.alone(async function* (parts) {
      const { navigate } = await import("./navigate.ts");
      return yield* navigate(target, wish, { parts, rewind });
    });
  }

  /** What going there would do to the files that the session changed; nothing is touched. */
  async previewFiles(target: string | null): Promise<readonly PlannedFile[]> {
    const { rewind } = this.#parts;
    if (!rewind) return [];
    const { filesOnTheWay } = await import("./navigate.ts");
    return filesOnTheWay(target, this.session, rewind);
  }

  /** What the next request would weigh, and what the model can see. */
  contextUsage(): ContextSize & { readonly contextWindow: number } {
    const { contextWindow } = this.#model;
    return { ...contextSize(this.session.window, budgetOf(this.#runParts(NEVER))), contextWindow };
  }

  async #enqueue(kind: Queued["kind"], content: Content): Promise<void> {
    await this.#work.arriving(enqueue(this.session, { id: this.#parts.ports.entryId(), kind, content }));
    this.#work.tell(queueUpdate(this.session));
  }

  #runParts(signal: AbortSignal): RunParts {
    const { limits = compactionLimits, hooks = {}, step = atOnce, ...parts } = this.#parts;
    const { session, tools, ports, writers, permits, blobs } = parts;
    const automatic = { ...limits, enabled: limits.enabled && this.#isAutomatic };
    return {
      session,
      model: this.#model,
      tools,
      ports,
      limits: automatic,
      writers,
      hooks,
      permits,
      blobs,
      step,
      signal,
    };
  }
}

const NEVER = new AbortController().signal;
