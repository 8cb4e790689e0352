/** The few pages read last, so that going on in one does not fetch it again, changed perhaps. */

import type { Readable } from "./reading/readable.ts";

export class Pages {
  readonly #kept = new Map<string, Readable>();

  find(url: string): Readable | null {
    return this.#kept.get(url) ?? null;
  }

  keep(url: string, page: Readable): void {
    this.#kept.delete(url);
    this.#kept.set(url, page);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_PAGES && oldest !== undefined) this.#kept.delete(oldest);
  }
}

const MOST_PAGES = 4;
