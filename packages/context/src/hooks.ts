/** Runs hooks in turn, each with a timeout, and reports those that fail. A failing hook can neither stall nor crash the operation. */

import { attempted, type Ports } from "./runtime.ts";
import { patience } from "./settings.ts";

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
  readonly isAsking?: () => boolean;
}

export interface HookFailure {
  readonly event: string;
  readonly why: string;
  /** Whose hook it was, where that is known. */
  readonly from?: string;
}

export interface Asking<Answer> {
  readonly host: HookHost;
  readonly ports: Pick<Ports, "sleep">;
  readonly signal?: AbortSignal | undefined;
  /** Null where the hook has nothing to say; throws where it is nonsense. */
  readonly read: (result: unknown) => Answer | null;
  /** After this answer nobody else is asked. */
  readonly ends?: (answer: Answer) => boolean;
  /** Milliseconds for each; half a minute, unless said. */
  readonly patienceMs?: number;
}

export interface Answers<Answer> {
  readonly answers: readonly Answer[];
  readonly failures: readonly HookFailure[];
  /** Aborted, cancelled by a hook that failed afterwards, or a hook failed where the host wants no act without it. */
  readonly isCancelled: boolean;
}

/** Each is told an event of its own, so that none changes what the next one hears. */
export async function answersOf<Event extends { readonly type: string }, Result, Answer>(
  hooks: readonly Hook<Event, Result>[],
  event: () => Event,
  { host, ports, signal, read, ends = () => false, patienceMs: ms = patience.hook }: Asking<Answer>,
): Promise<Answers<Answer>> {
  const answers: Answer[] = [];
  const failures: HookFailure[] = [];
  const ended = (isCancelled: boolean): Answers<Answer> => ({ answers, failures, isCancelled });
  const within = { ms, sleep: unhurried(host, ports) };
  for (const hook of hooks) {
    const told = event();
    let cancels: boolean | undefined;
    const readAnswer = async (): Promise<Answer | null> => {
      const answer = answerTo(told, await hook(told));
      cancels = hasSetters(told) && isCancel(answer);
      return read(answer);
    };
    const act = await attempted(readAnswer, { signal, within });
    if (act.type === "aborted") return ended(true);
    if (act.type === "done") {
      if (act.value !== null) answers.push(act.value);
      if (act.value !== null && ends(act.value)) return ended(false);
      continue;
    }
    const why = act.type === "late" ? `no answer within ${ms / 1000} s` : act.why;
    const failure = { event: told.type, why, ...(hook.from !== undefined && { from: hook.from }) };
    failures.push(failure);
    reportTo(host, failure);
    // HOOK7: nothing else counts of what a hook said before it failed.
    if (host.onFailure === "cancel" || (cancels ?? isCancel(answersSet.get(told)))) return ended(true);
  }
  return ended(false);
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
  answersSet.set(settable, answer);
  return settable;
}

/** What hooks have set on their events. */
const answersSet = new WeakMap<object, object>();

function answerTo(event: object, returned: unknown): unknown {
  const set = answersSet.get(event) ?? {};
  if (Object.keys(set).length === 0) return returned;
  if (typeof returned !== "object" || returned === null) return set;
  const fields = Object.entries(returned).filter(([, value]) => value !== undefined && value !== null);
  return { ...set, ...Object.fromEntries(fields) };
}

function hasSetters(event: object): boolean {
  return answersSet.has(event);
}

function isCancel(answer: unknown): boolean {
  return (Object(answer) as { readonly cancel?: unknown }).cancel === true;
}

/** The patience for a hook, which begins anew while a person is asked. */
export function unhurried({ isAsking = () => false }: HookHost, { sleep }: Pick<Ports, "sleep">): Ports["sleep"] {
  return async (ms, act) => {
    do await sleep(ms, act);
    while (!act.signal?.aborted && isAsking());
  };
}

/** What a host does with it is the host's; it spoils nothing here. */
export function reportTo({ report }: HookHost, failure: HookFailure): void {
  try {
    report?.(failure);
  } catch {
    // Whoever cannot even be told of a failure is not told.
  }
}

/** For hooks that are told what is done: it cannot be cancelled any more, so whatever one does, the others hear of it. */
export function afterwards(host: HookHost): HookHost {
  return { ...host, onFailure: "go-on" };
}
