/** Work that tells what it does: what it tells as it comes, and at the end what came of it. */

export type Tell<Event> = (event: Event) => void;

export async function* during<Event, Outcome>(
  work: (tell: Tell<Event>) => Promise<Outcome>,
): AsyncGenerator<Event, Outcome> {
  const told: Event[] = [];
  let isOver = false;
  let wake = (): void => {};
  const tell = (event: Event): void => {
    told.push(event);
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
      for (let next = told.shift(); next !== undefined; next = told.shift()) yield next;
      if (isOver) return await outcome;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (isOver || told.length > 0) resolve();
      });
    }
  } finally {
    // Whoever stops listening stops the work, and waits for its end: nothing is written behind the back of what comes next.
    await ended;
  }
}
