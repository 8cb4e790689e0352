/** A run: round after round until the model has no more to say and nothing waits. Each round looks first whether its request fits. */

import { type AgentMessage, type Breaker, breakerNotes, type ModelFailure, type Queued } from "@pith/context";
import { NotWritten } from "../append.ts";
import type { AgentEvent, RunEnd } from "../events.ts";
import { type Asked, ask } from "./ask.ts";
import type { Between } from "./between.ts";
import { runCalls } from "./calls/run-calls.ts";
import { deliver } from "./deliver.ts";
import { compaction, keepFit } from "./keep-fit.ts";
import { callsOf } from "./next.ts";
import type { RunParts } from "./run-parts.ts";

export interface Start {
  /** The beginning of the ids of all that this run leaves in the log. */
  readonly id: string;
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
  yield { type: "agent_settled", aborted: end.type === "aborted" };
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
    if (error instanceof NotWritten) return { type: "failed", why: error.message };
    throw error;
  }
}

/** Passes everything on, and keeps the messages. */
async function* kept(
  events: AsyncGenerator<AgentEvent, RunEnd>,
  messages: AgentMessage[],
): AsyncGenerator<AgentEvent, RunEnd> {
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done) return value;
      if (value.type === "message_end") messages.push(value.message);
      yield value;
    }
  } finally {
    await events.return({ type: "aborted" });
  }
}

async function* rounds({ parts, between, id }: Running): AsyncGenerator<AgentEvent, RunEnd> {
  for (let round = 1; ; round += 1) {
    yield* between.acts(parts);
    const now = parts();
    if (now.signal.aborted) return { type: "aborted" };
    yield { type: "turn_start" };
    yield* deliver(waiting(now, "steer"), now);
    const end = yield* oneRound(now, `${id}-${round}`);
    const isOver = end !== null && !(end.type === "done" && (yield* followed(now)));
    if (isOver) return end;
  }
}

/** Null: there are results for the model to look at. */
async function* oneRound(parts: RunParts, id: string): AsyncGenerator<AgentEvent, RunEnd | null> {
  yield* keepFit(parts);
  const { asked, replyId } = yield* askUntilItFits(parts, id);
  if (asked.type === "failed") return endOf(asked.failure);
  const { message } = asked;
  const toolResults = yield* runCalls(callsOf(message, replyId), parts);
  yield { type: "turn_end", message, toolResults };
  if (parts.signal.aborted) return { type: "aborted" };
  if (asked.overflow) yield* compaction(parts, { reason: "overflow" });
  if (toolResults.length > 0) return null;
  return message.stopReason === "length" ? { type: "done", isCut: true } : { type: "done" };
}

interface Reply {
  readonly asked: Asked;
  readonly replyId: string;
}

/** A context that the provider found too long is made smaller and sent again, each time by more, until there is nothing left to try. */
async function* askUntilItFits(parts: RunParts, id: string): AsyncGenerator<AgentEvent, Reply> {
  for (let attempt = 0; ; attempt += 1) {
    const replyId = `${id}-${attempt}`;
    const asked = yield* ask(parts, replyId);
    if (asked.type === "replied" || asked.failure.kind !== "overflow") return { asked, replyId };
    const result = yield* compaction(parts, { reason: "overflow", attempt });
    if (parts.signal.aborted) return { asked: STOPPED, replyId };
    if (result.type === "compacted") continue;
    const isStuck = result.type === "failed" && result.why === "cannot-fit";
    return { asked: isStuck ? stuck(asked.failure, result.breaker) : asked, replyId };
  }
}

const STOPPED: Asked = { type: "failed", failure: { kind: "aborted", message: "it was stopped" } };

/** Whether something waited for the model to have no more to say: of what follows one at a time, of what steers all. */
async function* followed(parts: RunParts): AsyncGenerator<AgentEvent, boolean> {
  // What was said before this moment is in the log after it.
  await parts.session.settle();
  if (waiting(parts, "steer").length > 0) return true;
  const [next] = waiting(parts, "followUp");
  if (next) yield* deliver([next], parts);
  return next !== undefined;
}

function waiting({ session }: RunParts, kind: Queued["kind"]): readonly Queued[] {
  return session.window.state.queue.filter((each) => each.kind === kind);
}

function stuck(failure: ModelFailure, { fills }: Breaker): Asked {
  return { type: "failed", failure: { ...failure, message: `${failure.message}; ${breakerNotes[fills]}` } };
}

function endOf({ kind, message }: ModelFailure): RunEnd {
  return kind === "aborted" ? { type: "aborted" } : { type: "failed", why: message };
}
