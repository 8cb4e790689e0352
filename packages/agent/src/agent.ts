/** Implements `Agent`, which runs a model with tools in a session. */

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
import { compactIfEnabled, type SetModelResult } from "./compaction/auto-compact.ts";
import type { AgentCompactionOutcome, AgentEvent, CompactionRefusal, RunEnd } from "./events.ts";
import { runInputHooks, runQueuedInputHooks, toInputRunEnd } from "./hooks/input-hooks.ts";
import { AgentState } from "./loop/agent-state.ts";
import { chooseMessageId, enqueue } from "./loop/message-queue.ts";
import { type RunStart, resumeFromLog, startWithMessage } from "./loop/run.ts";
import { Scheduler } from "./loop/scheduler.ts";
import { findPendingWork, STOP_TYPE, wasStoppedByUser } from "./pending-work.ts";
import type { SkillText } from "./prompt/attach-skills.ts";
import type { SystemPromptOptions } from "./prompt/system-prompt.ts";
import type { PlannedFile } from "./rewind-files.ts";
import type { QueueMode, QueueModes } from "./run-context.ts";
import type { FileExists, HandOffResult } from "./session/handoff.ts";
import type { NavigateOptions, NavigateResult } from "./session/navigate.ts";

type BusyRefusal = Extract<MoveResult, { type: "refused" }>;

/** The content of a user message: a string, or text and image blocks. */
export type UserContent = UserMessage["content"];

/** Options for a message of the user. */
export interface MessageOptions {
  /** The id of its entry, such as the client's id of the message. A message whose id is in the session already is not sent again. Default: a new id. */
  readonly id?: string;
}

export interface AppendToSessionOptions {
  /** Whether the model sees the entries, e.g. a shell command of the user. The system prompt is then appended first. */
  readonly isVisibleToModel?: boolean;
  /** Whether to wait for the end of the run instead of the time between two requests. */
  readonly waitsForRunEnd?: boolean;
}

/** What `Agent.compact` should do. A string gives only the instructions. */
export interface CompactRequest {
  /** What the summary should focus on. */
  readonly instructions?: string;
  /** The first entry to keep: everything before it is summarized, and it and all later entries are kept unshortened. Default: chosen by size. */
  readonly firstKeptEntryId?: string;
  /** Whether to derive the summary from the original entries of the branch. By default it continues the previous summary. */
  readonly fromOriginals?: boolean;
}

/** An agent. It runs one piece of work at a time; other calls wait for the time between two requests. */
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
    state.preparation.emit = (event) => this.#scheduler.notify(event);
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

  /** The token limits of the current model, and how much a compaction keeps. */
  get budget(): Budget {
    return this.#state.budget;
  }

  /** The tokens of the next request, and the context window of the model. */
  contextUsage(): ContextSize & { readonly contextWindow: number } {
    const { contextWindow } = this.model;
    return { ...contextSize(this.session.branch, this.budget), contextWindow };
  }

  /** Whether a summary is ready, so that the next automatic compaction calls no model. */
  get isSummaryReady(): boolean {
    return this.#state.preparation.isReady;
  }

  /** Whether a run is in progress. Messages are queued during a run. */
  get isRunning(): boolean {
    return this.#scheduler.isRunning;
  }

  /** Whether a run or other work is in progress. */
  get isBusy(): boolean {
    return this.#scheduler.isBusy;
  }

  /** The queued messages, the oldest first. */
  get queue(): readonly QueuedMessage[] {
    return this.session.branch.state.queue;
  }

  /** Sends a message and runs until the model is done. Throws if a run is in progress. The id of a message that was sent before resumes its run. */
  async *prompt(content: UserContent, { id }: MessageOptions = {}): AsyncGenerator<AgentEvent, RunEnd> {
    if (content.length === 0) throw new Error("the prompt is empty");
    const { hooks = {} } = this.#options;
    if (!hooks.input?.length) return yield* this.#scheduler.run(this.#createRunStart(content, id));
    const options = { ...this.#options, hooks };
    return yield* this.#scheduler.run(async (signal) => {
      const input = await runInputHooks(content, "prompt", { ...options, signal });
      return input.type === "accepted" ? this.#createRunStart(input.content, id) : toInputRunEnd(input);
    });
  }

  #createRunStart(content: UserContent, id: string | undefined): RunStart {
    const queued: QueuedMessage = { id: chooseMessageId(id, this.#options.runtime), kind: "followUp", content };
    const mayBeKnown = id !== undefined;
    // If other work is in progress, the message is queued, so that it is in the log at once.
    const onQueued = (): Promise<void> => enqueue(this.session, queued, { mayBeKnown });
    return { ...startWithMessage(queued, { mayBeKnown }), ...(this.#scheduler.isBusy && { onQueued }) };
  }

  /** Continues a run that was interrupted by the end of the program, or delivers the next queued message. A turn that the user stopped is not continued. */
  resume(): AsyncGenerator<AgentEvent, RunEnd> {
    return this.#scheduler.run(resumeFromLog());
  }

  /** Queues a message that is delivered before the next request, or at the start of the next run. */
  steer(content: UserContent, options: MessageOptions = {}): Promise<void> {
    return this.#scheduler.messageQueue.enqueue({ ...options, kind: "steer", content });
  }

  /** Queues a message that is delivered when the model is done. */
  followUp(content: UserContent, options: MessageOptions = {}): Promise<void> {
    return this.#scheduler.messageQueue.enqueue({ ...options, kind: "followUp", content });
  }

  /** Queues a message that is not from the user, like `steer` or `followUp`. */
  sendCustomMessage({ kind, content, custom }: Required<Omit<QueuedMessage, "id">>): Promise<void> {
    return this.#scheduler.messageQueue.enqueue({ kind, content, custom });
  }

  /** Removes the queued messages of the user and returns them, e.g. to edit them. */
  clearQueue(): Promise<readonly QueuedMessage[]> {
    return this.#scheduler.messageQueue.clear();
  }

  /** Aborts all work, and resolves when it has ended. Entries that are already in the session stay. */
  async abort(): Promise<void> {
    await Promise.all([this.#scheduler.abort(), this.#state.preparation.stop()]);
  }

  /** Aborts all work. A prepared summary is kept beside the session, or dropped if the store cannot keep it. Call it before you close the session. */
  async close(): Promise<void> {
    await this.abort();
    await this.#state.preparation.close();
  }

  /**
   * Ends the run before its next request, once the current reply and its tool calls have ended, and writes nothing. `resume` continues it,
   * here or in another process.
   */
  suspend(): Promise<void> {
    return this.#scheduler.suspend();
  }

  /** Aborts all work because the user wants it. If a turn stays unfinished, the session records that this was no crash. */
  async stop(): Promise<void> {
    await this.abort();
    const { entries } = this.session.branch;
    const isUnfinished = ["reply", "results"].includes(findPendingWork(entries)?.type ?? "");
    if (!isUnfinished || wasStoppedByUser(entries)) return;
    await this.appendToSession((session) => session.append({ type: "custom", customType: STOP_TYPE }));
  }

  /** Resolves when no work is in progress. */
  waitForIdle(): Promise<void> {
    return this.#scheduler.runWhenIdle(async () => {});
  }

  /** Compacts now, below the threshold and with automatic compaction off too. A run continues afterwards. */
  async compact(request: string | CompactRequest = {}): Promise<AgentCompactionOutcome | CompactionRefusal> {
    // RUN14: a second compaction would find nothing to do, or compact what the first one kept.
    if (this.session.busyReasons.includes("compacting")) return { type: "refused", why: "compacting" };
    this.#resetCostLimitWhenIdle();
    const options = typeof request === "string" ? { instructions: request } : request;
    return this.#scheduler.runBetweenRequests((run) => compactIfEnabled(run, { ...options, reason: "asked" }));
  }

  /** Changes the model from the next request on. A context that is too long for it is compacted first; if that fails, nothing changes. */
  setModel(model: Model): Promise<SetModelResult> {
    this.#resetCostLimitWhenIdle();
    return this.#scheduler.runBetweenRequests((run) => this.#state.setModel(model, run));
  }

  /** Changes the thinking level from the next request on. */
  setThinkingLevel(level: ThinkingLevel): Promise<void> {
    return this.#scheduler.runBetweenRequests(() => this.#state.setThinkingLevel(level));
  }

  /** How many queued messages of each kind are delivered at once. */
  get queueModes(): QueueModes {
    return this.#state.queueModes;
  }

  setQueueMode(kind: QueuedMessage["kind"], mode: QueueMode): void {
    this.#state.queueModes = { ...this.#state.queueModes, [kind]: mode };
  }

  /** Overrides `enabled` of the limits. False: only `compact` compacts. */
  setAutoCompactionEnabled(isEnabled: boolean): void {
    this.#state.isAutoCompactionEnabled = isEnabled;
  }

  /** Changes the system prompt from the next message on. Only the differences are appended. */
  setSystemPrompt(systemPrompt: SystemPromptOptions): void {
    this.#state.systemPrompt = systemPrompt;
  }

  /** Appends entries such as a pin or a name, between two requests. */
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

  /** Writes the first message of a new session that continues this work towards a goal (B82). */
  handOff(goal: string, fileExists: FileExists): Promise<HandOffResult> {
    this.#resetCostLimitWhenIdle();
    return this.#scheduler.runBetweenRequests(async (run) => {
      const { handOff } = await import("./session/handoff.ts");
      return await handOff(goal, run, fileExists);
    });
  }

  /** Appends the full text of a skill before the next message. */
  attachSkill(skill: SkillText): Promise<void> {
    return this.#scheduler.runBetweenRequests(async ({ session }) => {
      const { attachSkill } = await import("./prompt/attach-skills.ts");
      await this.#state.ensureSystemPrompt();
      await attachSkill(session, skill);
    });
  }

  /** Undoes the newest compaction, or redoes it. Refused while a run, a compaction or a move is in progress. */
  async undoCompaction(step: "undo" | "redo" = "undo"): Promise<UndoResult | BusyRefusal> {
    const refusal = this.#findBusyRefusal();
    if (refusal) return refusal;
    return this.#scheduler.runWhenIdle(async function* (run) {
      const { undoOrRedoCompaction } = await import("./session/navigate.ts");
      const result = yield* undoOrRedoCompaction(step, run);
      if (result.type === "undone" || result.type === "redone") await run.preparation.dropIfOutdated();
      return result;
    });
  }

  /** Moves to another entry of the tree. Refused while a run, a compaction or a move is in progress (B80). */
  async navigateTree(target: string | null, options: NavigateOptions = {}): Promise<NavigateResult> {
    const refusal = this.#findBusyRefusal();
    if (refusal) return refusal;
    this.#resetCostLimitWhenIdle();
    return this.#scheduler.runWhenIdle(async function* (run) {
      const { navigate } = await import("./session/navigate.ts");
      const result = yield* navigate(target, options, run);
      if (result.type === "moved") await run.preparation.dropIfOutdated();
      return result;
    });
  }

  /** BOUND9: what the user requests between two runs is not refused because of what the last run cost. */
  #resetCostLimitWhenIdle(): void {
    if (!this.isRunning) this.#options.runLimits?.costLimit?.reset();
  }

  /** The work at the leaf that prevents a move (B80). */
  #findBusyRefusal(): BusyRefusal | null {
    const [why = this.isRunning ? ("streaming" as const) : null] = this.session.busyReasons;
    return why && { type: "refused", why };
  }

  /** What a move with `restoreFiles` would do to the files that the session changed. No file is touched. */
  async previewFileRestore(target: string | null): Promise<readonly PlannedFile[]> {
    const { rewind } = this.#options;
    if (!rewind) return [];
    const { planFileRestore } = await import("./session/navigate.ts");
    return planFileRestore(target, this.session, rewind);
  }
}
