/** Runs hooks in turn, each with a timeout, and reports those that fail. A failing hook can neither stall nor crash the operation. */

import { type Runtime, runGuarded } from "./runtime.ts";
import { timeouts } from "./settings.ts";

/** It is told an event and may answer; what it answers is read with care. */
export interface Hook<Event, Result = never> {
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that only listens returns nothing.
  (event: Event): Promise<Result | undefined | void> | Result | undefined | void;
  /** Whose it is, for whoever is told that it failed. */
  readonly from?: string;
}

export interface HookHost {
  /** Told when a hook throws, hangs or answers nonsense. */
  readonly report?: (failure: HookFailure) => void;
  /** Whether an act goes on without a hook that failed, or does not happen: for hooks that keep secrets. */
  readonly onFailure?: "go-on" | "cancel";
  /** Whether a hook waits for a person: nobody is hurried who is asked. */
  readonly isWaitingForUser?: () => boolean;
}

export interface HookFailure {
  readonly event: string;
  readonly why: string;
  /** Whose hook it was, where that is known. */
  readonly from?: string;
}

export interface RunHooksOptions<Answer> {
  readonly host: HookHost;
  readonly runtime: Pick<Runtime, "sleep">;
  readonly signal?: AbortSignal | undefined;
  /** Null where the hook has nothing to say; throws where it is nonsense. */
  readonly read: (result: unknown) => Answer | null;
  /** After this answer nobody else is asked. */
  readonly isFinal?: (answer: Answer) => boolean;
  /** Milliseconds for each; half a minute, unless said. */
  readonly timeoutMs?: number;
}

export interface HookResults<Answer> {
  readonly answers: readonly Answer[];
  readonly failures: readonly HookFailure[];
  /** Aborted, cancelled by a hook that failed afterwards, or a hook failed where the host wants no act without it. */
  readonly isCancelled: boolean;
}

/** Each is told an event of its own, so that none changes what the next one hears. */
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
      isCancelling = hasSetters(hookEvent) && isCancel(answer);
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
    // HOOK7: nothing else counts of what a hook said before it failed.
    if (host.onFailure === "cancel" || (isCancelling ?? isCancel(answersByEvent.get(hookEvent)))) return finish(true);
  }
  return finish(false);
}

/**
 * The event with methods by which a hook may answer instead of returning a value, e.g. `event.cancel()`. A field that it
 * returns wins over what it set, unless the field is undefined or null.
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

/** What hooks have set on their events. */
const answersByEvent = new WeakMap<object, object>();

function mergeAnswer(event: object, returnValue: unknown): unknown {
  const setFields = answersByEvent.get(event) ?? {};
  if (Object.keys(setFields).length === 0) return returnValue;
  if (typeof returnValue !== "object" || returnValue === null) return setFields;
  const fields = Object.entries(returnValue).filter(([, value]) => value !== undefined && value !== null);
  return { ...setFields, ...Object.fromEntries(fields) };
}

function hasSetters(event: object): boolean {
  return answersByEvent.has(event);
}

function isCancel(answer: unknown): boolean {
  return (Object(answer) as { readonly cancel?: unknown }).cancel === true;
}

/** The patience for a hook, which begins anew while a person is asked. */
export function createPausableSleep(
  { isWaitingForUser = () => false }: HookHost,
  { sleep }: Pick<Runtime, "sleep">,
): Runtime["sleep"] {
  return async (ms, options) => {
    do await sleep(ms, options);
    while (!options.signal?.aborted && isWaitingForUser());
  };
}

/** What a host does with it is the host's; it spoils nothing here. */
export function reportHookFailure({ report }: HookHost, failure: HookFailure): void {
  try {
    report?.(failure);
  } catch {
    // Whoever cannot even be told of a failure is not told.
  }
}

/** For hooks that are told what is done: it cannot be cancelled any more, so whatever one does, the others hear of it. */
export function continueOnFailure(host: HookHost): HookHost {
  return { ...host, onFailure: "go-on" };
}
