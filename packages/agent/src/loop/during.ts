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
  // Whoever stops listening leaves the work to its end; how it fails is told at the end.
  outcome.catch(() => undefined);
  for (;;) {
    for (let next = told.shift(); next !== undefined; next = told.shift()) yield next;
    if (isOver) return outcome;
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (isOver || told.length > 0) resolve();
    });
  }
}
