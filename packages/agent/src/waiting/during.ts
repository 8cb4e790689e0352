/** Work that tells what it does: what it tells as it comes, and at the end what came of it. It goes on whether or not anybody listens. */

export type Tell<Event> = (event: Event) => void;

export interface Manner<Event> {
  /** Called when whoever listened has gone before the end; the work is then waited for, so that it had better stop it. */
  readonly leave?: () => void;
  /** Whether something told later takes the place of something that nobody has taken yet. */
  readonly replaces?: (earlier: Event, later: Event) => boolean;
}

export async function* during<Event, Outcome>(
  work: (tell: Tell<Event>) => Promise<Outcome>,
  { leave = () => {}, replaces }: Manner<Event> = {},
): AsyncGenerator<Event, Outcome> {
  let told: Event[] = [];
  let isOver = false;
  let wake = (): void => {};
  const tell = (event: Event): void => {
    const at = replaces ? told.findLastIndex((earlier) => replaces(earlier, event)) : -1;
    told.splice(at < 0 ? told.length : at, 1, event);
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
