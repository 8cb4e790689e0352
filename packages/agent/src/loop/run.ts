/** Runs turn after turn until the model is done and the queue is empty. Each turn first checks that its request fits. */

import type { AgentMessage, Entry, ModelFailure } from "@pith/context";
import { breakerNotes, type QueuedMessage, reportHookFailure } from "@pith/context/host";
import { AppendError, appendEntries } from "../append-entries.ts";
import { compactIfNeeded } from "../compaction/auto-compact.ts";
import type { AgentEvent, RunEnd, RunFailureCode } from "../events.ts";
import { runStartHooks } from "../hooks/input-hooks.ts";
import { type BoundaryEvent, runTurnHooks } from "../hooks/turn-hooks.ts";
import { deliverQueued, removeDelivered } from "./message-queue.ts";
import { compactAfterOverflow, type RequestResult, requestWithCompaction } from "./model-request.ts";
import { findPendingWork, type OpenCall, type PendingWork, toOpenCalls } from "./pending-work.ts";
import { createDeliveryFilter, MAX_CONTINUATIONS, type RunContext } from "./run-context.ts";
import { RunMeter } from "./run-limits.ts";
import { closeCalls, runCalls } from "./tool-calls.ts";

/** Whether a hook has the model asked once more though its last reply has no tool calls. */
export async function* wantsAnotherTurn(event: BoundaryEvent, run: RunContext): AsyncGenerator<AgentEvent, boolean> {
  const { shouldContinue, hasNewMessage } = yield* runTurnHooks(event, run);
  if (!shouldContinue || run.signal.aborted) return false;
  if (!run.continuations.tryContinue()) {
    reportHookFailure(run.hooks, { event: event.type, why: TOO_MANY_CONTINUATIONS });
    return false;
  }
  // Some providers refuse a request that ends with a reply.
  if (!hasNewMessage) await appendEntries(run.session, CONTINUE_MESSAGE);
  return true;
}

const TOO_MANY_CONTINUATIONS = `it wanted the model to go on ${MAX_CONTINUATIONS} times, and nobody said anything: that is enough`;

const CONTINUE_MESSAGE = {
  type: "custom_message",
  customType: "pith.continue",
  content: "(continue)",
  display: false,
} as const;

export interface RunStart {
  /** The beginning of the ids of all that this run leaves in the log; a new one, unless said. */
  readonly id?: string;
  /** What comes before the first request; false where there is nothing to ask. */
  readonly prepare: (parts: RunContext) => AsyncGenerator<AgentEvent, boolean>;
}

export interface RunOptions extends RunStart {
  /** As they are at this moment: who speaks may change between two rounds. */
  readonly getRun: () => RunContext;
  readonly betweenRequests: BetweenRequests;
  /** Says what must have been said before the first word. */
  readonly ensureSystemPrompt: () => Promise<void>;
}

export async function* runAgent(options: RunOptions): AsyncGenerator<AgentEvent, RunEnd> {
  const messages: AgentMessage[] = [];
  yield { type: "agent_start" };
  const end = yield* collectMessages(executeRun(options), messages);
  yield { type: "agent_end", messages, end };
  return end;
}

async function* executeRun(options: RunOptions): AsyncGenerator<AgentEvent, RunEnd> {
  const { getRun, betweenRequests, ensureSystemPrompt, prepare } = options;
  try {
    await ensureSystemPrompt();
    const end: RunEnd = (yield* prepare(getRun())) ? yield* runTurns(options) : { type: "done" };
    yield* betweenRequests.runTasks(getRun);
    return end;
  } catch (error) {
    // A session that takes no more words is the end of a run, and no fault of the program.
    if (error instanceof AppendError || error instanceof CannotResumeError)
      return { type: "failed", why: error.message };
    throw error;
  }
}

/** Nothing can be taken up, because what was said or done last cannot be read. */
class CannotResumeError extends Error {
  constructor({ number }: Entry) {
    super(
      `the last message of this session${number === undefined ? "" : ` (#${number})`} is damaged, so it cannot be continued without a prompt; say what you want next`,
    );
  }
}

/** Passes everything on, and keeps the messages. */
async function* collectMessages(
  events: AsyncGenerator<AgentEvent, RunEnd>,
  messages: AgentMessage[],
): AsyncGenerator<AgentEvent, RunEnd> {
  for (;;) {
    const { done, value } = await events.next();
    if (done) return value;
    if (value.type === "message_end") messages.push(value.message);
    if (value.type === "tool_execution_end") messages.push(value.result);
    yield value;
  }
}

async function* runTurns(options: RunOptions): AsyncGenerator<AgentEvent, RunEnd> {
  const { session, runLimits } = options.getRun();
  const meter = new RunMeter(session, runLimits);
  try {
    return yield* runLimitedTurns(options, meter);
  } finally {
    meter.close();
  }
}

async function* runLimitedTurns(
  { getRun, betweenRequests, id = getRun().runtime.entryId() }: RunOptions,
  meter: RunMeter,
): AsyncGenerator<AgentEvent, RunEnd> {
  let overflowCount = 0;
  for (let turn = 1; ; turn += 1) {
    yield* betweenRequests.runTasks(getRun);
    const run = getRun();
    if (run.signal.aborted) return { type: "aborted" };
    const limitEnd = meter.checkLimits();
    if (limitEnd) return limitEnd;
    meter.countTurn();
    yield { type: "turn_start" };
    yield* deliverQueued(run, createDeliveryFilter("steer", run));
    const result = yield* runTurn(run, { id: `${id}-${turn}`, overflowCount });
    overflowCount = result.type === "again" ? result.overflowCount : 0;
    if (result.type === "again" || (result.type === "done" && (yield* deliverFollowUps(run)))) continue;
    if (result.type !== "done" || !(yield* wantsAnotherTurn({ type: "agent_before_settle", end: result }, run)))
      return result;
  }
}

interface TurnOptions {
  readonly id: string;
  /** How many replies in a row said that their context was too much, and no compaction could help. */
  readonly overflowCount: number;
}

/** `again`: there is something for the model to look at. */
type TurnResult = RunEnd | { readonly type: "again"; readonly overflowCount: number };

async function* runTurn(run: RunContext, { id, overflowCount }: TurnOptions): AsyncGenerator<AgentEvent, TurnResult> {
  yield* compactIfNeeded(run);
  const { outcome, replyId, code } = yield* requestWithCompaction(run, id);
  const { message } = outcome;
  if (outcome.type === "failed") {
    yield { type: "turn_end", message, toolResults: [] };
    return toRunEnd(outcome.failure, code);
  }
  const toolResults = yield* runCalls(toOpenCalls(message, replyId), run);
  const turnEnd = { type: "turn_end", message, toolResults } as const;
  yield turnEnd;
  const hasResults = toolResults.length > 0;
  if (hasResults) yield* runTurnHooks(turnEnd, run);
  const hasNextTurn = hasResults || (yield* wantsAnotherTurn(turnEnd, run));
  if (run.signal.aborted) return { type: "aborted" };
  const breaker = outcome.overflow ? yield* compactAfterOverflow(run) : null;
  if (breaker && overflowCount + 1 >= MAX_OVERFLOWS)
    return { type: "failed", why: `it is too long; ${breakerNotes[breaker.fills]}` };
  if (hasNextTurn) return { type: "again", overflowCount: breaker ? overflowCount + 1 : 0 };
  return message.stopReason === "length" ? { type: "done", isCut: true } : { type: "done" };
}

const MAX_OVERFLOWS = 3;

/** Whether something waited for the model to have no more to say; what steers comes first. */
async function* deliverFollowUps(run: RunContext): AsyncGenerator<AgentEvent, boolean> {
  const { session } = run;
  // What was said before this moment is in the log after it.
  await session.loadState();
  const { queue } = session.branch.state;
  if (queue.some(({ kind }) => kind === "steer")) return true;
  return queue.length > 0 && (yield* deliverQueued(run, createDeliveryFilter("followUp", run))) > 0;
}

function toRunEnd(failure: ModelFailure, requestCode: RequestResult["code"]): RunEnd {
  if (failure.kind === "aborted") return { type: "aborted" };
  const code = requestCode ?? failureCode(failure);
  return { type: "failed", why: failure.message, ...(code && { code }) };
}

function failureCode({ kind, cause }: ModelFailure): RunFailureCode | undefined {
  if (kind === "unreachable") return kind;
  const { status } = Object(cause) as { readonly status?: unknown };
  return kind === "refused" && (status === 401 || status === 403) ? "key-refused" : undefined;
}

/** What was left open is closed, what waited is said, and then this. */
export function startWithMessage(queued: QueuedMessage): RunStart {
  return {
    id: queued.id,
    async *prepare(run) {
      const pending = await loadPendingWork(run);
      if (pending.type === "results") await closeCalls(pending.calls, run);
      yield* deliverQueued(run, () => true, [queued]);
      await runStartHooks(run);
      return true;
    },
  };
}

/** What was left open is run, and what waited is said. */
export function resumeFromLog(): RunStart {
  return {
    async *prepare(run) {
      // RUN15: stopped before its turn came, so that what waits can be taken back.
      if (run.signal.aborted) return true;
      const pending = await loadPendingWork(run);
      if (pending.type === "results") yield* runCalls(pending.calls, run);
      const deliveredCount = yield* deliverQueued(run, () => true);
      // HARM5: nobody knows what was asked for, so the user has to say it.
      if (pending.type === "damaged" && deliveredCount === 0) throw new CannotResumeError(pending.entry);
      if (deliveredCount > 0) await runStartHooks(run);
      return pending.type !== "nothing" || deliveredCount > 0;
    },
  };
}

/** A compaction may have kept no message at all; then the branch before it says what is next. */
async function loadPendingWork({ session, runtime }: RunContext): Promise<PendingWork> {
  await removeDelivered(session);
  const pending = findPendingWork(session.branch.entries) ?? findPendingWork(await session.branchEntries());
  if (pending?.type !== "results") return pending ?? { type: "nothing" };
  const calls: OpenCall[] = [];
  // RUN8: answered on another branch, it was run there.
  for (const openCall of pending.calls)
    calls.push(
      (await session.store.entry(openCall.resultId))
        ? { ...openCall, resultId: runtime.entryId(), mayHaveStarted: true }
        : openCall,
    );
  return { type: "results", calls };
}

export type RunTask<Outcome> = (parts: RunContext) => AsyncGenerator<AgentEvent, Outcome>;

/** Work that waits for the moment between two requests, when no reply is incomplete and none has to be aborted for it. */
export class BetweenRequests {
  readonly #tasks: RunTask<void>[] = [];

  get hasTasks(): boolean {
    return this.#tasks.length > 0;
  }

  /** What came of it, once its moment has come. */
  schedule<Outcome>(task: RunTask<Outcome>): Promise<Outcome> {
    const outcome = Promise.withResolvers<Outcome>();
    this.#tasks.push(async function* (run) {
      try {
        outcome.resolve(yield* task(run));
      } catch (error) {
        // Whoever asked hears of it; the run it waited in has nothing to do with it.
        outcome.reject(error);
      }
    });
    return outcome.promise;
  }

  /** Does what waits, with the parts as each finds them: an act may change who speaks. */
  async *runTasks(getRun: () => RunContext): AsyncGenerator<AgentEvent> {
    for (let task = this.#tasks.shift(); task; task = this.#tasks.shift()) yield* task(getRun());
  }
}
