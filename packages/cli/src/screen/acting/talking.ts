/** What acts within a talk work on: the session that is open, and the screen it is shown on. */

import type { Wish } from "../../asking/wish.ts";
import type { Desk } from "../../commands/command.ts";
import type { Ready } from "../../working/readied.ts";
import type { Stage } from "../stage.ts";

export interface Talking {
  readonly ready: Ready;
  readonly desk: Desk;
  readonly screen: Stage;
  /** Goes on with another session, or ends; that one exists already, unless it is said how one comes there. */
  readonly leave: (next: Wish | null, reason?: Way) => void;
}

/** How one comes to another session. */
export type Way = "new" | "resume" | "fork" | "reload";

/** What a command does where there is a screen: true where it was taken care of; false: it is run as anywhere. `words` stand behind its name. */
export type Opener = (words: string, talking: Talking) => Promise<boolean>;
