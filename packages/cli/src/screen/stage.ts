/** What acts on a screen can do with it: tell something, ask something, and put words before the person. */

import type { Panel } from "./panels/panel.ts";
import type { Note } from "./state/block.ts";
import type { ScreenState } from "./state/screen-state.ts";

export interface Stage {
  readonly state: ScreenState;
  change(change: (state: ScreenState) => ScreenState): void;
  /** A line or more in the transcript, which no model sees. */
  tell(text: string, tone?: Note["tone"]): void;
  /** Null where it was closed without an answer. `inline` stands in place of the editor, `page` over the whole terminal. */
  ask<State, Answer>(panel: Panel<State, Answer>, asking: Asking): Promise<Answer | null>;
  /** The words that are being typed. */
  readonly words: Words;
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
