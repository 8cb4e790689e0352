/** How extensions have their say in an act: each is asked in turn, and none can spoil or stall what it is asked about. */

import { attempted } from "./attempted.ts";
import { patience } from "./limits.ts";
import type { Ports } from "./ports.ts";

/** It is told an event and may answer; what it answers is read with care. */
export type Hook<Event, Result = never> = (
  event: Event,
) => // biome-ignore lint/suspicious/noConfusingVoidType: a hook that only listens returns nothing.
Promise<Result | undefined | void> | Result | undefined | void;

export interface HookHost {
  /** Told when a hook throws, hangs or answers nonsense. */
  readonly report?: (failure: HookFailure) => void;
  /** Whether an act goes on without a hook that failed, or does not happen: for hooks that keep secrets. */
  readonly onFailure?: "go-on" | "cancel";
}

export interface HookFailure {
  readonly event: string;
  readonly why: string;
}

export interface Asking<Answer> {
  readonly host: HookHost;
  readonly ports: Pick<Ports, "sleep">;
  readonly signal?: AbortSignal | undefined;
  /** Null where the hook has nothing to say; throws where it is nonsense. */
  readonly read: (result: unknown) => Answer | null;
  /** After this answer nobody else is asked. */
  readonly ends?: (answer: Answer) => boolean;
}

export interface Answers<Answer> {
  readonly answers: readonly Answer[];
  readonly failures: readonly HookFailure[];
  /** Aborted, or a hook failed where the host wants no act without it. */
  readonly isCancelled: boolean;
}

/** Each is told an event of its own, so that none changes what the next one hears. */
export async function answersOf<Event extends { readonly type: string }, Result, Answer>(
  hooks: readonly Hook<Event, Result>[],
  event: () => Event,
  { host, ports, signal, read, ends = () => false }: Asking<Answer>,
): Promise<Answers<Answer>> {
  const answers: Answer[] = [];
  const failures: HookFailure[] = [];
  const ended = (isCancelled: boolean): Answers<Answer> => ({ answers, failures, isCancelled });
  const within = { ms: patience.hook, sleep: ports.sleep };
  for (const hook of hooks) {
    const told = event();
    const act = await attempted(async () => read(await hook(told)), { signal, within });
    if (act.type === "aborted") return ended(true);
    if (act.type === "done") {
      if (act.value !== null) answers.push(act.value);
      if (act.value !== null && ends(act.value)) return ended(false);
      continue;
    }
    const why = act.type === "late" ? `no answer within ${patience.hook / 1000} s` : act.why;
    failures.push({ event: told.type, why });
    reportTo(host, { event: told.type, why });
    if (host.onFailure === "cancel") return ended(true);
  }
  return ended(false);
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
