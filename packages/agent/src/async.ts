/** Runs work that emits events as an async generator, and waits for work until an abort. */

import type { Runtime } from "@pith/context";

export type Tell<Event> = (event: Event) => void;

export interface Manner<Event> {
  /** Called when whoever listened has gone before the end; the work is then waited for, so that it had better stop it. */
  readonly leave?: () => void;
  /** Whether something told later takes the place of something that nobody has taken yet. */
  readonly replaces?: (earlier: Event, later: Event) => boolean;
  /** One event for the newest that nobody has taken yet and the one behind it; null where they stay two. */
  readonly merge?: (earlier: Event, later: Event) => Event | null;
}

/** Yields what the work emits, and returns its outcome. The work goes on whether or not its events are read. */
export async function* during<Event, Outcome>(
  work: (tell: Tell<Event>) => Promise<Outcome>,
  { leave = () => {}, replaces, merge }: Manner<Event> = {},
): AsyncGenerator<Event, Outcome> {
  let told: Event[] = [];
  let isOver = false;
  let wake = (): void => {};
  const tell = (event: Event): void => {
    const last = told.at(-1);
    const merged = merge && last !== undefined ? merge(last, event) : null;
    const at = merged ? told.length - 1 : replaces ? told.findLastIndex((earlier) => replaces(earlier, event)) : -1;
    told.splice(at < 0 ? told.length : at, 1, merged ?? event);
    wake();
  };
  const outcome = work(tell).finally(() => {
    isOver = true;
    wake();
  });
  const ended = outcome.then(
    () => undefined,
    () => undefined,
  );
  try {
    for (;;) {
      const heard = told;
      told = [];
      yield* heard;
      if (isOver && told.length === 0) return await outcome;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (isOver || told.length > 0) resolve();
      });
    }
  } finally {
    if (!isOver) leave();
    await ended;
  }
}

/** Null as soon as it is aborted, whether or not it ever ends. The awaited work goes on, and its outcome is dropped. */
export async function unlessAborted<Outcome>(awaited: Promise<Outcome>, signal: AbortSignal): Promise<Outcome | null> {
  const aborted = Promise.withResolvers<null>();
  const breakOff = (): void => aborted.resolve(null);
  if (signal.aborted) breakOff();
  signal.addEventListener("abort", breakOff);
  try {
    return await Promise.race([aborted.promise, awaited]);
  } finally {
    signal.removeEventListener("abort", breakOff);
  }
}

export interface Stopping<Outcome> {
  readonly signal: AbortSignal;
  readonly ports: Pick<Runtime, "sleep">;
  /** What came of it where it does not end in time. */
  readonly otherwise: Outcome;
}

const MOMENT_MS = 120;

/** After an abort, waits for the work only a moment longer: work that ignores its signal holds nothing up. */
export async function untilStopped<Outcome>(
  work: () => Promise<Outcome>,
  { signal, ports, otherwise }: Stopping<Outcome>,
): Promise<Outcome> {
  const over = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { signal: over.signal });
  });
  const late = stopped.then(() => ports.sleep(MOMENT_MS, { signal: over.signal })).then(() => otherwise);
  try {
    return await Promise.race([work(), late]);
  } finally {
    over.abort(OVER);
  }
}

/** A reason of our own: without one Node makes an error with a stack each time, which takes longer than the rest. */
const OVER = "over";
