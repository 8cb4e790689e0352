/** One thing at a time: what an agent does waits for what it was doing, is told to whoever listens, and can be stopped. */

import type { Session } from "@pith/context";
import type { AgentEvent, Listen } from "../events.ts";
import type { Secrets } from "../secrets.ts";
import { during, type Tell } from "../waiting/during.ts";
import { unlessAborted } from "../waiting/unless-aborted.ts";
import { NewEntries } from "./new-entries.ts";

export interface Turn<Outcome> {
  /** Done at once, before its turn has come. */
  readonly first?: () => Promise<void>;
  readonly act: (signal: AbortSignal) => AsyncGenerator<AgentEvent, Outcome>;
}

export interface TurnsParts {
  readonly listen?: Listen | undefined;
  /** Asked what was found with every entry that is told. */
  readonly secrets?: Pick<Secrets, "found"> | undefined;
}

export class Turns {
  readonly tell: Listen;
  readonly #session: Session;
  readonly #entries: NewEntries;
  readonly #secrets: Pick<Secrets, "found"> | undefined;
  readonly #stops = new Set<AbortController>();
  readonly #beforehand = new Set<AbortController>();
  #last: Promise<void> = Promise.resolve();

  constructor(session: Session, { listen = () => {}, secrets }: TurnsParts = {}) {
    this.#session = session;
    this.#entries = new NewEntries(session);
    this.#secrets = secrets;
    this.tell = undisturbed(listen);
  }

  get isBusy(): boolean {
    return this.#stops.size > 0;
  }

  /** After the abort nothing of it begins any more. */
  async abort(): Promise<void> {
    for (const stop of [...this.#stops, ...this.#beforehand]) stop.abort();
    await this.#last;
  }

  /** What is thought about before an act has a turn; it can be stopped like one. */
  async stoppable<Outcome>(work: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
    const stop = new AbortController();
    this.#beforehand.add(stop);
    try {
      return await work(stop.signal);
    } finally {
      this.#beforehand.delete(stop);
    }
  }

  /** An act in its turn. It does not wait for whoever takes what it tells; who stops taking it stops it. */
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
        return await this.#told(turn.act(stop.signal), { tell, signal: stop.signal });
      } finally {
        this.#stops.delete(stop);
        ended.resolve();
      }
    };
    return yield* during(work, { leave: () => stop.abort() });
  }

  #redactions(): readonly AgentEvent[] {
    const secrets = this.#secrets?.found() ?? [];
    return secrets.length === 0 ? [] : [{ type: "secrets_redacted", secrets }];
  }

  /** What was written since is told before what it led to. */
  async #told<Outcome>(
    events: AsyncGenerator<AgentEvent, Outcome>,
    { tell, signal }: { readonly tell: Tell<AgentEvent>; readonly signal: AbortSignal },
  ): Promise<Outcome> {
    for (;;) {
      const { done, value } = await events.next();
      // SEC11: whoever it comes from; a provider or a hook may complain of a secret.
      const next = done ? [] : [this.#session.redacted(value)];
      // A reply is told behind the pieces it was made of.
      const written = !done && value.type === "message_update" ? [] : this.#entries.take();
      for (const event of [...written, ...this.#redactions(), ...next]) {
        const heard = this.tell(event);
        // EVT6: who listens slowly slows it down, and yet cannot keep it from being stopped.
        if (heard) await unlessAborted(heard, signal);
        tell(event);
      }
      if (done) return value;
    }
  }
}

/** What a listener throws is its own affair: it comes to light, and nothing here ends because of it. */
function undisturbed(listen: Listen): Listen {
  const bring = (error: unknown): void =>
    queueMicrotask(() => {
      throw error;
    });
  return (event) => {
    try {
      return listen(event)?.catch(bring);
    } catch (error) {
      return bring(error);
    }
  };
}
