/** How the program tells what happens: to people or to programs. Everything else is the same for both. */

import type { Agent, Listen, RunEnd, Tool } from "@pith/agent";
import type { Answer } from "../commands/command.ts";

export interface Voice {
  /** Everything that happens, in a run or beside one. */
  readonly listen: Listen;
  /** A session is open from now on. */
  opened(scene: Scene): void;
  /** What a command answered; what went wrong with telling it, or null. */
  answered(command: string, answer: Answer): Promise<string | null>;
  /** The end of all that was to be done; null where no model was to speak. How it ended, telling it included. */
  ended(end: RunEnd | null): Promise<RunEnd | null>;
  /** Why the program ends without having done it; it is told to people as well. */
  failed(message: string): Promise<void>;
  /** Whether nobody listens any more, so that the work was stopped. */
  readonly isUnheard: boolean;
}

export interface Scene {
  readonly agent: Agent;
  readonly tools: readonly Tool[];
  /** Its file; null where nothing is kept. */
  readonly sessionPath: string | null;
  /** How to go on afterwards; null where nothing is kept. */
  readonly next: string | null;
  /** Flags that must be said again then. */
  readonly flags: string;
}
