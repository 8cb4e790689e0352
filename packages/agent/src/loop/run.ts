/** Runs turn after turn until the model is done and the queue is empty. A turn is one request, with the tool calls of its reply. */

import type { AgentMessage, AssistantMessage, Entry, ModelFailure } from "@pith/context";
import { breakerNotes, type QueuedMessage, reportHookFailure } from "@pith/context/host";
import { AppendError, appendEntries } from "../append-entries.ts";
import {
  compactForHook,
  compactIfEnabled,
  prepareAfterRun,
  shrinkContextIfNeeded,
  stopPreparationBeforeRun,
} from "../compaction/auto-compact.ts";
import type { AgentCompactionOutcome, AgentEvent, RunEnd, RunFailureCode } from "../events.ts";
import { runStartHooks } from "../hooks/input-hooks.ts";
import { type BoundaryEvent, type BoundaryOutcome, runTurnHooks } from "../hooks/turn-hooks.ts";
import {
  findPendingWork,
  findReplyTurn,
  type OpenCall,
  type PendingWork,
  toOpenCalls,
  wasStoppedByUser,
} from "../pending-work.ts";
import type { RunContext } from "../run-context.ts";
import { checkRunLimits, MAX_CONTINUATIONS } from "../run-limits.ts";
import { createDeliveryFilter, deliverQueued, removeDelivered } from "./message-queue.ts";
import { type RequestOutcome, requestModel, STOPPED_OUTCOME } from "./model-request.ts";
import { closeCalls, runCalls } from "./tool-calls.ts";

/** How a run starts. */
export interface RunStart {
  /** Runs at once, even if the run itself has to wait. */
  readonly onQueued?: () => Promise<void>;
  /** Runs before the first request. Returns the end of the run if there is nothing to ask the model. */
  readonly begin: (run: RunContext) => AsyncGenerator<AgentEvent, FirstTurn | RunEnd>;
}

/** The ids of a run's replies: `${prefix}-${number}-0` in the first turn. */
interface FirstTurn {
  readonly prefix: string;
  readonly number: number;
}

export interface RunOptions extends RunStart {
  /** The current context. The model may change between two turns. */
  readonly getRun: () => RunContext;
  /** Runs the tasks that wait for the time between two requests. */
  readonly runPendingTasks: () => AsyncGenerator<AgentEvent>;
  readonly ensureSystemPrompt: () => Promise<void>;
  /** Whether the run has to end before the next request. */
  readonly isSuspended: () => boolean;
}

export async function* runAgent(options: RunOptions): AsyncGenerator<AgentEvent, RunEnd> {
  const { getRun, runPendingTasks, ensureSystemPrompt, begin } = options;
  try {
    await stopPreparationBeforeRun(getRun());
    await ensureSystemPrompt();
    const first = yield* begin(getRun());
    const end = "type" in first ? first : yield* runTurns(first, options);
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

async function* runTurns(first: FirstTurn, options: RunOptions): AsyncGenerator<AgentEvent, RunEnd> {
  const { getRun, runPendingTasks, isSuspended } = options;
  let result = NEXT_TURN;
  for (let count = 0; result.type === "again"; count += 1) {
    if (isSuspended()) return { type: "suspended" };
    yield* runPendingTasks();
    const id = `${first.prefix}-${first.number + count}`;
    result = yield* runTurn(getRun(), { id, count, overflowCount: result.overflowCount, isSuspended });
  }
  return result;
}

/** Adds the events of the start and the end of a run. The last one has all finished messages. */
export async function* addRunEvents(run: AsyncGenerator<AgentEvent, RunEnd>): AsyncGenerator<AgentEvent, RunEnd> {
  const messages: AgentMessage[] = [];
  yield { type: "agent_start" };
  for (;;) {
    const { done, value } = await run.next();
    if (done) {
      yield { type: "agent_end", messages, end: value };
      return value;
    }
    if (value.type === "message_end") messages.push(value.message);
    if (value.type === "tool_execution_end") messages.push(value.result);
    yield value;
  }
}

interface TurnOptions {
  /** The prefix of the ids of the replies. */
  readonly id: string;
  /** How many turns the run has had. */
  readonly count: number;
  /** How many replies in a row reported an overflow that no compaction could resolve. */
  readonly overflowCount: number;
  readonly isSuspended: () => boolean;
}

/** `again`: there is new input for the model. */
type TurnResult = RunEnd | { readonly type: "again"; readonly overflowCount: number };

const NEXT_TURN: TurnResult = { type: "again", overflowCount: 0 };

async function* runTurn(run: RunContext, options: TurnOptions): AsyncGenerator<AgentEvent, TurnResult> {
  const { id, count, overflowCount } = options;
  if (run.signal.aborted) return { type: "aborted" };
  const limitEnd = await checkRunLimits(count, run.runLimits);
  if (limitEnd) return limitEnd;
  yield { type: "turn_start" };
  yield* deliverQueued(run, createDeliveryFilter("steer", run));
  yield* shrinkContextIfNeeded(run);
  const reply = yield* requestReply(run, id);
  const { message } = reply;
  if (reply.type === "failed") {
    yield { type: "turn_end", message, toolResults: [] };
    return await toRunEnd(reply, run);
  }
  run.preparation.recordReply();
  const { results: toolResults, waitsForAnswer } = yield* runCalls(toOpenCalls(message, reply.replyId), run);
  const turnEnd = { type: "turn_end", message, toolResults } as const;
  yield turnEnd;
  // RUN22: the turn is not complete, so its hooks do not run and nothing more is sent.
  if (waitsForAnswer) return endWaiting(run);
  const hasResults = toolResults.length > 0;
  if (hasResults) yield* applyTurnHooks(turnEnd, run);
  const hasNextTurn = hasResults || (yield* wantsAnotherTurn(turnEnd, run));
  if (run.signal.aborted) return { type: "aborted" };
  const obstacle = reply.overflow ? findObstacle(yield* compactIfEnabled(run, { reason: "overflow" })) : null;
  if (obstacle !== null && overflowCount + 1 >= MAX_OVERFLOWS)
    return { type: "failed", why: `the context exceeds the model's window; ${obstacle}` };
  if (hasNextTurn) return obstacle === null ? NEXT_TURN : { type: "again", overflowCount: overflowCount + 1 };
  if (options.isSuspended() && (await hasQueued(run))) return { type: "suspended" };
  return yield* settle(message, run);
}

const MAX_OVERFLOWS = 3;

/** The end of a run whose calls wait for the user's answer. Messages stay in the queue. */
function endWaiting({ signal }: Pick<RunContext, "signal">): RunEnd {
  return signal.aborted ? { type: "aborted" } : { type: "suspended", waitsFor: "answer" };
}

type ReplyResult = RequestOutcome & { readonly replyId: string; readonly code?: RunFailureCode };

/** After an overflow error, compacts and sends the request again. Each attempt compacts more, until there is nothing left to try. */
async function* requestReply(run: RunContext, turnId: string): AsyncGenerator<AgentEvent, ReplyResult> {
  for (let attempt = 0; ; attempt += 1) {
    const replyId = `${turnId}-${attempt}`;
    const outcome = yield* requestModel(run, replyId);
    if (outcome.type === "replied" || outcome.failure.kind !== "overflow") return { ...outcome, replyId };
    const compaction = yield* compactIfEnabled(run, { reason: "overflow", attempt });
    if (run.signal.aborted) return { ...outcome, ...STOPPED_OUTCOME, replyId };
    if (compaction.type === "compacted") continue;
    return { ...outcome, ...explainOverflow(outcome.failure, compaction), replyId };
  }
}

type FailedReply = Extract<ReplyResult, { type: "failed" }>;
type OverflowFailure = Pick<FailedReply, "failure" | "code">;

/** Adds for the user why the context was not compacted. */
function explainOverflow(failure: ModelFailure, compaction: AgentCompactionOutcome): OverflowFailure {
  const isOff = compaction.type === "nothing-to-do" && compaction.why === "off";
  const note = isOff ? COMPACTION_OFF_NOTE : findObstacle(compaction);
  return {
    failure: note === null ? failure : { ...failure, message: `${failure.message}; ${note}` },
    ...(isOff && { code: "compaction-off" }),
  };
}

// FIT4: the error names the compaction that would have helped.
const COMPACTION_OFF_NOTE = "automatic compaction is off; run /compact, or call agent.compact(), and continue";

/** What prevents a smaller context, for the user; null if nothing does. */
function findObstacle(compaction: AgentCompactionOutcome): string | null {
  const isStuck = compaction.type === "failed" && compaction.why === "cannot-fit";
  return isStuck ? breakerNotes[compaction.breaker.fills] : null;
}

async function toRunEnd(reply: FailedReply, { model, describeFailure }: RunContext): Promise<RunEnd> {
  const { failure, code = toFailureCode(failure) } = reply;
  if (failure.kind === "aborted") return { type: "aborted" };
  const why = (await describeFailure?.(failure, model)) ?? failure.message;
  return { type: "failed", why, ...(code && { code }) };
}

function toFailureCode({ kind, reason }: ModelFailure): RunFailureCode | undefined {
  if (kind === "unreachable") return kind;
  if (reason === "cost-limit") return "max-cost";
  return reason === "invalid-key" ? "key-refused" : undefined;
}

/** Ends the run after a reply without tool calls, unless there is new input for the model. */
async function* settle({ stopReason }: AssistantMessage, run: RunContext): AsyncGenerator<AgentEvent, TurnResult> {
  const end: RunEnd = stopReason === "length" ? { type: "done", isCut: true } : { type: "done" };
  const isDone =
    !(yield* deliverFollowUps(run)) && !(yield* wantsAnotherTurn({ type: "agent_before_settle", end }, run));
  return isDone ? end : NEXT_TURN;
}

/** Delivers follow-ups once the model is done; returns whether there is new input. Steering messages come first, in the next turn. */
async function* deliverFollowUps(run: RunContext): AsyncGenerator<AgentEvent, boolean> {
  if (!(await hasQueued(run))) return false;
  if (isSteered(run)) return true;
  return (yield* deliverQueued(run, createDeliveryFilter("followUp", run))) > 0;
}

async function hasQueued({ session }: Pick<RunContext, "session">): Promise<boolean> {
  // Waits until every message that was queued before this call is in the loaded branch.
  await session.loadState();
  return session.branch.state.queue.length > 0;
}

function isSteered({ session }: Pick<RunContext, "session">): boolean {
  return session.branch.state.queue.some(({ kind }) => kind === "steer");
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

/** Runs the hooks, and makes the compactions that they return. */
async function* applyTurnHooks(event: BoundaryEvent, run: RunContext): AsyncGenerator<AgentEvent, BoundaryOutcome> {
  const outcome = await runTurnHooks(event, run, run.getBudget());
  for (const compaction of outcome.compactions) yield* compactForHook(compaction, event.type, run);
  return outcome;
}

/** Starts a run with a user message: closes open tool calls and delivers queued messages first. A message that is in the log already resumes the run. */
export function startWithMessage(queued: QueuedMessage, { mayBeKnown }: { readonly mayBeKnown: boolean }): RunStart {
  return {
    async *begin(run) {
      run.runLimits?.costLimit?.reset();
      if (mayBeKnown && (await run.session.store.entry(queued.id))) return yield* resumeFromLog().begin(run);
      const pending = await loadPendingWork(run);
      if (pending.type === "results") await closeCalls(pending.calls, run);
      yield* deliverQueued(run, () => true, [queued]);
      await runStartHooks(run, run.getBudget());
      return { prefix: queued.id, number: 1 };
    },
  };
}

/** Resumes from the log: finishes the interrupted turn, or delivers the next queued message. */
export function resumeFromLog(): RunStart {
  return {
    async *begin(run) {
      // RUN15: an aborted run delivers nothing, so that queued messages can still be taken back.
      if (run.signal.aborted) return nextTurn(run);
      const pending = await loadWorkToResume(run);
      if (pending.type === "results" && (yield* runCalls(pending.calls, run)).waitsForAnswer) return endWaiting(run);
      // RUN6: steering messages are delivered before the next request, and follow-ups when the turn is done.
      if (pending.type === "results" || pending.type === "reply") return nextTurn(run);
      const deliveredCount = yield* deliverQueued(run, createFirstDeliveryFilter(run));
      // HARM5: the request is lost, so the user has to write it again.
      if (pending.type === "damaged" && deliveredCount === 0) throw new CannotResumeError(pending.entry);
      if (deliveredCount === 0) return { type: "done" };
      await runStartHooks(run, run.getBudget());
      return nextTurn(run);
    },
  };
}

/** Nothing of a turn that the user stopped is left to do. Its open calls are closed when a message follows. */
async function loadWorkToResume(run: RunContext): Promise<PendingWork> {
  const pending = await loadPendingWork(run);
  const { entries, state } = run.session.branch;
  if (!wasStoppedByUser(entries)) return pending;
  if (pending.type === "results" && state.queue.length > 0) await closeCalls(pending.calls, run);
  return { type: "nothing" };
}

/** A turn begins with the oldest message. If that is a follow-up, the steering messages after it belong to its turn. */
function createFirstDeliveryFilter(run: RunContext): (queued: QueuedMessage) => boolean {
  const isSteering = createDeliveryFilter("steer", run);
  if (run.session.branch.state.queue[0]?.kind === "steer") return isSteering;
  const isFollowUp = createDeliveryFilter("followUp", run);
  return (queued) => isFollowUp(queued) || isSteering(queued);
}

/** The turn after the last entry. The same log gives the same ids, and the last entry was never followed by another one. */
function nextTurn({ session, runtime }: Pick<RunContext, "session" | "runtime">): FirstTurn {
  const last = session.branch.entries.at(-1);
  const turn = last ? findReplyTurn(last) : null;
  return turn ? { ...turn, number: turn.number + 1 } : { prefix: last?.id ?? runtime.entryId(), number: 1 };
}

/** The newest message is damaged, so it is not known what to resume. */
class CannotResumeError extends Error {
  constructor({ number }: Entry) {
    super(
      `the last message of this session${number === undefined ? "" : ` (#${number})`} is damaged, so the run cannot be resumed; send a message to continue`,
    );
  }
}

/** A compaction may have kept no message at all; then the whole branch is read. */
async function loadPendingWork({ session, runtime }: Pick<RunContext, "session" | "runtime">): Promise<PendingWork> {
  await removeDelivered(session);
  const { entries, reachesRoot } = session.branch;
  const pending = findPendingWork(entries) ?? (reachesRoot ? null : findPendingWork(await session.branchEntries()));
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
