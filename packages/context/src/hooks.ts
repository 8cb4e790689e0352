/** Runs hooks one after another, each with a timeout, and reports failures. A failing hook can neither block nor crash the operation. */

import { type Runtime, runGuarded } from "./runtime.ts";
import { timeouts } from "./settings.ts";

/** A function that receives an event and may return a result. The result is validated before it is used. */
export interface Hook<Event, Result = never> {
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that only listens returns nothing.
  (event: Event): Promise<Result | undefined | void> | Result | undefined | void;
  /** The owner of the hook, for error reports. */
  readonly from?: string;
}

/** How the host handles hook failures and prompts to the user. */
export interface HookHost {
  /** Called when a hook throws, times out or returns an invalid result. */
  readonly report?: (failure: HookFailure) => void;
  /** Whether the operation continues after a hook failed, or is cancelled, e.g. for hooks that protect secrets. */
  readonly onFailure?: "go-on" | "cancel";
  /** Whether a hook is waiting for the user. The timeout does not expire during that time. */
  readonly isWaitingForUser?: () => boolean;
}

/** A hook that failed, and why. */
export interface HookFailure {
  readonly event: string;
  readonly why: string;
  /** The owner of the hook, if known. */
  readonly from?: string;
}

/** Options for `runHooks`. */
export interface RunHooksOptions<Answer> {
  readonly host: HookHost;
  readonly runtime: Pick<Runtime, "sleep">;
  readonly signal?: AbortSignal | undefined;
  /** Validates the result of a hook. Returns null if the hook has no answer, and throws if the result is invalid. */
  readonly read: (result: unknown) => Answer | null;
  /** Whether the remaining hooks are skipped after this answer. */
  readonly isFinal?: (answer: Answer) => boolean;
  /** The time limit of each hook in milliseconds; 30 seconds by default. */
  readonly timeoutMs?: number;
}

/** The answers and failures of hooks. */
export interface HookResults<Answer> {
  readonly answers: readonly Answer[];
  readonly failures: readonly HookFailure[];
  /** Whether the operation was aborted, or a hook failed that had cancelled it, or a hook failed and the host cancels on failure. */
  readonly isCancelled: boolean;
}

/** Runs hooks one after another. Each gets its own event, so that no hook can change the event of the next. */
export async function runHooks<Event extends { readonly type: string }, Result, Answer>(
  hooks: readonly Hook<Event, Result>[],
  createEvent: () => Event,
  { host, runtime, signal, read, isFinal = () => false, timeoutMs = timeouts.hook }: RunHooksOptions<Answer>,
): Promise<HookResults<Answer>> {
  const answers: Answer[] = [];
  const failures: HookFailure[] = [];
  const finish = (isCancelled: boolean): HookResults<Answer> => ({ answers, failures, isCancelled });
  const timeout = { ms: timeoutMs, sleep: createPausableSleep(host, runtime) };
  for (const hook of hooks) {
    const hookEvent = createEvent();
    let isCancelling: boolean | undefined;
    const readAnswer = async (): Promise<Answer | null> => {
      const answer = mergeAnswer(hookEvent, await hook(hookEvent));
      isCancelling = answersByEvent.has(hookEvent) && isCancel(answer);
      return read(answer);
    };
    const result = await runGuarded(readAnswer, { signal, timeout });
    if (result.type === "aborted") return finish(true);
    if (result.type === "done") {
      if (result.value !== null) answers.push(result.value);
      if (result.value !== null && isFinal(result.value)) return finish(false);
      continue;
    }
    const why = result.type === "late" ? `no answer within ${timeoutMs / 1000} s` : result.why;
    const failure = { event: hookEvent.type, why, ...(hook.from !== undefined && { from: hook.from }) };
    failures.push(failure);
    reportHookFailure(host, failure);
    // HOOK7: of the answer of a failed hook, only a cancellation counts.
    if (host.onFailure === "cancel" || (isCancelling ?? isCancel(answersByEvent.get(hookEvent)))) return finish(true);
  }
  return finish(false);
}

/**
 * Adds methods to an event by which a hook can answer instead of returning a value, e.g. `event.cancel()`. A returned field overrides a
 * field that was set this way, unless it is undefined or null.
 */
export function withSetters<Event extends object, Setters extends object>(
  event: Event,
  setters: (set: (answer: object) => void) => Setters,
): Event & Setters {
  const answer = {};
  const settable = { ...event, ...setters((fields) => void Object.assign(answer, fields)) };
  answersByEvent.set(settable, answer);
  return settable;
}

/** The fields that hooks set through the methods of their events. */
const answersByEvent = new WeakMap<object, object>();

function mergeAnswer(event: object, returnValue: unknown): unknown {
  const setFields = answersByEvent.get(event) ?? {};
  if (Object.keys(setFields).length === 0) return returnValue;
  if (typeof returnValue !== "object" || returnValue === null) return setFields;
  const fields = Object.entries(returnValue).filter(([, value]) => value !== undefined && value !== null);
  return { ...setFields, ...Object.fromEntries(fields) };
}

function isCancel(answer: unknown): boolean {
  return (Object(answer) as { readonly cancel?: unknown }).cancel === true;
}

/** Creates a sleep for hook timeouts that starts over if a hook is waiting for the user when it ends. */
export function createPausableSleep(
  { isWaitingForUser = () => false }: HookHost,
  { sleep }: Pick<Runtime, "sleep">,
): Runtime["sleep"] {
  return async (ms, options) => {
    do await sleep(ms, options);
    while (!options.signal?.aborted && isWaitingForUser());
  };
}

/** Reports a failure to the host. An error in the host's callback is ignored. */
export function reportHookFailure({ report }: HookHost, failure: HookFailure): void {
  try {
    report?.(failure);
  } catch {
    // A failure in the report itself cannot be reported.
  }
}

/** Returns a host for hooks that run after an operation: the operation can no longer be cancelled, so all hooks run. */
export function continueOnFailure(host: HookHost): HookHost {
  return { ...host, onFailure: "go-on" };
}
