/** Divides long work into turns of the event loop, so that no session blocks the others or the screen. */

import type { Runtime } from "./runtime.ts";

/** Work in steps. It yields how many characters each step has read; a step of unknown size yields `LONG_STEP`. */
export type Steps<Result> = Generator<number, Result>;

export const LONG_STEP: number = Number.POSITIVE_INFINITY;

/** Waits for the next turn of the event loop. Concurrent sessions get one turn each, not the same one. */
export function takeTurn({ sleep }: Pick<Runtime, "sleep">): Promise<void> {
  lastTurn = lastTurn.then(() => sleep(0, {})).catch(() => undefined);
  return lastTurn;
}

let lastTurn: Promise<void> = Promise.resolve();

/** Runs the steps in as many turns as they need. */
export async function runInTurns<Result>(steps: Steps<Result>, runtime: Pick<Runtime, "sleep">): Promise<Result> {
  let chars = LONG_STEP;
  for (;;) {
    if (chars >= CHARS_PER_TURN) {
      await takeTurn(runtime);
      chars = 0;
    }
    const step = steps.next();
    if (step.done) return step.value;
    chars += step.value;
  }
}

/** Takes a few milliseconds. */
const CHARS_PER_TURN = 60_000;

/** Runs the steps without a pause. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** A value that is computed once: on first use, or in steps before it. */
export class LazyValue<Value> {
  readonly #steps: Steps<Value>;
  #computed: { readonly value: Value } | null = null;

  constructor(compute: () => Steps<Value>) {
    this.#steps = compute();
  }

  get(): Value {
    return runAtOnce(this.compute());
  }

  *compute(): Steps<Value> {
    while (!this.#computed) {
      const step = this.#steps.next();
      if (step.done) this.#computed = { value: step.value };
      else yield step.value;
    }
    return this.#computed.value;
  }
}
