/** Implements `Agent`: a session, a model and tools, from one user message to the end of the work. */

import {
  type AppendResult,
  type Budget,
  type ContextSize,
  contextSize,
  type Model,
  type MoveResult,
  type Session,
  type ThinkingLevel,
  type UndoResult,
  type UserMessage,
} from "@pith/context";
import type { QueuedMessage } from "@pith/context/host";
import type { AgentOptions } from "./agent-options.ts";
import { runCompaction, type SetModelResult } from "./compaction/auto-compact.ts";
import type { AgentCompactionOutcome, AgentEvent, CompactionRefusal, RunEnd } from "./events.ts";
import { runInputHooks, runQueuedInputHooks, toInputRunEnd } from "./hooks/input-hooks.ts";
import { AgentState } from "./loop/agent-state.ts";
import { enqueue } from "./loop/message-queue.ts";
import { resumeFromLog, startWithMessage } from "./loop/run.ts";
import type { QueueMode, QueueModes } from "./loop/run-context.ts";
import { type RunRequest, Scheduler } from "./loop/scheduler.ts";
import type { SkillText } from "./prompt/attach-skills.ts";
import type { SystemPromptOptions } from "./prompt/system-prompt.ts";
import type { FileExists, HandOffResult } from "./session/handoff.ts";
import type { NavigateOptions, NavigateResult } from "./session/navigate.ts";
import type { PlannedFile } from "./session/rewind-files.ts";

type BusyRefusal = Extract<MoveResult, { type: "refused" }>;

export type UserContent = UserMessage["content"];

export interface AppendToSessionOptions {
  /** The model sees it, such as a shell line of the user's own: then what it must be told first stands before it. */
  readonly isVisibleToModel?: boolean;
  /** Not between two requests of a run, but when it has ended. */
  readonly waitsForRunEnd?: boolean;
}

/** An agent. It does one thing at a time; what else is asked of it waits for the moment between two requests. */
export class Agent {
  readonly #options: AgentOptions;
  readonly #state: AgentState;
  readonly #scheduler: Scheduler;

  constructor(options: AgentOptions) {
    const { session, runtime, onEvent, secrets } = options;
    const state = new AgentState(options);
    this.#options = options;
    this.#state = state;
    this.#scheduler = new Scheduler({
      session,
      runtime,
      onEvent,
      secrets,
      getRun: (signal) => state.createRunContext(signal),
      ensureSystemPrompt: () => state.ensureSystemPrompt(),
      filterInput: options.hooks?.input?.length ? (queued) => runQueuedInputHooks(queued, options) : undefined,
    });
  }

  get session(): Session {
    return this.#options.session;
  }

  get model(): Model {
    return this.#state.model;
  }

  get thinkingLevel(): string {
    return this.#state.thinkingLevel;
  }

  /** How much is too much for who speaks now, and how much of each thing a compaction keeps. */
  get budget(): Budget {
    return this.#state.budget;
  }

  /** What the next request would weigh, and what the model can see. */
  contextUsage(): ContextSize & { readonly contextWindow: number } {
    const { contextWindow } = this.model;
    return { ...contextSize(this.session.branch, this.budget), contextWindow };
  }

  /** Whether a run is under way; then what is said to it waits. */
  get isRunning(): boolean {
    return this.#scheduler.isRunning;
  }

  /** Whether anything is under way, a run or not. */
  get isBusy(): boolean {
    return this.#scheduler.isBusy;
  }

  /** What waits, in the order in which it was said. */
  get queue(): readonly QueuedMessage[] {
    return this.session.branch.state.queue;
  }

  /** Says something to the model and lets it work until it has no more to say. One run at a time. */
  async *prompt(content: UserContent): AsyncGenerator<AgentEvent, RunEnd> {
    if (content.length === 0) throw new Error("there is nothing to say");
    const { hooks = {} } = this.#options;
    if (!hooks.input?.length) return yield* this.#scheduler.run(this.#createRunRequest(content));
    const options = { ...this.#options, hooks };
    return yield* this.#scheduler.run(async (signal) => {
      const input = await runInputHooks(content, "prompt", { ...options, signal });
      return input.type === "accepted" ? this.#createRunRequest(input.content) : toInputRunEnd(input);
    });
  }

  #createRunRequest(content: UserContent): RunRequest {
    const queued: QueuedMessage = { id: this.#options.runtime.entryId(), kind: "followUp", content };
    // Whatever else is under way, what was said is in the log at once.
    const enqueueFirst = this.#scheduler.isBusy ? { beforeTurn: () => enqueue(this.session, queued) } : {};
    return { ...startWithMessage(queued), ...enqueueFirst };
  }

  /** Goes on with what a run left open when its program ended; done at once where that is nothing. */
  resume(): AsyncGenerator<AgentEvent, RunEnd> {
    return this.#scheduler.run(resumeFromLog());
  }

  /** Says something before the next request of the run that is under way; where there is none, at the beginning of the next. */
  steer(content: UserContent): Promise<void> {
    return this.#scheduler.messageQueue.enqueue({ kind: "steer", content });
  }

  /** Says something when the model has no more to say. */
  followUp(content: UserContent): Promise<void> {
    return this.#scheduler.messageQueue.enqueue({ kind: "followUp", content });
  }

  /** Says something that no user said, like those two: it waits in the log, and the model is asked once it is its turn. */
  sendCustomMessage({ kind, content, custom }: Required<Omit<QueuedMessage, "id">>): Promise<void> {
    return this.#scheduler.messageQueue.enqueue({ kind, content, custom });
  }

  /** Takes back all that the user said and waits, e.g. to write it anew. */
  clearQueue(): Promise<readonly QueuedMessage[]> {
    return this.#scheduler.messageQueue.clear();
  }

  /** Ends what is under way, and comes back when it has ended. What was said and done until then stays. */
  abort(): Promise<void> {
    return this.#scheduler.abort();
  }

  /** Comes back when nothing is under way. */
  waitForIdle(): Promise<void> {
    return this.#scheduler.runWhenIdle(async () => {});
  }

  /** Asked for: whatever the threshold says, and also where nothing happens by itself. A run goes on afterwards. */
  async compact(instructions?: string): Promise<AgentCompactionOutcome | CompactionRefusal> {
    // RUN14: a second compaction after it would find nothing to do, or compact what was just kept.
    if (this.session.busyReasons.includes("compacting")) return { type: "refused", why: "compacting" };
    const request = { reason: "asked", ...(instructions !== undefined && { instructions }) } as const;
    return this.#scheduler.runTaskBetweenRequests((run) => runCompaction(run, request));
  }

  /** Another model takes over from the next request on. What is too much for it is compacted first; else nothing changes. */
  setModel(model: Model): Promise<SetModelResult> {
    return this.#scheduler.runTaskBetweenRequests((run) => this.#state.setModel(model, run));
  }

  /** From the next request on. */
  setThinkingLevel(level: ThinkingLevel): Promise<void> {
    return this.#scheduler.runTaskBetweenRequests((run) => this.#state.setThinkingLevel(level, run));
  }

  /** How much of what waits is said at once, by its kind. */
  get queueModes(): QueueModes {
    return this.#state.queueModes;
  }

  setQueueMode(kind: QueuedMessage["kind"], mode: QueueMode): void {
    this.#state.queueModes = { ...this.#state.queueModes, [kind]: mode };
  }

  /** False stops every compaction that nobody asked for; whatever the limits say. */
  setAutoCompactionEnabled(isEnabled: boolean): void {
    this.#state.isAutoCompactionEnabled = isEnabled;
  }

  /** What it is told before the next word, where that is not what the log says; what was said stays. */
  setSystemPrompt(systemPrompt: SystemPromptOptions): void {
    this.#state.systemPrompt = systemPrompt;
  }

  /** Writes beside the conversation, such as a pin or a name; between two requests, so that it comes into none. */
  appendToSession(
    append: (session: Session) => Promise<AppendResult>,
    options: AppendToSessionOptions = {},
  ): Promise<AppendResult> {
    const { isVisibleToModel = false, waitsForRunEnd = false } = options;
    return this.#scheduler[waitsForRunEnd ? "runWhenIdle" : "runBetweenRequests"](async ({ session }) => {
      if (isVisibleToModel) await this.#state.ensureSystemPrompt();
      return await append(session);
    });
  }

  /** Has a first message written for a new session that goes on with this one's work towards a goal (B82). */
  handOff(goal: string, fileExists: FileExists): Promise<HandOffResult> {
    return this.#scheduler.runBetweenRequests(async (run) => {
      const { handOff } = await import("./session/handoff.ts");
      return await handOff(goal, run, fileExists);
    });
  }

  /** Has the model know a skill, word for word, before whatever is said next. */
  attachSkill(skill: SkillText): Promise<void> {
    return this.#scheduler.runBetweenRequests(async ({ session }) => {
      const { attachSkill } = await import("./prompt/attach-skills.ts");
      await this.#state.ensureSystemPrompt();
      await attachSkill(session, skill);
    });
  }

  /** Undoes the newest compaction, or takes that back: one step. A move like any other, so that a run must have ended. */
  async undoCompaction(step: "undo" | "redo" = "undo"): Promise<UndoResult | BusyRefusal> {
    const refusal = this.#findBusyRefusal();
    if (refusal) return refusal;
    return this.#scheduler.runTaskWhenIdle(async function* (run) {
      const { undoOrRedoCompaction } = await import("./session/navigate.ts");
      return yield* undoOrRedoCompaction(step, run);
    });
  }

  /** Goes to another place in the tree; refused while a run, a compaction or another move is under way (B80). */
  async navigateTree(target: string | null, options: NavigateOptions = {}): Promise<NavigateResult> {
    const refusal = this.#findBusyRefusal();
    if (refusal) return refusal;
    return this.#scheduler.runTaskWhenIdle(async function* (run) {
      const { navigate } = await import("./session/navigate.ts");
      return yield* navigate(target, options, run);
    });
  }

  /** What is under way at the leaf, which a move would leave (B80). */
  #findBusyRefusal(): BusyRefusal | null {
    const [why = this.isRunning ? ("streaming" as const) : null] = this.session.busyReasons;
    return why && { type: "refused", why };
  }

  /** What going there would do to the files that the session changed; nothing is touched. */
  async previewFileRestore(target: string | null): Promise<readonly PlannedFile[]> {
    const { rewind } = this.#options;
    if (!rewind) return [];
    const { planFileRestore } = await import("./session/navigate.ts");
    return planFileRestore(target, this.session, rewind);
  }
}
