/** The session that extensions act on: none before it begins, and none after it was left. */

import type { ExtensionActs } from "../extensions.ts";

export class Binding {
  #acts: ExtensionActs | null = null;
  #isLeft = false;

  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Null before there is a session; that of one that was left can still be looked at. */
  get bound(): ExtensionActs | null {
    return this.#acts;
  }

  bind(acts: ExtensionActs): void {
    this.#acts = acts;
    this.#isLeft = false;
  }

  leave(): void {
    this.#isLeft = true;
  }

  /** Throws, to whoever wants to act, where there is nothing to act on. */
  acts(): ExtensionActs {
    if (this.#isLeft) throw new Error(LEFT);
    if (!this.#acts) throw new Error(EARLY);
    return this.#acts;
  }
}

export const LEFT = "this session was left: nothing was done";
export const EARLY = "there is no session yet: do this from session_start on";
