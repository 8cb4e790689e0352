/** Acts that wait for the moment between two requests: then nothing is half said, and none has to be broken off for them. */

import type { AgentEvent } from "../events.ts";
import type { RunParts } from "./run-parts.ts";

export type Act<Outcome> = (parts: RunParts) => AsyncGenerator<AgentEvent, Outcome>;

export class Between {
  readonly #waiting: Act<void>[] = [];

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** What came of it, once its moment has come. */
  wait<Outcome>(act: Act<Outcome>): Promise<Outcome> {
    const outcome = Promise.withResolvers<Outcome>();
    this.#waiting.push(async function* (parts) {
      try {
        outcome.resolve(yield* act(parts));
      } catch (error) {
        // Whoever asked hears of it; the run it waited in has nothing to do with it.
        outcome.reject(error);
      }
    });
    return outcome.promise;
  }

  /** Does what waits, with the parts as each finds them: an act may change who speaks. */
  async *acts(parts: () => RunParts): AsyncGenerator<AgentEvent> {
    for (let act = this.#waiting.shift(); act; act = this.#waiting.shift()) yield* act(parts());
  }
}
