/** Lets so many in at once; the others wait in the order they came. */

export class Gate {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async through<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    if (this.#inside >= this.#most) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#inside += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // Whoever waited takes the place over.
      if (next) next();
      else this.#inside -= 1;
    }
  }
}
