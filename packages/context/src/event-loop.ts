/** Runs long work in steps and yields to the event loop between them, so that no session blocks the others or the screen. */

import type { Runtime } from "./runtime.ts";

/** Work in steps. It yields how many characters each step has read; a step of unknown size yields `LONG_STEP`. */
export type Steps<Result> = Generator<number, Result>;

export const LONG_STEP: number = Number.POSITIVE_INFINITY;

/** Waits until the event loop has handled what is pending. Sessions that wait at once continue one after the other. */
export function yieldToEventLoop({ sleep }: Pick<Runtime, "sleep">): Promise<void> {
  lastYield = lastYield.then(() => sleep(0, {})).catch(() => undefined);
  return lastYield;
}

let lastYield: Promise<void> = Promise.resolve();

export interface PauseOptions {
  /** Whether short work runs without a pause. Default: the first pause is before the first step. */
  readonly startsAtOnce?: boolean;
}

/** Runs the steps, and yields to the event loop whenever they have taken a few milliseconds. */
export async function runWithPauses<Result>(
  steps: Steps<Result>,
  runtime: Pick<Runtime, "sleep">,
  { startsAtOnce = false }: PauseOptions = {},
): Promise<Result> {
  let chars = startsAtOnce ? 0 : LONG_STEP;
  for (;;) {
    if (chars >= CHARS_BETWEEN_PAUSES) {
      await yieldToEventLoop(runtime);
      chars = 0;
    }
    const step = steps.next();
    if (step.done) return step.value;
    chars += step.value;
  }
}

/** Takes a few milliseconds. */
const CHARS_BETWEEN_PAUSES = 60_000;

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
    return this.#computed ? this.#computed.value : runAtOnce(this.compute());
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
