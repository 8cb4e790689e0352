/** Sends one request to a model and returns text, failure or cancellation, with progress. Never throws, whatever the model does. */

import type { AssistantMessage, Usage } from "../message.ts";
import type { Model, ModelEvent, ModelFailure, ModelName, Request } from "../model.ts";
import { type Attempted, attempted, briefly, type Ports } from "../runtime.ts";
import { patience } from "../settings.ts";
import { isFarTooLong, mostCharacters } from "./size-limit.ts";
import {
  AttemptTimer,
  describeReachedLimit,
  explainReachedLimit,
  hasPassed,
  type ReachedLimit,
  type TimeLimit,
} from "./time-limit.ts";

export interface Ear {
  /** Every event of the stream. */
  hear(event: ModelEvent): void;
  /** Asked again by ourselves. */
  waits(failure: ModelFailure, delayMs: number): void;
  /** No token has come for so long. */
  waitsForToken(elapsedMs: number, time: TimeLimit): void;
  /** The wait is over. */
  goesOn(): void;
  /** Nothing more is to be heard. */
  ends(): void;
}

export interface Hearing {
  readonly progress?: TellProgress | undefined;
  /** For a try that does not count. */
  readonly spent?: ((usage: Usage) => void) | undefined;
}

/** Turns stream events into progress, and reports the usage of failed attempts, which also cost money. */
export function earOf({ progress = () => {}, spent = () => {} }: Hearing): Ear {
  let [letters, told, attempts, isWaiting] = [0, 0, 0, false];
  const goesOn = (): void => {
    if (isWaiting) progress({ step: "asking-again", attempt: attempts });
    isWaiting = false;
  };
  const waits = (failure: ModelFailure, delayMs: number): void => {
    [letters, told, attempts, isWaiting] = [0, 0, attempts + 1, true];
    progress({ step: "waiting", attempt: attempts, delayMs, errorMessage: briefly(failure.message) });
  };
  const waitsForToken = (elapsedMs: number, { firstToken }: TimeLimit): void =>
    progress({ step: "awaiting-first-token", elapsedMs, limitMs: firstToken });
  const hear = (event: ModelEvent): void => {
    if (event.type === "reply-restarted") {
      if (event.usage) spent(event.usage);
      waits(event.failure, event.waitMs);
      return;
    }
    goesOn();
    letters += lettersIn(event);
    const tokens = Math.floor(letters / LETTERS);
    if (tokens < told + STEP) return;
    told = tokens;
    progress({ step: "writing", tokens });
  };
  const ends = (): void => {
    if (attempts > 0) progress({ step: "answered", attempts });
  };
  return { hear, waits, waitsForToken, goesOn, ends };
}

function lettersIn(event: ModelEvent): number {
  return event.type === "text-delta" || event.type === "thinking-delta" ? event.text.length : 0;
}

/** Roughly, of a token: this is told to people who wait, and counts for nothing. */
const LETTERS = 4;
/** Tokens from one word of progress to the next. */
const STEP = 200;

/** What was paid, and to whom. */
export interface Call {
  readonly by: ModelName;
  readonly usage: Usage;
}

export type Reply =
  | { readonly type: "said"; readonly text: string; readonly message: AssistantMessage; readonly call: Call }
  | { readonly type: "failed"; readonly failure: AskFailure; readonly call?: Call }
  | { readonly type: "cancelled"; readonly call?: Call };

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

export interface Asker extends Hearing {
  readonly model: Model;
  readonly ports: Pick<Ports, "sleep">;
  /** How long it may take. */
  readonly time: TimeLimit;
  /** Tokens of the answer; one that is far longer is stopped while it comes, and is not read. */
  readonly tokens?: number;
  readonly signal?: AbortSignal | undefined;
}

export async function ask(request: Request, asker: Asker): Promise<Reply> {
  // A model is a guest: what its stream yields may be no event at all.
  const ear = earOf(asker);
  const act = await attempted(() => asked(request, asker, ear));
  ear.ends();
  return act.type === "done" ? act.value : replyOf(broken(act), asker);
}

/** A request that came to nothing is sent once more, and once more to a provider that is busy for a moment. */
async function asked(request: Request, asker: Asker, ear: Ear): Promise<Reply> {
  const { ports, time } = asker;
  const retries: Retries = new Set(["broken", "busy"]);
  for (;;) {
    const end = await attempt(request, asker, { ear, retries });
    const delayMs = retryDelay(end, retries, time);
    if (delayMs === null) return replyOf(end, asker);
    if (isPaid(end)) asker.spent?.(end.message.usage);
    ear.waits(failureOf(end, time), delayMs);
    await hasPassed(delayMs, { sleep: ports.sleep, signal: stopSignal(asker) });
    ear.goesOn();
  }
}

/** Aborted by whoever waits for the summary, and when its total time is used up. */
function stopSignal({ signal, time }: Asker): AbortSignal {
  return AbortSignal.any([time.totalExpired, ...(signal ? [signal] : [])]);
}

/** The retries that are left, whoever makes them: this file or the model itself. */
type Retries = Set<"broken" | "busy">;

/** Null where it is not asked again. */
function retryDelay(end: Ending, retries: Retries, { totalExpired, mayRetrySlowAttempt }: TimeLimit): number | null {
  if (totalExpired.aborted) return null;
  if (end.type === "expired") {
    const mayRetry = end.reached !== "attempt" || mayRetrySlowAttempt;
    return mayRetry && retries.delete("broken") ? RETRY_DELAY : null;
  }
  if (end.type !== "reply-failed") return null;
  const { kind, retryAfterMs } = end.failure;
  if (kind === "unreachable") return retries.delete("broken") ? RETRY_DELAY : null;
  if (kind !== "busy" || retryAfterMs === undefined || retryAfterMs > patience.busy) return null;
  return retries.delete("busy") ? retryAfterMs : null;
}

const RETRY_DELAY = 1_000;

type Ending =
  | Extract<ModelEvent, { type: "reply-ended" | "reply-failed" }>
  | { readonly type: "aborted" }
  /** With `message`, what had come by then, and what it cost. */
  | { readonly type: "expired"; readonly reached: ReachedLimit; readonly message?: AssistantMessage }
  | { readonly type: "too-long"; readonly message?: AssistantMessage };

interface Attempt {
  readonly ear: Ear;
  readonly retries: Retries;
}

async function attempt(request: Request, asker: Asker, { ear, retries }: Attempt): Promise<Ending> {
  const { model, ports, time } = asker;
  const done = new AbortController();
  const timer = new AttemptTimer({ limit: time, sleep: ports.sleep, onWait: (ms) => ear.waitsForToken(ms, time) });
  const stop = AbortSignal.any([timer.signal, stopSignal(asker)]);
  timer.start();
  const most = mostCharacters(asker.tokens ?? Number.POSITIVE_INFINITY);
  let characters = 0;
  let events: AsyncIterator<ModelEvent> | undefined;
  try {
    const begun = await attempted(
      () => model.stream(request, { signal: AbortSignal.any([done.signal, stop]) })[Symbol.asyncIterator](),
      { signal: stop },
    );
    if (begun.type === "aborted") return stopped(undefined, { asker, timer });
    if (begun.type !== "done") return broken(begun);
    events = begun.value;
    for (;;) {
      let coming: Promise<IteratorResult<ModelEvent>> | undefined;
      const next = await attempted(
        () => {
          coming = events?.next();
          return coming;
        },
        { signal: stop },
      );
      if (next.type === "aborted") return stopped(await lastMessage(coming, ports), { asker, timer });
      if (next.type !== "done") return broken(next);
      if (!next.value || next.value.done) return failed("the reply broke off");
      const event = next.value.value;
      if (event.type === "reply-restarted") {
        if (event.failure.kind === "unreachable" && !retries.delete("broken")) {
          if (event.usage) asker.spent?.(event.usage);
          return { type: "reply-failed", failure: event.failure };
        }
        timer.start(event.waitMs);
        characters = 0;
      } else if (isToken(event)) timer.onToken();
      ear.hear(event);
      if (event.type === "text-delta") characters += event.text.length;
      if (characters > most) {
        done.abort();
        const message = await lastMessage(events.next(), ports);
        return { type: "too-long", ...(message && { message }) };
      }
      if (event.type === "reply-ended" || event.type === "reply-failed") return event;
    }
  } finally {
    timer.stop();
    done.abort();
    // One that hangs may never come to its end; nobody waits for it.
    void attempted(() => events?.return?.());
  }
}

// Empty pieces keep a line open, and say nothing.
function isToken(event: ModelEvent): boolean {
  return event.type === "tool-call-delta" ? event.json !== "" : lettersIn(event) > 0;
}

function stopped(
  message: AssistantMessage | undefined,
  { asker: { signal }, timer }: { readonly asker: Asker; readonly timer: AttemptTimer },
): Ending {
  if (!signal?.aborted) return { type: "expired", reached: timer.reached, ...(message && { message }) };
  if (!message) return { type: "aborted" };
  return { type: "reply-failed", failure: { kind: "aborted", message: "it was stopped" }, message };
}

// EVT5: who is told to stop has a moment to say what it has cost.
async function lastMessage(
  coming: Promise<IteratorResult<ModelEvent>> | undefined,
  { sleep }: Asker["ports"],
): Promise<AssistantMessage | undefined> {
  if (!coming) return undefined;
  const said = await attempted(() => coming, { within: { ms: MOMENT, sleep } });
  const event = said.type === "done" && !said.value.done ? said.value.value : null;
  return event?.type === "reply-ended" || event?.type === "reply-failed" ? event.message : undefined;
}

const MOMENT = 60;

function broken(act: Exclude<Attempted<unknown>, { type: "done" }>): Ending {
  if (act.type === "aborted") return act;
  return failed(act.type === "failed" ? act.why : "it took too long");
}

function failed(message: string): Ending {
  return { type: "reply-failed", failure: { kind: "unreachable", message } };
}

function failureOf(end: Ending, time: TimeLimit): ModelFailure {
  if (end.type === "reply-failed") return end.failure;
  const message = end.type === "expired" ? describeReachedLimit(end.reached, time) : "it broke off";
  return { kind: "unreachable", message };
}

function replyOf(end: Ending, { model: { api, provider, model }, time, tokens }: Asker): Reply {
  const by = { api, provider, model };
  const call = isPaid(end) ? { by, usage: end.message.usage } : undefined;
  switch (end.type) {
    case "aborted":
      return { type: "cancelled" };
    case "expired":
      return failure(LIMIT_CODES[end.reached], explainReachedLimit(end.reached, time), call);
    case "reply-failed":
      return unanswered(end, call);
    case "too-long":
      return failure("too-long", TOO_LONG, call);
    case "reply-ended":
      return read(end.message, { call: { by, usage: end.message.usage }, tokens });
  }
}

const LIMIT_CODES: Readonly<Record<ReachedLimit, AskFailure["code"]>> = {
  firstToken: "silent",
  nextToken: "silent",
  attempt: "too-slow",
  total: "time-limit",
};

type Failed = Extract<Ending, { type: "reply-failed" }>;

function unanswered({ failure: { kind, message } }: Failed, call: Call | undefined): Reply {
  return kind === "aborted" ? { type: "cancelled", ...(call && { call }) } : failure(kind, message, call);
}

function isPaid(end: Ending): end is Ending & { readonly message: AssistantMessage } {
  return "message" in end && end.message !== undefined && end.message.usage.totalTokens > 0;
}

// B40: an answer that was cut off, or that is no text, is no answer.
function read(
  message: AssistantMessage,
  { call, tokens = Number.POSITIVE_INFINITY }: { readonly call: Call; readonly tokens: number | undefined },
): Reply {
  const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  if (message.stopReason === "aborted") return { type: "cancelled", call };
  if (message.content.some(({ type }) => type === "toolCall") || message.stopReason === "toolUse")
    return failure("tool-call", "it called a tool instead of answering", call);
  if (message.stopReason === "deferred") return failure("empty", "its answer is yet to come", call);
  if (message.stopReason === "length") return failure("truncated", "its answer was cut off", call);
  if (message.stopReason === "error") return failure("failed", message.errorMessage ?? "it failed", call);
  if (isFarTooLong(text, tokens)) return failure("too-long", TOO_LONG, call);
  if (text.trim() === "") return failure("empty", "its answer is empty", call);
  return { type: "said", text, message, call };
}

const TOO_LONG = "its answer is many times longer than a summary may be";

function failure(code: AskFailure["code"], note: string, call?: Call): Reply {
  return { type: "failed", failure: { code, note: briefly(note) }, ...(call && { call }) };
}

export type Progress =
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

export type TellProgress = (progress: Progress) => void;
