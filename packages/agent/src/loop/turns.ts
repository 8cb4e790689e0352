/** One thing at a time: what an agent does waits for what it was doing, is told to whoever listens, and can be stopped. */

import type { Session } from "@pith/context";
import type { AgentEvent } from "../events.ts";
import { during, type Tell } from "./during.ts";
import { NewEntries } from "./new-entries.ts";

export interface Turn<Outcome> {
  /** Done at once, before its turn has come. */
  readonly first?: () => Promise<void>;
  readonly act: (signal: AbortSignal) => AsyncGenerator<AgentEvent, Outcome>;
}

export class Turns {
  readonly tell: Tell<AgentEvent>;
  readonly #entries: NewEntries;
  readonly #stops = new Set<AbortController>();
  #last: Promise<void> = Promise.resolve();

  constructor(session: Session, listen: Tell<AgentEvent> = () => {}) {
    this.#entries = new NewEntries(session);
    this.tell = undisturbed(listen);
  }

  get isBusy(): boolean {
    return this.#stops.size > 0;
  }

  /** After the abort nothing of it begins any more. */
  async abort(): Promise<void> {
    for (const stop of this.#stops) stop.abort();
    await this.#last;
  }

  /** An act in its turn. It does not wait for whoever listens; who stops listening stops it. */
  async *take<Outcome>(turn: Turn<Outcome>): AsyncGenerator<AgentEvent, Outcome> {
    const stop = new AbortController();
    const before = this.#last;
    const ended = Promise.withResolvers<void>();
    this.#last = ended.promise;
    this.#stops.add(stop);
    const work = async (tell: Tell<AgentEvent>): Promise<Outcome> => {
      try {
        await turn.first?.();
        await before;
        return await this.#told(turn.act(stop.signal), tell);
      } finally {
        this.#stops.delete(stop);
        ended.resolve();
      }
    };
    return yield* during(work, () => stop.abort());
  }

  /** What was written since is told before what it led to. */
  async #told<Outcome>(events: AsyncGenerator<AgentEvent, Outcome>, tell: Tell<AgentEvent>): Promise<Outcome> {
    for (;;) {
      const { done, value } = await events.next();
      const written = this.#entries.take().map((entry): AgentEvent => ({ type: "entry_appended", entry }));
      for (const event of done ? written : [...written, value]) {
        this.tell(event);
        tell(event);
      }
      if (done) return value;
    }
  }
}

/** What a listener throws is its own affair: it comes to light, and nothing here ends because of it. */
function undisturbed(listen: Tell<AgentEvent>): Tell<AgentEvent> {
  return (event) => {
    try {
      listen(event);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}
