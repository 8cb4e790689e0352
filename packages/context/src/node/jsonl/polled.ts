/** What is new, asked for again and again until nobody listens any more. */

export interface Following {
  readonly signal: AbortSignal;
  /** Milliseconds between two looks that find nothing. */
  readonly every?: number;
}

export async function* polled<Item>(
  { signal, every = 100 }: Following,
  /** Null ends it. */
  fresh: () => Promise<readonly Item[] | null>,
): AsyncGenerator<readonly Item[]> {
  while (!signal.aborted) {
    const items = await fresh();
    if (items === null) return;
    if (items.length > 0) yield items;
    else await pause(every, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
