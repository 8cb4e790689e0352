/** How often hooks may have the model go on by themselves: so often, and then a person must say something. */

import type { AgentMessage } from "@pith/context";

export const MOST_NUDGES = 20;

export class Nudges {
  #count = 0;

  /** A person's word begins a new count; what an extension says of its own does not. */
  heard(said: readonly Pick<AgentMessage, "role">[]): void {
    if (said.some(({ role }) => role === "user")) this.#count = 0;
  }

  /** False where it was enough. */
  take(): boolean {
    this.#count += 1;
    return this.#count <= MOST_NUDGES;
  }
}
