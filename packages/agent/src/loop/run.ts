/** Runs turn after turn until the model is done and the queue is empty. Each turn first checks that its request fits. */

import type { AgentMessage, Entry, ModelFailure } from "@pith/context";
import { breakerNotes, type QueuedMessage, reportHookFailure } from "@pith/context/host";
import { AppendError, appendEntries } from "../append-entries.ts";
import {
  compactForHook,
  prepareAfterRun,
  shrinkContextIfNeeded,
  stopPreparationBeforeRun,
} from "../compaction/auto-compact.ts";
import type { AgentEvent, RunEnd, RunFailureCode } from "../events.ts";
import { runStartHooks } from "../hooks/input-hooks.ts";
import { type BoundaryEvent, type BoundaryOutcome, runTurnHooks } from "../hooks/turn-hooks.ts";
import type { RunContext } from "../run-context.ts";
import { checkRunLimits, MAX_CONTINUATIONS } from "../run-limits.ts";
import { findPendingWork, type OpenCall, type PendingWork, toOpenCalls } from "../unfinished-turn.ts";
import { createDeliveryFilter, deliverQueued, removeDelivered } from "./message-queue.ts";
import { compactAfterOverflow, type RequestResult, requestWithCompaction } from "./model-request.ts";
import { closeCalls, runCalls } from "./tool-calls.ts";

export interface RunStart {
  /** The prefix of the entry ids of this run. Default: a new id. */
  readonly id?: string;
  /** Runs before the first request. Returns false if there is nothing to ask the model. */
  readonly begin: (run: RunContext) => AsyncGenerator<AgentEvent, boolean>;
}

export interface RunOptions extends RunStart {
  /** The current context. The model may change between two turns. */
  readonly getRun: () => RunContext;
  /** Runs the tasks that wait for the time between two requests. */
  readonly runPendingTasks: () => AsyncGenerator<AgentEvent>;
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
  const { getRun, runPendingTasks, ensureSystemPrompt, begin } = options;
  try {
    await stopPreparationBeforeRun(getRun());
    await ensureSystemPrompt();
    const end: RunEnd = (yield* begin(getRun())) ? yield* runTurns(options) : { type: "done" };
    yield* runPendingTasks();
    if (end.type === "done") await prepareAfterRun(getRun());
    return end;
  } catch (error) {
    // A session that cannot be written or resumed ends the run; it is not a bug.
    if (error instanceof AppendError || error instanceof CannotResumeError)
      return { type: "failed", why: error.message };
    throw error;
  }
}

/** The newest message is damaged, so it is not known what to resume. */
class CannotResumeError extends Error {
  constructor({ number }: Entry) {
    super(
      `the last message of this session${number === undefined ? "" : ` (#${number})`} is damaged, so the run cannot be resumed; send a message to continue`,
    );
  }
}

/** Yields every event, and adds the finished messages to the list. */
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

async function* runTurns({
  getRun,
  runPendingTasks,
  id = getRun().runtime.entryId(),
}: RunOptions): AsyncGenerator<AgentEvent, RunEnd> {
  let overflowCount = 0;
  for (let turn = 1; ; turn += 1) {
    yield* runPendingTasks();
    const run = getRun();
    if (run.signal.aborted) return { type: "aborted" };
    const limitEnd = await checkRunLimits(turn - 1, run.runLimits);
    if (limitEnd) return limitEnd;
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
  /** How many replies in a row reported an overflow that no compaction could resolve. */
  readonly overflowCount: number;
}

/** `again`: there is new input for the model. */
type TurnResult = RunEnd | { readonly type: "again"; readonly overflowCount: number };

async function* runTurn(run: RunContext, { id, overflowCount }: TurnOptions): AsyncGenerator<AgentEvent, TurnResult> {
  yield* shrinkContextIfNeeded(run);
  const { outcome, replyId, code } = yield* requestWithCompaction(run, id);
  const { message } = outcome;
  if (outcome.type === "failed") {
    yield { type: "turn_end", message, toolResults: [] };
    return await toRunEnd(outcome.failure, { code, run });
  }
  run.preparation.recordReply();
  const toolResults = yield* runCalls(toOpenCalls(message, replyId), run);
  const turnEnd = { type: "turn_end", message, toolResults } as const;
  yield turnEnd;
  const hasResults = toolResults.length > 0;
  if (hasResults) yield* applyTurnHooks(turnEnd, run);
  const hasNextTurn = hasResults || (yield* wantsAnotherTurn(turnEnd, run));
  if (run.signal.aborted) return { type: "aborted" };
  const breaker = outcome.overflow ? yield* compactAfterOverflow(run) : null;
  if (breaker && overflowCount + 1 >= MAX_OVERFLOWS)
    return { type: "failed", why: `the context exceeds the model's window; ${breakerNotes[breaker.fills]}` };
  if (hasNextTurn) return { type: "again", overflowCount: breaker ? overflowCount + 1 : 0 };
  return message.stopReason === "length" ? { type: "done", isCut: true } : { type: "done" };
}

const MAX_OVERFLOWS = 3;

/** Delivers follow-ups once the model is done; returns whether there is new input. Steering messages come first, in the next turn. */
async function* deliverFollowUps(run: RunContext): AsyncGenerator<AgentEvent, boolean> {
  const { session } = run;
  // Waits until every message that was queued before this call is in the loaded branch.
  await session.loadState();
  const { queue } = session.branch.state;
  if (queue.some(({ kind }) => kind === "steer")) return true;
  return queue.length > 0 && (yield* deliverQueued(run, createDeliveryFilter("followUp", run))) > 0;
}

/** Runs the hooks, and makes the compactions that they return. */
async function* applyTurnHooks(event: BoundaryEvent, run: RunContext): AsyncGenerator<AgentEvent, BoundaryOutcome> {
  const outcome = await runTurnHooks(event, run, run.getBudget());
  for (const compaction of outcome.compactions) yield* compactForHook(compaction, event.type, run);
  return outcome;
}

/** Whether a hook requests another turn after a reply without tool calls. */
async function* wantsAnotherTurn(event: BoundaryEvent, run: RunContext): AsyncGenerator<AgentEvent, boolean> {
  const { shouldContinue, hasNewMessage } = yield* applyTurnHooks(event, run);
  if (!shouldContinue || run.signal.aborted) return false;
  if (!run.continuations.tryContinue()) {
    reportHookFailure(run.hooks, { event: event.type, why: TOO_MANY_CONTINUATIONS });
    return false;
  }
  // Some providers refuse a request that ends with an assistant message.
  if (!hasNewMessage) await appendEntries(run.session, CONTINUE_MESSAGE);
  return true;
}

const TOO_MANY_CONTINUATIONS = `it continued the run ${MAX_CONTINUATIONS} times without a user message, which is the limit`;

const CONTINUE_MESSAGE = {
  type: "custom_message",
  customType: "pith.continue",
  content: "(continue)",
  display: false,
} as const;

interface FailedRequest {
  readonly code: RequestResult["code"];
  readonly run: RunContext;
}

async function toRunEnd(failure: ModelFailure, { code: requestCode, run }: FailedRequest): Promise<RunEnd> {
  if (failure.kind === "aborted") return { type: "aborted" };
  const code = requestCode ?? failureCode(failure);
  const why = (await run.describeFailure?.(failure, run.model)) ?? failure.message;
  return { type: "failed", why, ...(code && { code }) };
}

function failureCode({ kind, reason }: ModelFailure): RunFailureCode | undefined {
  if (kind === "unreachable") return kind;
  if (reason === "cost-limit") return "max-cost";
  return reason === "invalid-key" ? "key-refused" : undefined;
}

/** Starts a run with a user message: closes open tool calls and delivers queued messages first. */
export function startWithMessage(queued: QueuedMessage): RunStart {
  return {
    id: queued.id,
    async *begin(run) {
      run.runLimits?.costLimit?.reset();
      const pending = await loadPendingWork(run);
      if (pending.type === "results") await closeCalls(pending.calls, run);
      yield* deliverQueued(run, () => true, [queued]);
      await runStartHooks(run, run.getBudget());
      return true;
    },
  };
}

/** Resumes from the log: runs open tool calls and delivers queued messages. */
export function resumeFromLog(): RunStart {
  return {
    async *begin(run) {
      // RUN15: an aborted run delivers nothing, so that queued messages can still be taken back.
      if (run.signal.aborted) return true;
      const pending = await loadPendingWork(run);
      if (pending.type === "results") yield* runCalls(pending.calls, run);
      const deliveredCount = yield* deliverQueued(run, () => true);
      // HARM5: the request is lost, so the user has to write it again.
      if (pending.type === "damaged" && deliveredCount === 0) throw new CannotResumeError(pending.entry);
      if (deliveredCount > 0) await runStartHooks(run, run.getBudget());
      return pending.type !== "nothing" || deliveredCount > 0;
    },
  };
}

/** A compaction may have kept no message at all; then the whole branch is read. */
async function loadPendingWork({ session, runtime }: RunContext): Promise<PendingWork> {
  await removeDelivered(session);
  const pending = findPendingWork(session.branch.entries) ?? findPendingWork(await session.branchEntries());
  if (pending?.type !== "results") return pending ?? { type: "nothing" };
  const calls: OpenCall[] = [];
  // RUN8: a result id that exists belongs to another branch, where the call was run.
  for (const openCall of pending.calls)
    calls.push(
      (await session.store.entry(openCall.resultId))
        ? { ...openCall, resultId: runtime.entryId(), mayHaveStarted: true }
        : openCall,
    );
  return { type: "results", calls };
}
