/** Who may ask when: a permission question is asked at once, and whatever extensions ask waits until none is open, one behind the other. */

export interface Turns {
  atOnce<Value>(act: () => Promise<Value>): Promise<Value>;
  /** Undefined where it was broken off before its turn came. */
  inTurn<Value>(act: () => Promise<Value>, signal: AbortSignal): Promise<Value | undefined>;
}

export function turns(): Turns {
  let urgent = 0;
  let last: Promise<unknown> = Promise.resolve();
  let free = Promise.withResolvers<void>();
  return {
    atOnce: async (act) => {
      urgent += 1;
      try {
        return await act();
      } finally {
        urgent -= 1;
        if (urgent === 0) {
          free.resolve();
          free = Promise.withResolvers();
        }
      }
    },
    inTurn: async (act, signal) => {
      const before = last;
      const turn = (async () => {
        await unlessAborted(before, signal);
        while (urgent > 0 && !signal.aborted) await unlessAborted(free.promise, signal);
        return signal.aborted ? undefined : await act();
      })();
      // Who gives up its turn does not let those behind it pass those before it.
      last = Promise.allSettled([before, turn]);
      return await turn;
    },
  };
}

async function unlessAborted(awaited: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const aborted = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => aborted.resolve(), { once: true });
  await Promise.race([awaited, aborted.promise]);
}
