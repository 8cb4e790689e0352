/** Runs the sub-agents of a session, and recovers those of an earlier process. Each result is reported and paid for once. */

import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExtensionApi, ExtensionContext } from "@pith/agent";
import { truncate } from "@pith/host/text/safe-text";
import { createSubAgentId } from "../sessions/sub-agent-ids.ts";
import { buildChildArguments, type ChildEnd, restrictTools, runChild } from "./child-process.ts";
import type { AgentDefinition } from "./definitions.ts";
import { type DroppedSubAgent, type StartedSubAgent, SUB_AGENT, type SubAgentLog } from "./log.ts";
import { createResultMessage, initialProgress, type Progress, type SubAgentResult, updateProgress } from "./result.ts";
import { createSubAgentSession, isSessionInUse, readOutcome, removeSession, type SessionOutcome } from "./session.ts";
import type { ParentLimits } from "./sub-agent-options.ts";

/** Limits how many tasks run at the same time. */
export class Semaphore {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    if (this.#running >= this.#limit) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The next task takes over the slot, so the count does not change.
      if (next) next();
      else this.#running -= 1;
    }
  }
}

export interface SubAgentPoolOptions {
  readonly pith: Pick<ExtensionApi, "appendEntry" | "appendUsage" | "sendMessage">;
  readonly context: ExtensionContext;
  readonly parentLimits: ParentLimits;
  /** Receives the number of sub-agents in the background when it changes. */
  readonly onRunningCount?: (count: number) => void;
  /** The maximum number of starts between two messages of the user. Default: 100. */
  readonly maxStarted?: number;
}

export interface Task {
  readonly agent: AgentDefinition;
  readonly task: string;
}

export interface StartOptions {
  readonly isBackground: boolean;
  /** Called when the activity or the usage changes. */
  readonly onProgress?: () => void;
}

const MAX_RUNNING = 4;
const MAX_OPEN = 32;
const MAX_STARTED = 100;

export class SubAgentPool {
  readonly #options: SubAgentPoolOptions;
  readonly #semaphore: Semaphore = new Semaphore(MAX_RUNNING);
  readonly #subAgents = new Map<string, SubAgent>();
  /** How many are being created now. */
  #startingCount = 0;
  /** How many were started since the last message of the user. */
  #startedCount = 0;
  #isClosing = false;

  constructor(options: SubAgentPoolOptions) {
    this.#options = options;
  }

  get subAgents(): readonly SubAgent[] {
    return [...this.#subAgents.values()];
  }

  findSubAgent(id: string): SubAgent | undefined {
    return this.#subAgents.get(id);
  }

  /** Returns an error sentence if that fails. */
  async start({ agent, task }: Task, options: StartOptions): Promise<SubAgent | string> {
    const { parentLimits, maxStarted = MAX_STARTED } = this.#options;
    const describeStartFailure = (why: unknown): string => `${agent.name} cannot be started: ${errorMessage(why)}`;
    if (restrictTools(agent, parentLimits)?.length === 0)
      return describeStartFailure("none of its tools are available in this session");
    const openCount = this.subAgents.filter(({ result }) => result === null).length + this.#startingCount;
    if (openCount >= MAX_OPEN)
      return describeStartFailure(
        `${MAX_OPEN} sub-agents are already running or queued; wait for some of them to finish`,
      );
    if (this.#startedCount + this.#startingCount >= maxStarted)
      return describeStartFailure(
        `${maxStarted} sub-agents were started since the last message of the user, which is the limit; do the rest without sub-agents`,
      );
    this.#startingCount += 1;
    try {
      return await this.#create({ agent, task }, { ...options, describeStartFailure });
    } finally {
      this.#startingCount -= 1;
    }
  }

  /** AGT20: call it when the user sends a message. */
  resetStartLimit(): void {
    this.#startedCount = 0;
  }

  /** Creates and records the session before the process starts. */
  async #create(
    { agent, task }: Task,
    { describeStartFailure, ...options }: StartOptions & { readonly describeStartFailure: (why: unknown) => string },
  ): Promise<SubAgent | string> {
    const { context, pith } = this.#options;
    const id = createSubAgentId();
    const draft = { id, agent: agent.name, task, cwd: context.cwd, parentSession: context.session.file };
    const created = await createSubAgentSession(draft);
    if (created.type === "failed") return describeStartFailure(created.why);
    const started: StartedSubAgent = { id, agent: agent.name, task: truncate(task, 200), path: created.path };
    try {
      await pith.appendEntry(SUB_AGENT, started);
    } catch (error) {
      await removeSession(created.path);
      return describeStartFailure(error);
    }
    this.#startedCount += 1;
    return this.#launch({ agent, task }, started, options);
  }

  /** Stops all sub-agents. Unreported results are reported when the session is opened again. */
  async close(): Promise<void> {
    if (this.#listRunningInBackground().length > 0) this.#options.onRunningCount?.(0);
    this.#isClosing = true;
    for (const { stop } of this.#subAgents.values()) stop();
    await Promise.all(this.subAgents.map(({ completion }) => completion));
    // If the session of the caller is not saved, those of its sub-agents are not either.
    if (this.#options.context.session.file === null) for (const { path } of this.subAgents) await removeSession(path);
  }

  /** Stops a sub-agent and records that its result need not be reported. */
  async drop(subAgent: SubAgent): Promise<void> {
    subAgent.stop();
    if (this.#isClosing || subAgent.isDropped) return;
    subAgent.isDropped = true;
    const dropped: DroppedSubAgent = { id: subAgent.id, isDropped: true };
    await this.#options.pith.appendEntry(SUB_AGENT, dropped).catch(ignoreUntilReopened);
  }

  /** Adds the usage of a sub-agent to the session of its caller. */
  async recordUsage(id: string, { usage, model }: Pick<SessionOutcome, "usage" | "model">): Promise<void> {
    if (model && usage.totalTokens > 0)
      await this.#options.pith.appendUsage({ kind: SUB_AGENT, ...model, usage, note: id });
  }

  #listRunningInBackground(): readonly SubAgent[] {
    return this.subAgents.filter(({ isBackground, result }) => isBackground && result === null);
  }

  #reportRunningCount({ isBackground }: SubAgent): void {
    if (isBackground && !this.#isClosing) this.#options.onRunningCount?.(this.#listRunningInBackground().length);
  }

  #launch(task: Task, started: StartedSubAgent, { isBackground, onProgress }: StartOptions): SubAgent {
    const stopController = new AbortController();
    const completion = Promise.withResolvers<SubAgentResult>();
    const subAgent: SubAgent = {
      ...started,
      isBackground,
      progress: initialProgress,
      result: null,
      isAwaited: !isBackground,
      isDropped: false,
      completion: completion.promise,
      stop: () => stopController.abort(),
    };
    if (this.#isClosing) subAgent.stop();
    this.#subAgents.set(subAgent.id, subAgent);
    this.#reportRunningCount(subAgent);
    void this.#semaphore
      .run(() => this.#runTask(task, subAgent, { signal: stopController.signal, onProgress: onProgress ?? (() => {}) }))
      .catch((error: unknown): ChildEnd => ({ type: "failed", why: errorMessage(error) }))
      .then(async (end) => completion.resolve(await this.#finish(subAgent, end)));
    return subAgent;
  }

  async #runTask(
    { agent, task }: Task,
    subAgent: SubAgent,
    { signal, onProgress }: Required<Pick<StartOptions, "onProgress">> & { readonly signal: AbortSignal },
  ): Promise<ChildEnd> {
    const { context, parentLimits } = this.#options;
    return await runChild({
      args: buildChildArguments({ agent, sessionPath: subAgent.path, parentLimits, parentModel: context.model }),
      cwd: context.cwd,
      task,
      agentName: agent.name,
      parentLimits,
      context,
      signal,
      onEvent: (event) => {
        const before = subAgent.progress;
        subAgent.progress = updateProgress(before, event);
        if (subAgent.progress !== before) onProgress();
      },
    });
  }

  async #finish(subAgent: SubAgent, end: ChildEnd): Promise<SubAgentResult> {
    const outcome = await readOutcome(subAgent.path);
    await this.recordUsage(subAgent.id, outcome).catch(ignoreUntilReopened);
    const result = createResult(subAgent, end, outcome);
    subAgent.result = result;
    this.#reportRunningCount(subAgent);
    if (subAgent.isBackground && !subAgent.isAwaited && !subAgent.isDropped && !this.#isClosing)
      await this.#options.pith
        .sendMessage(createResultMessage([result]), { deliverAs: "steer", triggerTurn: true })
        .catch(ignoreUntilReopened);
    return result;
  }
}

/** The session may have been closed or the disk may be full. The missing entry is written when the session is opened again. */
const ignoreUntilReopened = (): void => {};

function createResult(
  { id, agent }: StartedSubAgent,
  end: ChildEnd,
  { status, text, why }: SessionOutcome,
): SubAgentResult {
  // A complete reply is a result, however the process ended.
  if (status === "done") return { id, agent, status, text };
  if (end.type === "stopped") return { id, agent, status: "stopped", text };
  const reason = end.type === "failed" ? end.why : why;
  return { id, agent, status: "broken", text, ...(reason !== undefined && { why: truncate(reason, 500) }) };
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export interface SubAgent extends StartedSubAgent {
  /** Whether the call that started it returned without waiting for it. */
  readonly isBackground: boolean;
  progress: Progress;
  /** Null while it runs. */
  result: SubAgentResult | null;
  /** Whether a tool call waits for the result and reports it. */
  isAwaited: boolean;
  /** Whether it was stopped and its result is not reported. */
  isDropped: boolean;
  readonly completion: Promise<SubAgentResult>;
  readonly stop: () => void;
}

export interface RecoverOptions {
  readonly pool: Pick<SubAgentPool, "recordUsage">;
  /** The file of the caller's session. Null if it is not saved. */
  readonly file: string | null;
}

/** Handles sub-agents whose results an earlier process did not report. Records missing usage, and returns the results to report. */
export async function recoverUnreported(
  { subAgents, reportedIds, paidIds }: SubAgentLog,
  { pool, file }: RecoverOptions,
): Promise<readonly SubAgentResult[]> {
  const open = subAgents.filter(({ id }) => !reportedIds.has(id) || !paidIds.has(id));
  await waitForSessions(open.filter(({ id }) => !reportedIds.has(id)).map(({ path }) => path));
  const unreported: SubAgentResult[] = [];
  for (const { id, agent, path } of open) {
    const outcome = await readOutcome(path);
    const hasUsage = !paidIds.has(id) && outcome.usage.totalTokens > 0;
    if (hasUsage && !(await isPaidElsewhere(id, file))) await pool.recordUsage(id, outcome);
    const { status, text } = outcome;
    const why = status === "broken" ? { why: "the process that started it ended" } : {};
    if (!reportedIds.has(id)) unreported.push({ id, agent, status, text, ...why });
  }
  return unreported;
}

/** The usage may be recorded on another branch of the same file. It is then already part of the totals. */
async function isPaidElsewhere(id: string, file: string | null): Promise<boolean> {
  if (file === null || !existsSync(file)) return false;
  const mark = `"note":${JSON.stringify(id)}`;
  for await (const line of createInterface({ input: createReadStream(file) })) if (line.includes(mark)) return true;
  return false;
}

/** Sub-agents end soon after their caller. Waits at most five seconds for processes that still write their sessions. */
async function waitForSessions(paths: readonly string[]): Promise<void> {
  let pollsLeft = MAX_POLLS;
  for (const path of paths)
    while (pollsLeft > 0 && (await isSessionInUse(path))) {
      pollsLeft -= 1;
      await sleep(POLL_INTERVAL_MS);
    }
}

const POLL_INTERVAL_MS = 100;
const MAX_POLLS = 50;
