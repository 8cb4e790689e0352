/** One thing at a time: what an agent does waits for what it was doing, is told to whoever listens, and can be stopped. */

import type { Session } from "@pith/context";
import type { AgentEvent } from "../events.ts";
import { NewEntries } from "./new-entries.ts";

type Listener = (event: AgentEvent) => void;

export class Turns {
  readonly #entries: NewEntries;
  readonly #listen: Listener;
  readonly #stops = new Set<AbortController>();
  #last: Promise<void> = Promise.resolve();

  constructor(session: Session, listen: Listener = () => {}) {
    this.#entries = new NewEntries(session);
    this.#listen = listen;
  }

  get isBusy(): boolean {
    return this.#stops.size > 0;
  }

  tell(event: AgentEvent): void {
    this.#listen(event);
  }

  /** After the abort nothing of it begins any more. */
  async abort(): Promise<void> {
    for (const stop of this.#stops) stop.abort();
    await this.#last;
  }

  /** An act in its turn. Whoever stops listening stops it. */
  async *take<Outcome>(
    act: (signal: AbortSignal) => AsyncGenerator<AgentEvent, Outcome>,
  ): AsyncGenerator<AgentEvent, Outcome> {
    const stop = new AbortController();
    const before = this.#last;
    const ended = Promise.withResolvers<void>();
    this.#last = ended.promise;
    this.#stops.add(stop);
    await before;
    const events = act(stop.signal);
    try {
      for (;;) {
        const next = await events.next();
        yield* this.#told(next.done ? null : next.value);
        if (next.done) return next.value;
      }
    } finally {
      stop.abort();
      // It ends before the next begins, also where nobody listens any more.
      await events.return(undefined as Outcome);
      this.#stops.delete(stop);
      ended.resolve();
    }
  }

  /** What was written since is told before what it led to. */
  *#told(event: AgentEvent | null): Generator<AgentEvent> {
    const written = this.#entries.take().map((entry): AgentEvent => ({ type: "entry_appended", entry }));
    for (const each of event ? [...written, event] : written) {
      this.#listen(each);
      yield each;
    }
  }
}
