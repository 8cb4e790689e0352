/** A session that an editor has open: the agent, what it can be told, and how it is stopped and left. */

import type { Desk } from "../../commands/command.ts";
import type { Ready } from "../../working/readied.ts";
import type { Sight, TellEditor } from "../updates/sight.ts";

export interface EditorSession {
  readonly id: string;
  readonly ready: Ready;
  readonly desk: Desk;
  readonly sight: Sight;
  readonly tell: TellEditor;
  /** How often the editor has stopped what was under way. */
  stops(): number;
  /** Comes back when it has ended. */
  stop(): Promise<void>;
  /** Comes back when the last stop has. */
  stopped(): Promise<void>;
  /** A run of the agent, which a stop waits for. */
  during<Outcome>(run: Promise<Outcome>): Promise<Outcome>;
  /** Tells what has changed of mode, model and thinking since it was last told. */
  tellChoices(): Promise<void>;
  close(): Promise<void>;
}
