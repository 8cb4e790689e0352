/** What acts on a screen can do with it: tell something, ask something, and put words before the person. */

import type { AgentEvent } from "@pith/agent";
import type { Panel } from "./panels/panel.ts";
import type { Note } from "./state/block.ts";
import type { ScreenState } from "./state/screen-state.ts";
import type { WritingEditor } from "./typing/writing-editor.ts";

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
