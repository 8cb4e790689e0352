/** Calls whoever has turned away: when a question waits for them, and when work that took a while is done. */

import type { AgentEvent } from "@pith/agent";
import type { Environment } from "@pith/models";
import { callSequence, type Notify } from "./call-sequence.ts";
import { type Gaze, looksFor } from "./gaze.ts";

export interface NotifierParts {
  /** Writes to the terminal what is not to be seen. */
  readonly send: (sequence: string) => void;
  readonly gaze: () => Gaze;
  /** In milliseconds. */
  readonly now: () => number;
  readonly environment: Environment;
}

export class Notifier {
  #how: () => Notify | undefined = () => undefined;
  readonly #parts: NotifierParts;
  #since: number | null = null;

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  /** What the settings say now, which are read after the screen is there. */
  follow(how: () => Notify | undefined): void {
    this.#how = how;
  }

  hear(event: AgentEvent): void {
    if (event.type === "agent_start") this.#since ??= this.#parts.now();
    if (event.type !== "agent_settled") return;
    const took = this.#since === null ? 0 : this.#parts.now() - this.#since;
    this.#since = null;
    // Who stopped it knows.
    if (!event.aborted && took > LONG_MS && this.#looksFor() === 0) this.#call("the work is done");
  }

  /** Called as soon as nobody looks, unless what is returned is called before. */
  waits(text: string): () => void {
    let timer: NodeJS.Timeout | null = null;
    const look = (): void => {
      const looks = this.#looksFor();
      if (looks === 0) this.#call(text);
      else timer = setTimeout(look, Math.max(looks ?? AGAIN_MS, SHORTEST_MS)).unref();
    };
    look();
    return () => {
      if (timer) clearTimeout(timer);
    };
  }

  #looksFor(): number | null {
    return looksFor(this.#parts.gaze(), this.#parts.now());
  }

  #call(text: string): void {
    const sequence = callSequence(text, this.#how() ?? "bell", this.#parts.environment);
    if (sequence !== "") this.#parts.send(sequence);
  }
}

const LONG_MS = 10_000;
const SHORTEST_MS = 50;
/** Who looks now may turn away without an answer. */
const AGAIN_MS = 2_000;
