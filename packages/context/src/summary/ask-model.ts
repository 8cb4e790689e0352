/** Sends one request to a model and returns text, failure or cancellation, with progress. Never throws, whatever the model does. */

import type { AssistantMessage, Usage } from "../message.ts";
import type { Model, ModelEvent, ModelFailure, ModelName, Request } from "../model.ts";
import { type GuardedResult, type Runtime, runGuarded, truncateReason } from "../runtime.ts";
import { timeouts } from "../settings.ts";
import { isFarTooLong, maxSummaryChars } from "./audit.ts";
import {
  AttemptTimer,
  describeReachedLimit,
  explainReachedLimit,
  type TimeLimit,
  type TimeLimitName,
  trySleep,
} from "./time-limit.ts";

export interface ProgressReporter {
  /** Every event of the stream. */
  reportEvent(event: ModelEvent): void;
  /** Asked again by ourselves. */
  reportRetryWait(failure: ModelFailure, delayMs: number): void;
  /** No token has come for so long. */
  reportTokenWait(elapsedMs: number, time: TimeLimit): void;
  /** The wait is over. */
  reportRetry(): void;
  /** Nothing more is to be heard. */
  reportEnd(): void;
}

export interface ProgressOptions {
  readonly progress?: OnProgress | undefined;
  /** For a try that does not count. */
  readonly onFailedAttemptUsage?: ((usage: Usage) => void) | undefined;
}

/** Turns stream events into progress, and reports the usage of failed attempts, which also cost money. */
export function createProgressReporter({
  progress = () => {},
  onFailedAttemptUsage = () => {},
}: ProgressOptions): ProgressReporter {
  let [chars, reportedTokens, attempts, isWaiting] = [0, 0, 0, false];
  const reportRetry = (): void => {
    if (isWaiting) progress({ step: "asking-again", attempt: attempts });
    isWaiting = false;
  };
  const reportRetryWait = (failure: ModelFailure, delayMs: number): void => {
    [chars, reportedTokens, attempts, isWaiting] = [0, 0, attempts + 1, true];
    progress({ step: "waiting", attempt: attempts, delayMs, errorMessage: truncateReason(failure.message) });
  };
  const reportTokenWait = (elapsedMs: number, { firstToken }: TimeLimit): void =>
    progress({ step: "awaiting-first-token", elapsedMs, limitMs: firstToken });
  const reportEvent = (event: ModelEvent): void => {
    if (event.type === "reply-restarted") {
      if (event.usage) onFailedAttemptUsage(event.usage);
      reportRetryWait(event.failure, event.waitMs);
      return;
    }
    reportRetry();
    chars += countEventChars(event);
    const tokens = Math.floor(chars / PROGRESS_CHARS_PER_TOKEN);
    if (tokens < reportedTokens + PROGRESS_STEP_TOKENS) return;
    reportedTokens = tokens;
    progress({ step: "writing", tokens });
  };
  const reportEnd = (): void => {
    if (attempts > 0) progress({ step: "answered", attempts });
  };
  return { reportEvent, reportRetryWait, reportTokenWait, reportRetry, reportEnd };
}

function countEventChars(event: ModelEvent): number {
  return event.type === "text-delta" || event.type === "thinking-delta" ? event.text.length : 0;
}

/** Roughly, of a token: this is told to people who wait, and counts for nothing. */
const PROGRESS_CHARS_PER_TOKEN = 4;
/** Tokens from one word of progress to the next. */
const PROGRESS_STEP_TOKENS = 200;

/** What was paid, and to whom. */
export interface ModelCall {
  readonly by: ModelName;
  readonly usage: Usage;
}

export type AskModelResult =
  | { readonly type: "answered"; readonly text: string; readonly message: AssistantMessage; readonly call: ModelCall }
  | { readonly type: "failed"; readonly failure: AskFailure; readonly call?: ModelCall }
  | { readonly type: "cancelled"; readonly call?: ModelCall };

/** What may still be spent. */
export interface Allowance {
  readonly calls: number;
  readonly cost: number;
}

export interface AskFailure {
  readonly code:
    | "spend-limit"
    | "empty"
    | "truncated"
    | "tool-call"
    | "too-long"
    | "silent"
    | "too-slow"
    | "time-limit"
    | "failed"
    | Exclude<ModelFailure["kind"], "aborted">;
  /** For people. */
  readonly note: string;
}

export interface AskModelOptions extends ProgressOptions {
  readonly model: Model;
  readonly runtime: Pick<Runtime, "sleep">;
  /** How long it may take. */
  readonly time: TimeLimit;
  /** Tokens of the answer; one that is far longer is stopped while it comes, and is not read. */
  readonly tokens?: number;
  readonly signal?: AbortSignal | undefined;
}

export async function askModel(request: Request, options: AskModelOptions): Promise<AskModelResult> {
  // A model is a guest: what its stream yields may be no event at all.
  const reporter = createProgressReporter(options);
  const result = await runGuarded(() => askWithRetry(request, options, reporter));
  reporter.reportEnd();
  return result.type === "done" ? result.value : toAskModelResult(toAttemptFailure(result), options);
}

/** A request that came to nothing is sent once more, and once more to a provider that is busy for a moment. */
async function askWithRetry(
  request: Request,
  options: AskModelOptions,
  reporter: ProgressReporter,
): Promise<AskModelResult> {
  const { runtime, time } = options;
  const retries: RetryBudget = new Set(["broken", "busy"]);
  for (;;) {
    const result = await runAttempt(request, options, { reporter, retries });
    const delayMs = retryDelay(result, retries, time);
    if (delayMs === null) return toAskModelResult(result, options);
    if (hasUsage(result)) options.onFailedAttemptUsage?.(result.message.usage);
    reporter.reportRetryWait(toModelFailure(result, time), delayMs);
    await trySleep(delayMs, { sleep: runtime.sleep, signal: stopSignal(options) });
    reporter.reportRetry();
  }
}

/** Aborted by whoever waits for the summary, and when its total time is used up. */
function stopSignal({ signal, time }: AskModelOptions): AbortSignal {
  return AbortSignal.any([time.totalExpired, ...(signal ? [signal] : [])]);
}

/** The retries that are left, whoever makes them: this file or the model itself. */
type RetryBudget = Set<"broken" | "busy">;

/** Null where it is not asked again. */
function retryDelay(
  result: AttemptResult,
  retries: RetryBudget,
  { totalExpired, mayRetrySlowAttempt }: TimeLimit,
): number | null {
  if (totalExpired.aborted) return null;
  if (result.type === "expired") {
    const mayRetry = result.limit !== "attempt" || mayRetrySlowAttempt;
    return mayRetry && retries.delete("broken") ? RETRY_DELAY_MS : null;
  }
  if (result.type !== "reply-failed") return null;
  const { kind, retryAfterMs } = result.failure;
  if (kind === "unreachable") return retries.delete("broken") ? RETRY_DELAY_MS : null;
  if (kind !== "busy" || retryAfterMs === undefined || retryAfterMs > timeouts.busy) return null;
  return retries.delete("busy") ? retryAfterMs : null;
}

const RETRY_DELAY_MS = 1_000;

type AttemptResult =
  | Extract<ModelEvent, { type: "reply-ended" | "reply-failed" }>
  | { readonly type: "aborted" }
  /** With `message`, what had come by then, and what it cost. */
  | { readonly type: "expired"; readonly limit: TimeLimitName; readonly message?: AssistantMessage }
  | { readonly type: "too-long"; readonly message?: AssistantMessage };

interface AttemptOptions {
  readonly reporter: ProgressReporter;
  readonly retries: RetryBudget;
}

async function runAttempt(
  request: Request,
  options: AskModelOptions,
  { reporter, retries }: AttemptOptions,
): Promise<AttemptResult> {
  const { model, runtime, time } = options;
  const done = new AbortController();
  const timer = new AttemptTimer({
    limit: time,
    sleep: runtime.sleep,
    onWait: (ms) => reporter.reportTokenWait(ms, time),
  });
  const stop = AbortSignal.any([timer.signal, stopSignal(options)]);
  timer.start();
  const maxChars = maxSummaryChars(options.tokens ?? Number.POSITIVE_INFINITY);
  let chars = 0;
  let events: AsyncIterator<ModelEvent> | undefined;
  try {
    const streamResult = await runGuarded(
      () => model.stream(request, { signal: AbortSignal.any([done.signal, stop]) })[Symbol.asyncIterator](),
      { signal: stop },
    );
    if (streamResult.type === "aborted") return createStoppedResult(undefined, { options, timer });
    if (streamResult.type !== "done") return toAttemptFailure(streamResult);
    events = streamResult.value;
    for (;;) {
      let pendingEvent: Promise<IteratorResult<ModelEvent>> | undefined;
      const next = await runGuarded(
        () => {
          pendingEvent = events?.next();
          return pendingEvent;
        },
        { signal: stop },
      );
      if (next.type === "aborted")
        return createStoppedResult(await awaitFinalMessage(pendingEvent, runtime), { options, timer });
      if (next.type !== "done") return toAttemptFailure(next);
      if (!next.value || next.value.done) return createUnreachableFailure("the reply broke off");
      const event = next.value.value;
      if (event.type === "reply-restarted") {
        if (event.failure.kind === "unreachable" && !retries.delete("broken")) {
          if (event.usage) options.onFailedAttemptUsage?.(event.usage);
          return { type: "reply-failed", failure: event.failure };
        }
        timer.start(event.waitMs);
        chars = 0;
      } else if (isTokenEvent(event)) timer.onToken();
      reporter.reportEvent(event);
      if (event.type === "text-delta") chars += event.text.length;
      if (chars > maxChars) {
        done.abort();
        const message = await awaitFinalMessage(events.next(), runtime);
        return { type: "too-long", ...(message && { message }) };
      }
      if (event.type === "reply-ended" || event.type === "reply-failed") return event;
    }
  } finally {
    timer.stop();
    done.abort();
    // One that hangs may never come to its end; nobody waits for it.
    void runGuarded(() => events?.return?.());
  }
}

// Empty pieces keep a line open, and say nothing.
function isTokenEvent(event: ModelEvent): boolean {
  return event.type === "tool-call-delta" ? event.json !== "" : countEventChars(event) > 0;
}

function createStoppedResult(
  message: AssistantMessage | undefined,
  { options: { signal }, timer }: { readonly options: AskModelOptions; readonly timer: AttemptTimer },
): AttemptResult {
  if (!signal?.aborted) return { type: "expired", limit: timer.reachedLimit, ...(message && { message }) };
  if (!message) return { type: "aborted" };
  return { type: "reply-failed", failure: { kind: "aborted", message: "it was stopped" }, message };
}

// EVT5: who is told to stop has a moment to say what it has cost.
async function awaitFinalMessage(
  pendingEvent: Promise<IteratorResult<ModelEvent>> | undefined,
  { sleep }: AskModelOptions["runtime"],
): Promise<AssistantMessage | undefined> {
  if (!pendingEvent) return undefined;
  const lastResult = await runGuarded(() => pendingEvent, { timeout: { ms: FINAL_MESSAGE_TIMEOUT_MS, sleep } });
  const event = lastResult.type === "done" && !lastResult.value.done ? lastResult.value.value : null;
  return event?.type === "reply-ended" || event?.type === "reply-failed" ? event.message : undefined;
}

const FINAL_MESSAGE_TIMEOUT_MS = 60;

function toAttemptFailure(result: Exclude<GuardedResult<unknown>, { type: "done" }>): AttemptResult {
  if (result.type === "aborted") return result;
  return createUnreachableFailure(result.type === "failed" ? result.why : "it took too long");
}

function createUnreachableFailure(message: string): AttemptResult {
  return { type: "reply-failed", failure: { kind: "unreachable", message } };
}

function toModelFailure(result: AttemptResult, time: TimeLimit): ModelFailure {
  if (result.type === "reply-failed") return result.failure;
  const message = result.type === "expired" ? describeReachedLimit(result.limit, time) : "it broke off";
  return { kind: "unreachable", message };
}

function toAskModelResult(
  result: AttemptResult,
  { model: { api, provider, model }, time, tokens }: AskModelOptions,
): AskModelResult {
  const by = { api, provider, model };
  const call = hasUsage(result) ? { by, usage: result.message.usage } : undefined;
  switch (result.type) {
    case "aborted":
      return { type: "cancelled" };
    case "expired":
      return createFailedResult(LIMIT_FAILURE_CODES[result.limit], explainReachedLimit(result.limit, time), call);
    case "reply-failed":
      return toFailedAskResult(result, call);
    case "too-long":
      return createFailedResult("too-long", TOO_LONG_NOTE, call);
    case "reply-ended":
      return readAnswer(result.message, { call: { by, usage: result.message.usage }, tokens });
  }
}

const LIMIT_FAILURE_CODES: Readonly<Record<TimeLimitName, AskFailure["code"]>> = {
  firstToken: "silent",
  nextToken: "silent",
  attempt: "too-slow",
  total: "time-limit",
};

type AttemptFailure = Extract<AttemptResult, { type: "reply-failed" }>;

function toFailedAskResult(
  { failure: { kind, message } }: AttemptFailure,
  call: ModelCall | undefined,
): AskModelResult {
  return kind === "aborted" ? { type: "cancelled", ...(call && { call }) } : createFailedResult(kind, message, call);
}

function hasUsage(result: AttemptResult): result is AttemptResult & { readonly message: AssistantMessage } {
  return "message" in result && result.message !== undefined && result.message.usage.totalTokens > 0;
}

// B40: an answer that was cut off, or that is no text, is no answer.
function readAnswer(
  message: AssistantMessage,
  { call, tokens = Number.POSITIVE_INFINITY }: { readonly call: ModelCall; readonly tokens: number | undefined },
): AskModelResult {
  const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  if (message.stopReason === "aborted") return { type: "cancelled", call };
  if (message.content.some(({ type }) => type === "toolCall") || message.stopReason === "toolUse")
    return createFailedResult("tool-call", "it called a tool instead of answering", call);
  if (message.stopReason === "deferred") return createFailedResult("empty", "its answer is yet to come", call);
  if (message.stopReason === "length") return createFailedResult("truncated", "its answer was cut off", call);
  if (message.stopReason === "error") return createFailedResult("failed", message.errorMessage ?? "it failed", call);
  if (isFarTooLong(text, tokens)) return createFailedResult("too-long", TOO_LONG_NOTE, call);
  if (text.trim() === "") return createFailedResult("empty", "its answer is empty", call);
  return { type: "answered", text, message, call };
}

const TOO_LONG_NOTE = "its answer is many times longer than a summary may be";

function createFailedResult(code: AskFailure["code"], note: string, call?: ModelCall): AskModelResult {
  return { type: "failed", failure: { code, note: truncateReason(note) }, ...(call && { call }) };
}

export type SummaryProgress =
  | { readonly step: "planning" }
  /** A model is asked; of several questions about parts of a long session, this one. */
  | { readonly step: "asking"; readonly model: string; readonly part?: number; readonly parts?: number }
  /** No token of the answer has come for so long; told once a minute. */
  | { readonly step: "awaiting-first-token"; readonly elapsedMs: number; readonly limitMs: number }
  /** It answers: tokens so far, its thoughts included. Told once for every few hundred. */
  | { readonly step: "writing"; readonly tokens: number }
  /** It was busy or broke off, and is asked again after a while. */
  | {
      readonly step: "waiting";
      readonly attempt: number;
      readonly delayMs: number;
      readonly errorMessage: string;
    }
  /** The wait is over. */
  | { readonly step: "asking-again"; readonly attempt: number }
  /** Whatever came of asking again. */
  | { readonly step: "answered"; readonly attempts: number }
  /** Its answer is held against the log. */
  | { readonly step: "auditing" }
  /** So much was found: it is told to correct it, and code mends the rest. */
  | { readonly step: "repairing"; readonly flaws: number }
  /** Nothing came of a writer: the next one is asked, at last code. */
  | { readonly step: "falling-back"; readonly why: string };

export type OnProgress = (progress: SummaryProgress) => void;
