/** Draws anew once a second while something is under way, since its line says for how long; nothing ticks while nothing is. */

import type { Work } from "../state/screen-state.ts";

export class Ticking {
  readonly #tick: () => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(tick: () => void) {
    this.#tick = tick;
  }

  follow({ type }: Work): void {
    if (type === "idle") this.stop();
    else this.#timer ??= setInterval(this.#tick, SECOND).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }
}

const SECOND = 1_000;
