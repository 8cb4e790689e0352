/** Runs turn after turn until the model is done and the queue is empty. Each turn first checks that its request fits. */

import type { AgentMessage, Entry, ModelFailure } from "@pith/context";
import { breakerNotes, type QueuedMessage, reportHookFailure } from "@pith/context/host";
import { appended, NotWritten } from "../append.ts";
import { keepFit } from "../compaction/auto-compact.ts";
import type { AgentEvent, FailedCode, RunEnd } from "../events.ts";
import { beforeStart } from "../hooks/input-hooks.ts";
import { type BoundaryEvent, boundary } from "../hooks/turn-hooks.ts";
import { askUntilItFits, breakerAfter, type Fitting } from "./model-request.ts";
import { callsOf, type Next, nextAt, type OpenCall } from "./pending-work.ts";
import { deliver, forgetSaid } from "./queue.ts";
import { MOST_NUDGES, type RunParts, saidNow } from "./run-context.ts";
import { RunMeter } from "./run-limits.ts";
import { closeCalls, runCalls } from "./tool-calls.ts";

/** Whether a hook has the model asked once more though its last reply has no tool calls. */
export async function* goesOn(event: BoundaryEvent, parts: RunParts): AsyncGenerator<AgentEvent, boolean> {
  const { isWanted, hasSaid } = yield* boundary(event, parts);
  if (!isWanted || parts.signal.aborted) return false;
  if (!parts.nudges.take()) {
    reportHookFailure(parts.hooks, { event: event.type, why: ENOUGH });
    return false;
  }
  // Some providers refuse a request that ends with a reply.
  if (!hasSaid) await appended(parts.session, CONTINUE);
  return true;
}

const ENOUGH = `it wanted the model to go on ${MOST_NUDGES} times, and nobody said anything: that is enough`;

const CONTINUE = {
  type: "custom_message",
  customType: "pith.continue",
  content: "(continue)",
  display: false,
} as const;

export interface Start {
  /** The beginning of the ids of all that this run leaves in the log; a new one, unless said. */
  readonly id?: string;
  /** What comes before the first request; false where there is nothing to ask. */
  readonly begin: (parts: RunParts) => AsyncGenerator<AgentEvent, boolean>;
}

export interface Running extends Start {
  /** As they are at this moment: who speaks may change between two rounds. */
  readonly parts: () => RunParts;
  readonly between: Between;
  /** Says what must have been said before the first word. */
  readonly establish: () => Promise<void>;
}

export async function* run(running: Running): AsyncGenerator<AgentEvent, RunEnd> {
  const messages: AgentMessage[] = [];
  yield { type: "agent_start" };
  const end = yield* kept(work(running), messages);
  yield { type: "agent_end", messages, end };
  return end;
}

async function* work(running: Running): AsyncGenerator<AgentEvent, RunEnd> {
  const { parts, between, establish, begin } = running;
  try {
    await establish();
    const end: RunEnd = (yield* begin(parts())) ? yield* rounds(running) : { type: "done" };
    yield* between.acts(parts);
    return end;
  } catch (error) {
    // A session that takes no more words is the end of a run, and no fault of the program.
    if (error instanceof NotWritten || error instanceof CannotResume) return { type: "failed", why: error.message };
    throw error;
  }
}

/** Nothing can be taken up, because what was said or done last cannot be read. */
class CannotResume extends Error {
  constructor({ number }: Entry) {
    super(
      `the last message of this session${number === undefined ? "" : ` (#${number})`} is damaged, so it cannot be continued without a prompt; say what you want next`,
    );
  }
}

/** Passes everything on, and keeps the messages. */
async function* kept(
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

async function* rounds(running: Running): AsyncGenerator<AgentEvent, RunEnd> {
  const { session, runLimits } = running.parts();
  const meter = new RunMeter(session, runLimits);
  try {
    return yield* limitedRounds(running, meter);
  } finally {
    meter.close();
  }
}

async function* limitedRounds(
  { parts, between, id = parts().ports.entryId() }: Running,
  meter: RunMeter,
): AsyncGenerator<AgentEvent, RunEnd> {
  let strain = 0;
  for (let round = 1; ; round += 1) {
    yield* between.acts(parts);
    const now = parts();
    if (now.signal.aborted) return { type: "aborted" };
    const limited = meter.end();
    if (limited) return limited;
    meter.countTurn();
    yield { type: "turn_start" };
    yield* deliver(now, saidNow("steer", now));
    const came = yield* oneRound(now, { id: `${id}-${round}`, strain });
    strain = came.type === "again" ? came.strain : 0;
    if (came.type === "again" || (came.type === "done" && (yield* followed(now)))) continue;
    if (came.type !== "done" || !(yield* goesOn({ type: "agent_before_settle", end: came }, now))) return came;
  }
}

interface Round {
  readonly id: string;
  /** How many replies in a row said that their context was too much, and no compaction could help. */
  readonly strain: number;
}

/** `again`: there is something for the model to look at. */
type Came = RunEnd | { readonly type: "again"; readonly strain: number };

async function* oneRound(parts: RunParts, { id, strain }: Round): AsyncGenerator<AgentEvent, Came> {
  yield* keepFit(parts);
  const { asked, replyId, code } = yield* askUntilItFits(parts, id);
  const { message } = asked;
  if (asked.type === "failed") {
    yield { type: "turn_end", message, toolResults: [] };
    return endOf(asked.failure, code);
  }
  const toolResults = yield* runCalls(callsOf(message, replyId), parts);
  const turn = { type: "turn_end", message, toolResults } as const;
  yield turn;
  const hasResults = toolResults.length > 0;
  if (hasResults) yield* boundary(turn, parts);
  const isAgain = hasResults || (yield* goesOn(turn, parts));
  if (parts.signal.aborted) return { type: "aborted" };
  const breaker = asked.overflow ? yield* breakerAfter(parts) : null;
  if (breaker && strain + 1 >= MOST_STRAIN)
    return { type: "failed", why: `it is too long; ${breakerNotes[breaker.fills]}` };
  if (isAgain) return { type: "again", strain: breaker ? strain + 1 : 0 };
  return message.stopReason === "length" ? { type: "done", isCut: true } : { type: "done" };
}

const MOST_STRAIN = 3;

/** Whether something waited for the model to have no more to say; what steers comes first. */
async function* followed(parts: RunParts): AsyncGenerator<AgentEvent, boolean> {
  const { session } = parts;
  // What was said before this moment is in the log after it.
  await session.loadState();
  const { queue } = session.branch.state;
  if (queue.some(({ kind }) => kind === "steer")) return true;
  return queue.length > 0 && (yield* deliver(parts, saidNow("followUp", parts))) > 0;
}

function endOf(failure: ModelFailure, fitting: Fitting["code"]): RunEnd {
  if (failure.kind === "aborted") return { type: "aborted" };
  const code = fitting ?? codeOf(failure);
  return { type: "failed", why: failure.message, ...(code && { code }) };
}

function codeOf({ kind, cause }: ModelFailure): FailedCode | undefined {
  if (kind === "unreachable") return kind;
  const { status } = Object(cause) as { readonly status?: unknown };
  return kind === "refused" && (status === 401 || status === 403) ? "key-refused" : undefined;
}

/** What was left open is closed, what waited is said, and then this. */
export function saying(said: QueuedMessage): Start {
  return {
    id: said.id,
    async *begin(parts) {
      const next = await nextOf(parts);
      if (next.type === "results") await closeCalls(next.calls, parts);
      yield* deliver(parts, () => true, [said]);
      await beforeStart(parts);
      return true;
    },
  };
}

/** What was left open is run, and what waited is said. */
export function takingUp(): Start {
  return {
    async *begin(parts) {
      // RUN15: stopped before its turn came, so that what waits can be taken back.
      if (parts.signal.aborted) return true;
      const next = await nextOf(parts);
      if (next.type === "results") yield* runCalls(next.calls, parts);
      const heard = yield* deliver(parts, () => true);
      // HARM5: nobody knows what was asked for, so the user has to say it.
      if (next.type === "damaged" && heard === 0) throw new CannotResume(next.entry);
      if (heard > 0) await beforeStart(parts);
      return next.type !== "nothing" || heard > 0;
    },
  };
}

/** A compaction may have kept no message at all; then the branch before it says what is next. */
async function nextOf({ session, ports }: RunParts): Promise<Next> {
  await forgetSaid(session);
  const next = nextAt(session.branch.entries) ?? nextAt(await session.branchEntries());
  if (next?.type !== "results") return next ?? { type: "nothing" };
  const calls: OpenCall[] = [];
  // RUN8: answered on another branch, it was run there.
  for (const open of next.calls)
    calls.push((await session.store.entry(open.id)) ? { ...open, id: ports.entryId(), isBegun: true } : open);
  return { type: "results", calls };
}

export type Act<Outcome> = (parts: RunParts) => AsyncGenerator<AgentEvent, Outcome>;

/** Work that waits for the moment between two requests, when no reply is incomplete and none has to be aborted for it. */
export class Between {
  readonly #waiting: Act<void>[] = [];

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** What came of it, once its moment has come. */
  wait<Outcome>(act: Act<Outcome>): Promise<Outcome> {
    const outcome = Promise.withResolvers<Outcome>();
    this.#waiting.push(async function* (parts) {
      try {
        outcome.resolve(yield* act(parts));
      } catch (error) {
        // Whoever asked hears of it; the run it waited in has nothing to do with it.
        outcome.reject(error);
      }
    });
    return outcome.promise;
  }

  /** Does what waits, with the parts as each finds them: an act may change who speaks. */
  async *acts(parts: () => RunParts): AsyncGenerator<AgentEvent> {
    for (let act = this.#waiting.shift(); act; act = this.#waiting.shift()) yield* act(parts());
  }
}
