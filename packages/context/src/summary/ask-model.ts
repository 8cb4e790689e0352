/** Sends one request to a model and returns text, failure or cancellation, with progress. Never throws, whatever the model does. */

import type { AssistantMessage, Usage } from "../message.ts";
import type { Model, ModelEvent, ModelFailure, ModelName, Request } from "../model.ts";
import { type Attempted, attempted, briefly, type Ports } from "../runtime.ts";
import { patience } from "../settings.ts";

export interface Ear {
  /** Every event of the stream. */
  hear(event: ModelEvent): void;
  /** Asked again by ourselves. */
  waits(failure: ModelFailure, delayMs: number): void;
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
  return { hear, waits, goesOn, ends };
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
    | "silent"
    | "failed"
    | Exclude<ModelFailure["kind"], "aborted">;
  /** For people. */
  readonly note: string;
}

export interface Asker extends Hearing {
  readonly model: Model;
  readonly ports: Pick<Ports, "sleep">;
  readonly signal?: AbortSignal | undefined;
}

export async function ask(request: Request, asker: Asker): Promise<Reply> {
  // A model is a guest: what its stream yields may be no event at all.
  const ear = earOf(asker);
  const act = await attempted(() => asked(request, asker, ear));
  ear.ends();
  return act.type === "done" ? act.value : replyOf(broken(act), asker.model);
}

/** A provider that is busy for a moment is asked once more. */
async function asked(request: Request, asker: Asker, ear: Ear): Promise<Reply> {
  const end = await ending(request, asker, ear);
  if (end.type !== "reply-failed" || end.failure.kind !== "busy") return replyOf(end, asker.model);
  const { retryAfterMs } = end.failure;
  if (retryAfterMs === undefined || retryAfterMs > patience.busy) return replyOf(end, asker.model);
  if (isPaid(end)) asker.spent?.(end.message.usage);
  ear.waits(end.failure, retryAfterMs);
  await asker.ports.sleep(retryAfterMs, asker.signal ? { signal: asker.signal } : {});
  ear.goesOn();
  return replyOf(await ending(request, asker, ear), asker.model);
}

type Ending = Extract<ModelEvent, { type: "reply-ended" | "reply-failed" }> | { readonly type: "silent" | "aborted" };

async function ending(request: Request, { model, ports, signal }: Asker, ear: Ear): Promise<Ending> {
  const over = new AbortController();
  const within = { ms: patience.token, sleep: ports.sleep };
  const begun = await attempted(
    () => model.stream(request, { signal: eitherOf(over.signal, signal) })[Symbol.asyncIterator](),
    { signal },
  );
  if (begun.type !== "done") return broken(begun);
  const events = begun.value;
  try {
    for (;;) {
      let coming: Promise<IteratorResult<ModelEvent>> | undefined;
      const next = await attempted(
        () => {
          coming = events.next();
          return coming;
        },
        { signal, within },
      );
      if (next.type === "aborted") return await lastWords(coming, ports);
      if (next.type !== "done") return broken(next);
      if (next.value.done) return failed("the reply broke off");
      const event = next.value.value;
      ear.hear(event);
      if (event.type === "reply-ended" || event.type === "reply-failed") return event;
    }
  } finally {
    over.abort();
    // One that hangs may never come to its end; nobody waits for it.
    void attempted(() => events.return?.());
  }
}

// EVT5: who is told to stop has a moment to say what it has cost.
async function lastWords(
  coming: Promise<IteratorResult<ModelEvent>> | undefined,
  { sleep }: Asker["ports"],
): Promise<Ending> {
  if (!coming) return { type: "aborted" };
  const said = await attempted(() => coming, { within: { ms: MOMENT, sleep } });
  const event = said.type === "done" && !said.value.done ? said.value.value : null;
  const isLast = event?.type === "reply-ended" || event?.type === "reply-failed";
  if (!isLast || !event.message) return { type: "aborted" };
  return { type: "reply-failed", failure: { kind: "aborted", message: "it was stopped" }, message: event.message };
}

const MOMENT = 60;

function eitherOf(one: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other ? AbortSignal.any([one, other]) : one;
}

function broken(act: Exclude<Attempted<unknown>, { type: "done" }>): Ending {
  if (act.type === "aborted") return act;
  return act.type === "late" ? { type: "silent" } : failed(act.why);
}

function failed(message: string): Ending {
  return { type: "reply-failed", failure: { kind: "unreachable", message } };
}

function replyOf(end: Ending, { api, provider, model }: Model): Reply {
  const by = { api, provider, model };
  switch (end.type) {
    case "aborted":
      return { type: "cancelled" };
    case "silent":
      return failure("silent", `it said nothing for ${patience.token / 1000} s`);
    case "reply-failed":
      return unanswered(end, isPaid(end) ? { by, usage: end.message.usage } : undefined);
    case "reply-ended":
      return read(end.message, { by, usage: end.message.usage });
  }
}

type Failed = Extract<Ending, { type: "reply-failed" }>;

function unanswered({ failure: { kind, message } }: Failed, call: Call | undefined): Reply {
  return kind === "aborted" ? { type: "cancelled", ...(call && { call }) } : failure(kind, message, call);
}

function isPaid(end: Failed): end is Failed & { readonly message: AssistantMessage } {
  return end.message !== undefined && end.message.usage.totalTokens > 0;
}

// B40: an answer that was cut off, or that is no text, is no answer.
function read(message: AssistantMessage, call: Call): Reply {
  const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  if (message.stopReason === "aborted") return { type: "cancelled", call };
  if (message.content.some(({ type }) => type === "toolCall") || message.stopReason === "toolUse")
    return failure("tool-call", "it called a tool instead of answering", call);
  if (message.stopReason === "deferred") return failure("empty", "its answer is yet to come", call);
  if (message.stopReason === "length") return failure("truncated", "its answer was cut off", call);
  if (message.stopReason === "error") return failure("failed", message.errorMessage ?? "it failed", call);
  if (text.trim() === "") return failure("empty", "its answer is empty", call);
  return { type: "said", text, message, call };
}

function failure(code: AskFailure["code"], note: string, call?: Call): Reply {
  return { type: "failed", failure: { code, note: briefly(note) }, ...(call && { call }) };
}

export type Progress =
  | { readonly step: "planning" }
  /** A model is asked; of several questions about parts of a long session, this one. */
  | { readonly step: "asking"; readonly model: string; readonly part?: number; readonly parts?: number }
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
