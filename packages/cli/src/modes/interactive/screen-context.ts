/** Defines what actions can do with a screen (`Stage`) and with the session on it (`Talking`), and reports their errors. */

import { type AgentEvent, AppendError } from "@pith/agent";
import type { Ready } from "../../app/start.ts";
import type { Wish } from "../../args/args.ts";
import type { Desk } from "../../commands/command.ts";
import type { WritingEditor } from "./editor/editor.ts";
import type { Panel } from "./panels/panel.ts";
import type { Note } from "./state/blocks.ts";
import type { ScreenState } from "./state/screen-state.ts";

export interface Stage {
  readonly state: ScreenState;
  /** Where one types; null where lines are read one by one. */
  readonly editor: WritingEditor | null;
  /** False where nothing is ever drawn anew: commands answer in words there, as in print mode. */
  readonly hasPages: boolean;
  /** What happened is shown. */
  hear(event: AgentEvent): void;
  change(change: (state: ScreenState) => ScreenState): void;
  /** A line or more in the transcript, which no model sees. */
  tell(text: string, tone?: Note["tone"]): void;
  /** Null where it was closed without an answer. `inline` stands in place of the editor, `page` over the whole terminal. */
  ask<State, Answer>(panel: Panel<State, Answer>, asking: Asking): Promise<Answer | null>;
  /** The words that are being typed. */
  readonly words: Words;
  /** For the terminal itself, and nothing to be seen, such as a title or the clipboard; dropped where it would be read out. */
  send(sequence: string): void;
  /** The terminal belongs to another program until it has ended. */
  lend<Value>(act: () => Promise<Value>): Promise<Value>;
}

export interface Asking {
  readonly where: "inline" | "page";
  readonly signal?: AbortSignal;
}

export interface Words {
  readonly text: string;
  set(text: string): void;
  insert(text: string): void;
}

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

/** Reports an error of `act` on the screen, so that the session goes on. */
export async function survived(act: () => Promise<void>, { screen, ready }: Talking): Promise<void> {
  try {
    await act();
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const told = error instanceof AppendError ? words : `this must not happen: ${words}`;
    screen.tell(ready.built.agent.session.redact(told), "bad");
  }
}
