/** Makes one model request: builds it, streams and records the reply, and compacts and retries when it is too long. */

import type { CompactionOutcome } from "@pith/context";
import {
  type AssistantMessage,
  applyContextHooks,
  buildRequest,
  buildSessionContext,
  type ModelEvent,
  type ModelFailure,
  type Request,
} from "@pith/context";
import { breakerNotes, computeReplyBudget, RETRY_USAGE } from "@pith/context/host";
import { appendedSoon } from "../append.ts";
import { during, type Tell, untilStopped } from "../async.ts";
import { compacting } from "../compaction/auto-compact.ts";
import type { AgentEvent } from "../events.ts";
import { hookedMessage } from "../hooks/message-hooks.ts";
import { type HookedLine, hookedLine } from "../hooks/provider-hooks.ts";
import { tellStates } from "../prompt/state-sections.ts";
import { Deltas } from "../redaction.ts";
import { budgetOf, type RunParts } from "./run-context.ts";

type Breaker = Extract<CompactionOutcome, { why: "cannot-fit" }>["breaker"];

export type Asked =
  /** With `overflow` the reply counts, but its context was too much. */
  | { readonly type: "replied"; readonly message: AssistantMessage; readonly overflow: boolean }
  /** With `message`, what had come by then. */
  | { readonly type: "failed"; readonly failure: ModelFailure; readonly message?: AssistantMessage };

/** `message`: what was told of it, also where nothing came. */
export type Told = Asked & { readonly message: AssistantMessage };

/** The reply stands in the log under the id of the step. */
export async function* ask(parts: RunParts, stepId: string): AsyncGenerator<AgentEvent, Told> {
  await tellStates(parts);
  yield { type: "message_start", message: unsaid(parts) };
  const asked = yield* during<AgentEvent, Asked>(
    (tell) =>
      parts.step(stepId, async () => {
        const request = await requestOf(parts);
        const hooked = request ? await hookedLine(parts) : null;
        if (!request || hooked === "cancelled") return unheard(parts);
        return stoppable(request, { parts, stepId, tell, hooked });
      }),
    { merge: mergeUpdates },
  );
  const said = asked.type === "replied" ? asked.message : (asked.message ?? unsaid(parts, asked.failure));
  const message = parts.session.redact(said);
  yield { type: "message_end", message };
  return { ...asked, message };
}

/** BOUND7: deltas that wait for a slow listener become one, so that a stop need not wait for thousands of them. */
function mergeUpdates(earlier: AgentEvent, later: AgentEvent): AgentEvent | null {
  if (earlier.type !== "message_update" || later.type !== "message_update") return null;
  const { delta: one } = earlier;
  const { delta: other } = later;
  if (one.type === "tool-call-delta") {
    const isSame = other.type === one.type && other.index === one.index;
    return isSame ? { type: "message_update", delta: { ...one, ...other, json: one.json + other.json } } : null;
  }
  return other.type === one.type ? { type: "message_update", delta: { ...one, text: one.text + other.text } } : null;
}

/** Null: somebody who has a say in it stopped it. */
async function requestOf(parts: RunParts): Promise<Request | null> {
  const { session, model, hooks, ports, signal } = parts;
  const context = buildSessionContext(session.branch);
  const isHooked = hooks.context?.length || hooks.context_with_system?.length;
  const hooked = isHooked ? await applyContextHooks(context, { hooks, runtime: ports, signal }) : null;
  if (hooked?.type === "cancelled") return null;
  // What hooks have put in is in no log, and comes from anywhere.
  const request = buildRequest(hooked ? session.redact(hooked.context) : context, { model: model });
  const size = { budget: budgetOf(parts), maxTokens: model.maxTokens, request: hooked ? request : undefined };
  const room = computeReplyBudget(session.branch, size);
  return room ? { ...request, replyBudget: room } : request;
}

function unheard({ signal }: RunParts): Asked {
  if (signal.aborted) return STOPPED;
  const message = "a hook that watches over every request failed, so none was sent";
  return { type: "failed", failure: { kind: "refused", message } };
}

interface Stream {
  readonly parts: RunParts;
  readonly stepId: string;
  readonly tell: Tell<AgentEvent>;
  readonly hooked: HookedLine | null;
}

/** Also a model that does not hear is not waited for; what it says then is nobody's any more. */
async function stoppable(request: Request, stream: Stream): Promise<Asked> {
  const { session, signal, ports } = stream.parts;
  const late = new AbortController();
  const release = session.markBusy("streaming");
  try {
    const asking = (): Promise<Asked> => streamed(request, stream, late.signal);
    return await untilStopped(asking, { signal, ports, otherwise: STOPPED });
  } finally {
    late.abort("over");
    release();
  }
}

export const STOPPED: Asked = { type: "failed", failure: { kind: "aborted", message: "it was stopped" } };

async function streamed(request: Request, { parts, stepId, tell, hooked }: Stream, late: AbortSignal): Promise<Asked> {
  const { model, signal } = parts;
  let deltas = new Deltas(parts.secrets);
  let restarts = 0;
  let notice: Extract<ModelEvent, { type: "notice" }> | null = null;
  for await (const event of model.stream(request, { signal, ...(hooked && { transport: hooked.line }) })) {
    if (late.aborted) return STOPPED;
    switch (event.type) {
      case "reply-restarted":
        restarts += 1;
        // What was held back of it belongs to nothing any more.
        deltas = new Deltas(parts.secrets);
        await payFor(event, parts);
        tell(restarted(event, restarts));
        continue;
      case "notice":
        notice = event;
        for (const said of parts.notices.modelNotice(notice)) tell(said);
        continue;
      case "reply-ended":
      case "reply-failed":
        if (!notice) parts.notices.modelNotice(null);
        if (restarts > 0) tell(restartsEnded(event, restarts));
        for (const delta of deltas.end()) tell({ type: "message_update", delta });
        await hooked?.told();
        return await kept(event, { parts, stepId, late });
      default:
        for (const delta of deltas.told(event)) tell({ type: "message_update", delta });
    }
  }
  return { type: "failed", failure: { kind: "unreachable", message: "the reply never ended" } };
}

// EVT5: a try that does not count was paid for all the same.
async function payFor({ usage }: Restarted, { session, model }: RunParts): Promise<void> {
  if (!usage || usage.totalTokens === 0) return;
  const { provider, model: name } = model;
  await appendedSoon(session, { type: "usage", kind: RETRY_USAGE, provider, model: name, usage });
}

interface Keeping extends Pick<Stream, "parts" | "stepId"> {
  /** Whoever waited for it has gone. */
  readonly late: AbortSignal;
}

type Restarted = Extract<ModelEvent, { type: "reply-restarted" }>;
type LastEvent = Extract<ModelEvent, { type: "reply-ended" | "reply-failed" }>;

/** What was said is in the log before anybody acts on it; half a reply too, for people to read. */
async function kept(said: LastEvent, { parts, stepId, late }: Keeping): Promise<Asked> {
  const { session } = parts;
  const clean = session.redact(said);
  const event = clean.message ? { ...clean, message: await hookedMessage(clean.message, parts) } : clean;
  if (late.aborted) return STOPPED;
  if (event.message) await appendedSoon(session, { type: "message", message: event.message, id: stepId });
  if (event.type === "reply-failed")
    return { type: "failed", failure: event.failure, ...(event.message && { message: event.message }) };
  return { type: "replied", message: event.message, overflow: event.overflow !== undefined };
}

function restarted({ failure, waitMs, maxAttempts: most }: Restarted, attempt: number): AgentEvent {
  const maxAttempts = Math.max(attempt, most ?? attempt);
  return { type: "auto_retry_start", attempt, maxAttempts, delayMs: waitMs, errorMessage: failure.message };
}

function restartsEnded(event: LastEvent, attempt: number): AgentEvent {
  const success = event.type === "reply-ended";
  return { type: "auto_retry_end", attempt, success, ...(!success && { finalError: event.failure.message }) };
}

/** A reply of which nothing has come. */
function unsaid({ model, ports }: RunParts, failure?: ModelFailure): AssistantMessage {
  const { api, provider, model: name } = model;
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    role: "assistant",
    content: [],
    api,
    provider,
    model: name,
    usage: { ...free, totalTokens: 0, cost: { ...free, total: 0 } },
    stopReason: failure ? (failure.kind === "aborted" ? "aborted" : "error") : "stop",
    ...(failure && { errorMessage: failure.message }),
    timestamp: ports.now(),
  };
}

export interface Fitting {
  readonly asked: Told;
  readonly replyId: string;
  readonly code?: "compaction-off";
}

/** A context that the provider found too long is made smaller and sent again, each time by more, until there is nothing left to try. */
export async function* askUntilItFits(parts: RunParts, id: string): AsyncGenerator<AgentEvent, Fitting> {
  for (let attempt = 0; ; attempt += 1) {
    const replyId = `${id}-${attempt}`;
    const asked = yield* ask(parts, replyId);
    if (asked.type === "replied" || asked.failure.kind !== "overflow") return { asked, replyId };
    const result = yield* compacting(parts, { reason: "overflow", attempt });
    if (parts.signal.aborted) return { asked: { ...asked, ...STOPPED }, replyId };
    if (result.type === "compacted") continue;
    if (result.type === "nothing-to-do" && result.why === "off")
      return { asked: saying(asked, OFF), replyId, code: "compaction-off" };
    const isStuck = result.type === "failed" && result.why === "cannot-fit";
    return { asked: isStuck ? saying(asked, breakerNotes[result.breaker.fills]) : asked, replyId };
  }
}

/** A reply counts, but its context was too much: what stands in the way of a smaller one; null for nothing. */
export async function* breakerAfter(parts: RunParts): AsyncGenerator<AgentEvent, Breaker | null> {
  const result = yield* compacting(parts, { reason: "overflow" });
  return result.type === "failed" && result.why === "cannot-fit" ? result.breaker : null;
}

type Failed = Extract<Told, { type: "failed" }>;

/** For people: also why nothing was done about it. */
function saying(asked: Failed, more: string): Failed {
  const { failure } = asked;
  return { ...asked, failure: { ...failure, message: `${failure.message}; ${more}` } };
}

// FIT4: whoever switched it off is told what it would have done, and how to have it.
const OFF = "automatic compaction is off; make it smaller with /compact, or agent.compact(), and go on";
