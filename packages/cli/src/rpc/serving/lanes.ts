/** In which order commands begin: those that speak one after the other, everything behind those that leave a session, and what stops something at once. */

import { within } from "../line/within.ts";

export type Lane = "speaking" | "leaving" | "urgent" | undefined;

export class Lanes {
  #speaking: Promise<unknown> = Promise.resolve();
  #leaving: Promise<unknown> = Promise.resolve();
  #open = 0;

  async run<Result>(lane: Lane, act: () => Promise<Result>): Promise<Result> {
    switch (lane) {
      case undefined:
        return await this.#leaving.then(act);
      case "urgent":
        return await this.#stopped(act);
      case "speaking": {
        const ran = this.#counted(Promise.all([this.#speaking, this.#leaving]).then(act));
        this.#speaking = ran.catch(() => {});
        return await ran;
      }
      case "leaving": {
        const ran = this.#counted(Promise.all([this.#speaking, this.#leaving]).then(act));
        this.#leaving = ran.catch(() => {});
        return await ran;
      }
    }
  }

  /** What was sent before it and has not begun yet is meant, too. */
  async #stopped<Result>(act: () => Promise<Result>): Promise<Result> {
    const isWaitedFor = this.#open > 0;
    const before = Promise.all([this.#speaking, this.#leaving]);
    const stopped = await act();
    if (!isWaitedFor) return stopped;
    // A command that waits for somebody, such as one of an extension, must not keep anybody from stopping.
    await within(PATIENCE_MS, before);
    return await act();
  }

  async #counted<Result>(act: Promise<Result>): Promise<Result> {
    this.#open += 1;
    return await act.finally(() => {
      this.#open -= 1;
    });
  }
}

const PATIENCE_MS = 1_000;
