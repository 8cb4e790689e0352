/** Sends one request to a model and returns its answer, a failure or a cancellation, and reports progress. Never throws, whatever the model does. */

import type { AssistantMessage, Usage } from "../message.ts";
import type { Model, ModelEvent, ModelFailure, ModelName, Request } from "../model.ts";
import { errorReason, type Runtime, runGuarded, truncateReason } from "../runtime.ts";
import { timeouts } from "../settings.ts";
import {
  AttemptTimer,
  describeReachedLimit,
  explainReachedLimit,
  isFarTooLong,
  maxSummaryChars,
  type TimeLimit,
  type TimeLimitName,
  trySleep,
} from "./limits.ts";

export interface AskModelOptions extends ProgressOptions {
  readonly model: Model;
  readonly runtime: Pick<Runtime, "sleep">;
  readonly time: TimeLimit;
  /** The expected size of the answer. A far longer one is aborted during the stream and not read. */
  readonly tokens?: number;
  /** Estimates the usage of a reply that was stopped before the provider reported any. It is billed, too. */
  readonly estimateUsage?: (outputTokens: number) => Usage;
  readonly signal?: AbortSignal | undefined;
}

/** The result of `askModel`. `call` is set if the provider billed the request. */
export type AskModelResult =
  | { readonly type: "answered"; readonly text: string; readonly message: AssistantMessage; readonly call: ModelCall }
  /** `message` is set if the model replied with something else. */
  | {
      readonly type: "failed";
      readonly failure: AskFailure;
      readonly message?: AssistantMessage;
      readonly call?: ModelCall;
    }
  | { readonly type: "cancelled"; readonly call?: ModelCall };

/** Why a model gave no usable answer. */
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
  /** A sentence for users. */
  readonly note: string;
}

/** A billed call of a model. */
export interface ModelCall {
  readonly by: ModelName;
  readonly usage: Usage;
}

/** The calls and the cost that are still allowed. */
export interface Allowance {
  readonly calls: number;
  readonly cost: number;
}

/** Sends a request to a model and waits for its answer. Retries once after a broken connection, and once if the provider is busy for a short time. */
export async function askModel(request: Request, options: AskModelOptions): Promise<AskModelResult> {
  const { runtime, time } = options;
  const reporter = new ProgressReporter(options);
  const retries: RetryBudget = new Set(["broken", "busy"]);
  try {
    for (;;) {
      const streamed: StreamedChars = { all: 0, text: 0 };
      const result = await streamReply(request, options, { reporter, retries, streamed });
      const usage = findUsage(result, streamed, options);
      const delayMs = retryDelay(result, retries, time);
      if (delayMs === null) return toAskModelResult(result, usage, options);
      if (usage) options.onFailedAttemptUsage?.(usage);
      reporter.reportRetryWait(toModelFailure(result, time), delayMs);
      await trySleep(delayMs, { sleep: runtime.sleep, signal: stopSignal(options) });
      reporter.reportRetry();
    }
  } catch (error) {
    // The model and the functions in the options come from the host.
    return toAskModelResult(createUnreachableFailure(errorReason(error)), undefined, options);
  } finally {
    reporter.reportEnd();
  }
}

/** Aborted by the caller, and at the end of the total time. */
function stopSignal({ signal, time }: AskModelOptions): AbortSignal {
  return AbortSignal.any([time.totalExpired, ...(signal ? [signal] : [])]);
}

/** The retries that are left, for this file and for retries inside the model together. */
type RetryBudget = Set<"broken" | "busy">;

/** Null for no retry. */
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
  /** `message` has the text so far and its usage. */
  | { readonly type: "expired"; readonly limit: TimeLimitName; readonly message?: AssistantMessage }
  | { readonly type: "too-long"; readonly message?: AssistantMessage };

/** The characters of the reply so far; all of them include thinking. */
interface StreamedChars {
  all: number;
  text: number;
}

interface AttemptOptions {
  readonly reporter: ProgressReporter;
  readonly retries: RetryBudget;
  readonly streamed: StreamedChars;
}

/** Sends the request once and reads the reply, until it ends, a limit is reached or it is far too long. */
async function streamReply(
  request: Request,
  options: AskModelOptions,
  { reporter, retries, streamed }: AttemptOptions,
): Promise<AttemptResult> {
  const { model, runtime, time, tokens = Number.POSITIVE_INFINITY } = options;
  const done = new AbortController();
  const onWait = (ms: number): void => reporter.reportTokenWait(ms, time);
  const timer = new AttemptTimer({ limit: time, sleep: runtime.sleep, onWait });
  const stop = AbortSignal.any([timer.signal, stopSignal(options)]);
  const maxChars = maxSummaryChars(tokens);
  let reply: ReplyEvents | undefined;
  timer.start();
  try {
    if (stop.aborted) return createStoppedResult(undefined, { options, timer });
    const stream = model.stream(request, { signal: AbortSignal.any([done.signal, stop]) });
    reply = new ReplyEvents(stream[Symbol.asyncIterator](), runtime);
    for (;;) {
      const event = await reply.next(stop);
      if (event === "stopped") return createStoppedResult(await reply.readFinalMessage(), { options, timer });
      if (event.type === "reply-restarted") {
        if (!mayRestart(event, { retries, options })) return { type: "reply-failed", failure: event.failure };
        timer.start(event.waitMs);
        Object.assign(streamed, { all: 0, text: 0 });
      }
      // Empty deltas only keep the connection open.
      if (event.type === "tool-call-delta" ? event.json !== "" : countEventChars(event) > 0) timer.onToken();
      reporter.reportEvent(event);
      streamed.all += countEventChars(event);
      streamed.text += event.type === "text-delta" ? event.text.length : 0;
      if (event.type === "reply-ended" || event.type === "reply-failed") return event;
      if (streamed.text > maxChars) {
        done.abort();
        const message = await reply.readFinalMessage();
        return { type: "too-long", ...(message && { message }) };
      }
    }
  } catch (error) {
    return createUnreachableFailure(errorReason(error));
  } finally {
    timer.stop();
    done.abort();
    reply?.close();
  }
}

/** The events of a reply. A model may throw, hang, or end without a last event. */
class ReplyEvents {
  readonly #events: AsyncIterator<ModelEvent>;
  readonly #runtime: AskModelOptions["runtime"];
  #pending: Promise<IteratorResult<ModelEvent>> | undefined;

  constructor(events: AsyncIterator<ModelEvent>, runtime: AskModelOptions["runtime"]) {
    this.#events = events;
    this.#runtime = runtime;
  }

  async next(signal: AbortSignal): Promise<ModelEvent | "stopped"> {
    const next = await runGuarded(() => this.#advance(), { signal });
    if (next.type === "aborted") return "stopped";
    this.#pending = undefined;
    if (next.type === "done" && next.value && !next.value.done) return next.value.value;
    return createUnreachableFailure(next.type === "failed" ? next.why : UNEXPECTED_END);
  }

  // EVT5: an aborted model has a moment to report its usage.
  async readFinalMessage(): Promise<AssistantMessage | undefined> {
    const timeout = { ms: FINAL_MESSAGE_TIMEOUT_MS, sleep: this.#runtime.sleep };
    const last = await runGuarded(() => this.#advance(), { timeout });
    const event = last.type === "done" && !last.value.done ? last.value.value : null;
    return event?.type === "reply-ended" || event?.type === "reply-failed" ? event.message : undefined;
  }

  /** A stream that hangs may never end, so this does not wait. */
  close(): void {
    void runGuarded(() => this.#events.return?.());
  }

  #advance(): Promise<IteratorResult<ModelEvent>> {
    this.#pending ??= this.#events.next();
    return this.#pending;
  }
}

const FINAL_MESSAGE_TIMEOUT_MS = 60;
const UNEXPECTED_END = "the reply ended unexpectedly";

/** The model retries by itself, too. Both share their retries. */
function mayRestart(
  { failure, usage }: Extract<ModelEvent, { type: "reply-restarted" }>,
  { retries, options }: { readonly retries: RetryBudget; readonly options: AskModelOptions },
): boolean {
  if (failure.kind !== "unreachable" || retries.delete("broken")) return true;
  if (usage) options.onFailedAttemptUsage?.(usage);
  return false;
}

function createStoppedResult(
  message: AssistantMessage | undefined,
  { options: { signal }, timer }: { readonly options: AskModelOptions; readonly timer: AttemptTimer },
): AttemptResult {
  if (!signal?.aborted) return { type: "expired", limit: timer.reachedLimit, ...(message && { message }) };
  if (!message) return { type: "aborted" };
  return { type: "reply-failed", failure: { kind: "aborted", message: "the request was stopped" }, message };
}

function createUnreachableFailure(message: string): AttemptFailure {
  return { type: "reply-failed", failure: { kind: "unreachable", message } };
}

function toModelFailure(result: AttemptResult, time: TimeLimit): ModelFailure {
  if (result.type === "reply-failed") return result.failure;
  const message = result.type === "expired" ? describeReachedLimit(result.limit, time) : UNEXPECTED_END;
  return { kind: "unreachable", message };
}

function toAskModelResult(
  result: AttemptResult,
  usage: Usage | undefined,
  { model: { api, provider, model }, time, tokens }: AskModelOptions,
): AskModelResult {
  const by = { api, provider, model };
  const call = usage && { by, usage };
  switch (result.type) {
    case "aborted":
      return { type: "cancelled", ...(call && { call }) };
    case "expired":
      return createFailedResult(LIMIT_FAILURE_CODES[result.limit], explainReachedLimit(result.limit, time), { call });
    case "reply-failed":
      return result.failure.kind === "aborted"
        ? { type: "cancelled", ...(call && { call }) }
        : createFailedResult(result.failure.kind, result.failure.message, { call });
    case "too-long":
      return createFailedResult("too-long", TOO_LONG_NOTE, { call, message: result.message });
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

/** EVT5: the usage that the provider reported or, if the reply was stopped before that, an estimate. */
function findUsage(
  result: AttemptResult,
  { all: chars }: StreamedChars,
  { estimateUsage }: AskModelOptions,
): Usage | undefined {
  const reported = "message" in result ? result.message?.usage : undefined;
  if (reported && reported.totalTokens > 0) return reported;
  return chars > 0 ? estimateUsage?.(Math.ceil(chars / CHARS_PER_TOKEN)) : undefined;
}

// B40: a truncated answer, or one without text, is a failure.
function readAnswer(
  message: AssistantMessage,
  { call, tokens = Number.POSITIVE_INFINITY }: { readonly call: ModelCall; readonly tokens: number | undefined },
): AskModelResult {
  const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  const fail = (code: AskFailure["code"], note: string): AskModelResult =>
    createFailedResult(code, note, { call, message });
  if (message.stopReason === "aborted") return { type: "cancelled", call };
  if (message.content.some(({ type }) => type === "toolCall") || message.stopReason === "toolUse")
    return fail("tool-call", "the model called a tool instead of writing the summary");
  if (message.stopReason === "deferred") return createFailedResult("empty", "the reply is deferred", { call });
  if (message.stopReason === "length") return fail("truncated", "the reply was cut off");
  if (message.stopReason === "error")
    return createFailedResult("failed", message.errorMessage ?? "the request failed", { call });
  if (isFarTooLong(text, tokens)) return fail("too-long", TOO_LONG_NOTE);
  if (text.trim() === "") return fail("empty", "the reply is empty");
  return { type: "answered", text, message, call };
}

const TOO_LONG_NOTE = "the reply is far longer than a summary may be";

function createFailedResult(
  code: AskFailure["code"],
  note: string,
  { call, message }: { readonly call: ModelCall | undefined; readonly message?: AssistantMessage | undefined },
): AskModelResult {
  const failure = { code, note: truncateReason(note) };
  return { type: "failed", failure, ...(message && { message }), ...(call && { call }) };
}

/** A step in the generation of a summary. */
export type SummaryProgress =
  | { readonly step: "planning" }
  /** A request is sent; `part` of `parts` if the session is summarized in chunks. */
  | { readonly step: "asking"; readonly model: string; readonly part?: number; readonly parts?: number }
  /** No token has arrived yet; reported once a minute. */
  | { readonly step: "awaiting-first-token"; readonly elapsedMs: number; readonly limitMs: number }
  /** The answer arrives: the tokens so far, including thinking. Reported every few hundred tokens. */
  | { readonly step: "writing"; readonly tokens: number }
  /** The provider was busy or the reply broke off; the request is sent again after the delay. */
  | {
      readonly step: "waiting";
      readonly attempt: number;
      readonly delayMs: number;
      readonly errorMessage: string;
    }
  /** The retry starts. */
  | { readonly step: "asking-again"; readonly attempt: number }
  /** The request ended, after retries. */
  | { readonly step: "answered"; readonly attempts: number }
  /** The answer is checked against the session. */
  | { readonly step: "auditing" }
  /** The check found problems: the model corrects some, code repairs the rest. */
  | { readonly step: "repairing"; readonly flaws: number }
  /** A summarizer failed: the next one is asked, and in the end Pith builds the summary without a model. */
  | { readonly step: "falling-back"; readonly why: string };

/** Receives the progress of a summary. */
export type OnProgress = (progress: SummaryProgress) => void;

export interface ProgressOptions {
  readonly progress?: OnProgress | undefined;
  /** Called with the usage of an attempt that failed. */
  readonly onFailedAttemptUsage?: ((usage: Usage) => void) | undefined;
}

/** Turns stream events into progress, and reports the usage of failed attempts, which are also billed. */
class ProgressReporter {
  readonly #options: ProgressOptions;
  #chars = 0;
  #reportedTokens = 0;
  #attempts = 0;
  #isWaiting = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  reportEvent(event: ModelEvent): void {
    if (event.type === "reply-restarted") {
      if (event.usage) this.#options.onFailedAttemptUsage?.(event.usage);
      this.reportRetryWait(event.failure, event.waitMs);
      return;
    }
    this.reportRetry();
    this.#chars += countEventChars(event);
    const tokens = Math.floor(this.#chars / CHARS_PER_TOKEN);
    if (tokens < this.#reportedTokens + PROGRESS_STEP_TOKENS) return;
    this.#reportedTokens = tokens;
    this.#options.progress?.({ step: "writing", tokens });
  }

  reportTokenWait(elapsedMs: number, { firstToken }: TimeLimit): void {
    this.#options.progress?.({ step: "awaiting-first-token", elapsedMs, limitMs: firstToken });
  }

  reportRetryWait({ message }: ModelFailure, delayMs: number): void {
    [this.#chars, this.#reportedTokens, this.#isWaiting] = [0, 0, true];
    this.#attempts += 1;
    const errorMessage = truncateReason(message);
    this.#options.progress?.({ step: "waiting", attempt: this.#attempts, delayMs, errorMessage });
  }

  reportRetry(): void {
    if (this.#isWaiting) this.#options.progress?.({ step: "asking-again", attempt: this.#attempts });
    this.#isWaiting = false;
  }

  reportEnd(): void {
    if (this.#attempts > 0) this.#options.progress?.({ step: "answered", attempts: this.#attempts });
  }
}

function countEventChars(event: ModelEvent): number {
  return event.type === "text-delta" || event.type === "thinking-delta" ? event.text.length : 0;
}

/** A rough value, for what is shown to users and for replies that are stopped. */
const CHARS_PER_TOKEN = 4;
/** Tokens between two progress events. */
const PROGRESS_STEP_TOKENS = 200;
