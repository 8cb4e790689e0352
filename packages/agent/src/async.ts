/** Runs work that emits events as an async generator, and waits for work until an abort. */

import type { Runtime } from "@pith/context";

export type EmitEvent<Event> = (event: Event) => void;

export interface RunWithEventsOptions<Event> {
  /** Called if the reader returns before the end. It should stop the work, which is awaited afterwards. */
  readonly onEarlyReturn?: () => void;
  /** Whether a later event replaces an earlier one that was not read yet. */
  readonly shouldReplace?: (earlier: Event, later: Event) => boolean;
  /** Merges the newest unread event with the next one; null if they stay two events. */
  readonly merge?: (earlier: Event, later: Event) => Event | null;
}

/** Yields the events of the work, and returns its outcome. The work does not wait for the reader. */
export async function* runWithEvents<Event, Outcome>(
  work: (emit: EmitEvent<Event>) => Promise<Outcome>,
  { onEarlyReturn = () => {}, shouldReplace, merge }: RunWithEventsOptions<Event> = {},
): AsyncGenerator<Event, Outcome> {
  let pending: Event[] = [];
  let isSettled = false;
  let wake = (): void => {};
  const emit = (event: Event): void => {
    const last = pending.at(-1);
    const merged = merge && last !== undefined ? merge(last, event) : null;
    const index = merged
      ? pending.length - 1
      : shouldReplace
        ? pending.findLastIndex((earlier) => shouldReplace(earlier, event))
        : -1;
    pending.splice(index < 0 ? pending.length : index, 1, merged ?? event);
    wake();
  };
  const outcome = work(emit).finally(() => {
    isSettled = true;
    wake();
  });
  const settled = outcome.then(
    () => undefined,
    () => undefined,
  );
  try {
    for (;;) {
      const batch = pending;
      pending = [];
      yield* batch;
      if (isSettled && pending.length === 0) return await outcome;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (isSettled || pending.length > 0) resolve();
      });
    }
  } finally {
    if (!isSettled) onEarlyReturn();
    await settled;
  }
}

/** Resolves to null as soon as the signal is aborted. The work continues, and its outcome is dropped. */
export async function raceAbort<Outcome>(work: Promise<Outcome>, signal: AbortSignal): Promise<Outcome | null> {
  const aborted = Promise.withResolvers<null>();
  const onAbort = (): void => aborted.resolve(null);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** After an abort, waits for the work a moment longer, then resolves to null. The work continues, and its outcome is dropped. */
export async function raceStop<Outcome>(work: Promise<Outcome>, signal: AbortSignal): Promise<Outcome | null> {
  const elapsed = Promise.withResolvers<null>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => elapsed.resolve(null), OWN_STOP_MS);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([work, elapsed.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** Shorter than `STOP_GRACE_MS`, so that a tool can still return what it has. */
const OWN_STOP_MS = 60;

export interface StopGraceOptions<Outcome> {
  readonly signal: AbortSignal;
  readonly runtime: Pick<Runtime, "sleep">;
  /** Returns the outcome if the work does not end in time. */
  readonly fallback: () => Outcome;
}

const STOP_GRACE_MS = 120;

/** After an abort, waits for the work only a moment longer, so that work that ignores its signal does not block. */
export async function withStopGrace<Outcome>(
  work: () => Promise<Outcome>,
  { signal, runtime, fallback }: StopGraceOptions<Outcome>,
): Promise<Outcome> {
  const raceController = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { signal: raceController.signal });
  });
  const graceElapsed = stopped
    .then(() => runtime.sleep(STOP_GRACE_MS, { signal: raceController.signal }))
    .then(fallback);
  try {
    return await Promise.race([work(), graceElapsed]);
  } finally {
    raceController.abort(RACE_OVER);
  }
}

/** Without a reason, Node creates an error with a stack trace, which is slow. */
const RACE_OVER = "over";
