/** Makes one model request: builds it, and streams and records the reply. */

import {
  type AssistantMessage,
  applyContextHooks,
  buildRequest,
  buildSessionContext,
  type ModelEvent,
  type ModelFailure,
  type Request,
} from "@pith/context";
import { computeReplyBudget, RETRY_USAGE } from "@pith/context/host";
import type { AgentHooks } from "../agent-options.ts";
import { appendBuffered } from "../append-entries.ts";
import { type EmitEvent, runWithEvents, withStopGrace } from "../async.ts";
import type { AgentEvent } from "../events.ts";
import type { HookContext } from "../hooks/hooks.ts";
import { runMessageHooks } from "../hooks/message-hooks.ts";
import { type ProviderRequestHooks, runRequestHooks } from "../hooks/provider-hooks.ts";
import { appendChangedState, type StateContext } from "../prompt/state-sections.ts";
import { DeltaRedactor } from "../redaction.ts";
import type { RunContext } from "../run-context.ts";

type RequestContext = HookContext<AgentHooks> &
  StateContext &
  Pick<RunContext, "model" | "secrets" | "notices" | "getBudget">;

/** `message`: the reply as it was emitted; without content if nothing arrived. */
export type RequestOutcome = StreamOutcome & { readonly message: AssistantMessage };

type StreamOutcome =
  /** `overflow`: the reply is valid, but its context was too long for the model. */
  | { readonly type: "replied"; readonly message: AssistantMessage; readonly overflow: boolean }
  /** `message`: the part of the reply that arrived before the failure. */
  | { readonly type: "failed"; readonly failure: ModelFailure; readonly message?: AssistantMessage };

export async function* requestModel(run: RequestContext, replyId: string): AsyncGenerator<AgentEvent, RequestOutcome> {
  await appendChangedState(run);
  yield { type: "message_start", message: createEmptyReply(run), replyId };
  const outcome = yield* runWithEvents<AgentEvent, StreamOutcome>(
    async (emit) => {
      const request = await buildHookedRequest(run);
      const requestHooks = request ? await runRequestHooks(run) : null;
      if (!request || requestHooks === "cancelled") return createCancelledOutcome(run.signal);
      return streamUntilStopped(request, { run, replyId, emit, requestHooks });
    },
    { merge: mergeUpdates },
  );
  const reply =
    outcome.type === "replied" ? outcome.message : (outcome.message ?? createEmptyReply(run, outcome.failure));
  const message = run.session.redact(reply);
  yield { type: "message_end", message, replyId };
  return { ...outcome, message };
}

/** BOUND7: deltas that wait for a slow listener become one, so that a stop need not wait for thousands of them. */
function mergeUpdates(earlier: AgentEvent, later: AgentEvent): AgentEvent | null {
  if (earlier.type !== "message_update" || later.type !== "message_update") return null;
  const { delta: first } = earlier;
  const { delta: second } = later;
  if (first.type === "tool-call-delta") {
    const isSame = second.type === first.type && second.index === first.index;
    return isSame ? { ...later, delta: { ...first, ...second, json: first.json + second.json } } : null;
  }
  return second.type === first.type ? { ...later, delta: { ...first, text: first.text + second.text } } : null;
}

/** Null: a hook cancelled the request. */
async function buildHookedRequest(run: RequestContext): Promise<Request | null> {
  const { session, model, hooks, runtime, signal } = run;
  const context = buildSessionContext(session.branch);
  const isHooked = hooks.context?.length || hooks.context_with_system?.length;
  const hookResult = isHooked ? await applyContextHooks(context, { hooks, runtime, signal }) : null;
  if (hookResult?.type === "cancelled") return null;
  // Content that hooks add is not in the log, so it was not redacted there.
  const request = buildRequest(hookResult ? session.redact(hookResult.context) : context, { model });
  const budgetOptions = {
    budget: run.getBudget(),
    maxTokens: model.maxTokens,
    request: hookResult ? request : undefined,
  };
  const replyBudget = computeReplyBudget(session.branch, budgetOptions);
  return replyBudget ? { ...request, replyBudget } : request;
}

function createCancelledOutcome({ aborted }: AbortSignal): StreamOutcome {
  if (aborted) return STOPPED_OUTCOME;
  const message = "a hook that checks every request failed, so the request was not sent";
  return { type: "failed", failure: { kind: "refused", message } };
}

interface StreamContext {
  readonly run: RequestContext;
  /** The id of the entry that the reply becomes. */
  readonly replyId: string;
  readonly emit: EmitEvent<AgentEvent>;
  readonly requestHooks: ProviderRequestHooks | null;
  /** Aborted when the result is no longer awaited. */
  readonly abandoned: AbortSignal;
}

/** After an abort, a model that ignores the signal is abandoned and its events are dropped. */
async function streamUntilStopped(request: Request, context: Omit<StreamContext, "abandoned">): Promise<StreamOutcome> {
  const { session, signal, runtime } = context.run;
  const abandonController = new AbortController();
  const streamContext = { ...context, abandoned: abandonController.signal };
  const release = session.markBusy("streaming");
  try {
    const startStream = (): Promise<StreamOutcome> => recordStreamedReply(request, streamContext);
    return await withStopGrace(startStream, { signal, runtime, fallback: () => STOPPED_OUTCOME });
  } finally {
    abandonController.abort("over");
    release();
  }
}

export const STOPPED_OUTCOME: { readonly type: "failed"; readonly failure: ModelFailure } = {
  type: "failed",
  failure: { kind: "aborted", message: "the request was stopped" },
};

async function recordStreamedReply(request: Request, context: StreamContext): Promise<StreamOutcome> {
  const { run, replyId, emit, requestHooks, abandoned } = context;
  const { model, signal } = run;
  let redactor = new DeltaRedactor(run.secrets);
  let restarts = 0;
  let notice: Extract<ModelEvent, { type: "notice" }> | null = null;
  for await (const event of model.stream(request, {
    signal,
    ...(requestHooks && { transport: requestHooks.transportOptions }),
  })) {
    if (abandoned.aborted) return STOPPED_OUTCOME;
    switch (event.type) {
      case "reply-restarted":
        restarts += 1;
        // Drops the text that the redactor held back of the failed attempt.
        redactor = new DeltaRedactor(run.secrets);
        await recordRetryUsage(event, run);
        emit(retryStartEvent(event, restarts));
        continue;
      case "notice":
        notice = event;
        for (const noticeEvent of run.notices.reportModelNotice(notice)) emit(noticeEvent);
        continue;
      case "reply-ended":
      case "reply-failed":
        if (!notice) run.notices.reportModelNotice(null);
        if (restarts > 0) emit(retryEndEvent(event, restarts));
        for (const delta of redactor.end()) emit({ type: "message_update", delta, replyId });
        await requestHooks?.drain();
        return await recordReply(event, context);
      default:
        for (const delta of redactor.write(event)) emit({ type: "message_update", delta, replyId });
    }
  }
  return {
    type: "failed",
    failure: { kind: "unreachable", message: "the reply stream ended without an end event" },
  };
}

// EVT5: a failed attempt also costs money.
async function recordRetryUsage({ usage }: ReplyRestartedEvent, { session, model }: RequestContext): Promise<void> {
  if (!usage || usage.totalTokens === 0) return;
  const { provider, model: name } = model;
  await appendBuffered(session, { type: "usage", kind: RETRY_USAGE, provider, model: name, usage });
}

type ReplyRestartedEvent = Extract<ModelEvent, { type: "reply-restarted" }>;
type ReplyEndEvent = Extract<ModelEvent, { type: "reply-ended" | "reply-failed" }>;

/** Appends the reply before its tool calls run. An incomplete reply is appended too, for the user to read. */
async function recordReply(
  rawEvent: ReplyEndEvent,
  { run, replyId, abandoned }: StreamContext,
): Promise<StreamOutcome> {
  const { session } = run;
  const redacted = session.redact(rawEvent);
  const event = redacted.message ? { ...redacted, message: await runMessageHooks(redacted.message, run) } : redacted;
  if (abandoned.aborted) return STOPPED_OUTCOME;
  if (event.message) await appendBuffered(session, { type: "message", message: event.message, id: replyId });
  if (event.type === "reply-failed")
    return { type: "failed", failure: event.failure, ...(event.message && { message: event.message }) };
  return { type: "replied", message: event.message, overflow: event.overflow !== undefined };
}

function retryStartEvent({ failure, waitMs, maxAttempts: limit }: ReplyRestartedEvent, attempt: number): AgentEvent {
  const maxAttempts = Math.max(attempt, limit ?? attempt);
  return { type: "auto_retry_start", attempt, maxAttempts, delayMs: waitMs, errorMessage: failure.message };
}

function retryEndEvent(event: ReplyEndEvent, attempt: number): AgentEvent {
  const success = event.type === "reply-ended";
  return { type: "auto_retry_end", attempt, success, ...(!success && { finalError: event.failure.message }) };
}

/** A reply without content: before the first delta, or after a failure. */
function createEmptyReply({ model, runtime }: RequestContext, failure?: ModelFailure): AssistantMessage {
  const { api, provider, model: name } = model;
  const zeroCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    role: "assistant",
    content: [],
    api,
    provider,
    model: name,
    usage: { ...zeroCounts, totalTokens: 0, cost: { ...zeroCounts, total: 0 } },
    stopReason: failure ? (failure.kind === "aborted" ? "aborted" : "error") : "stop",
    ...(failure && { errorMessage: failure.message }),
    timestamp: runtime.now(),
  };
}
