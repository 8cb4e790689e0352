/** Runs work that emits events as an async generator, and waits for work until an abort. */

import type { Runtime } from "@pith/context";

export type EmitEvent<Event> = (event: Event) => void;

export interface RunWithEventsOptions<Event> {
  /** Called when whoever listened has gone before the end; the work is then waited for, so that it had better stop it. */
  readonly onEarlyReturn?: () => void;
  /** Whether something told later takes the place of something that nobody has taken yet. */
  readonly shouldReplace?: (earlier: Event, later: Event) => boolean;
  /** One event for the newest that nobody has taken yet and the one behind it; null where they stay two. */
  readonly merge?: (earlier: Event, later: Event) => Event | null;
}

/** Yields what the work emits, and returns its outcome. The work goes on whether or not its events are read. */
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

/** Null as soon as it is aborted, whether or not it ever ends. The awaited work goes on, and its outcome is dropped. */
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

export interface StopGraceOptions<Outcome> {
  readonly signal: AbortSignal;
  readonly runtime: Pick<Runtime, "sleep">;
  /** What came of it where it does not end in time. */
  readonly fallback: Outcome;
}

const STOP_GRACE_MS = 120;

/** After an abort, waits for the work only a moment longer: work that ignores its signal holds nothing up. */
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
    .then(() => fallback);
  try {
    return await Promise.race([work(), graceElapsed]);
  } finally {
    raceController.abort(RACE_OVER);
  }
}

/** A reason of our own: without one Node makes an error with a stack each time, which takes longer than the rest. */
const RACE_OVER = "over";
