/** Defines what actions can do with a screen (`ScreenApi`) and with the session on it (`InteractiveContext`), and reports their errors. */

import { type AgentEvent, AppendError } from "@pith/agent";
import type { App } from "../../app/start.ts";
import type { CliArgs } from "../../args/args.ts";
import type { MessageEditor } from "./editor/editor.ts";
import type { Panel } from "./panels/panel.ts";
import type { NoteBlock } from "./state/blocks.ts";
import type { ScreenState } from "./state/screen-state.ts";

export interface ScreenApi {
  readonly state: ScreenState;
  /** Where one types; null where lines are read one by one. */
  readonly editor: MessageEditor | null;
  /** False where nothing is ever drawn anew: commands answer in words there, as in print mode. */
  readonly hasPages: boolean;
  /** What happened is shown. */
  handleEvent(event: AgentEvent): void;
  update(updater: (state: ScreenState) => ScreenState): void;
  /** A line or more in the transcript, which no model sees. */
  showNote(text: string, tone?: NoteBlock["tone"]): void;
  /** Null where it was closed without an answer. `inline` stands in place of the editor, `page` over the whole terminal. */
  showPanel<State, Answer>(panel: Panel<State, Answer>, options: PanelOptions): Promise<Answer | null>;
  /** The words that are being typed. */
  readonly editorText: EditorText;
  /** For the terminal itself, and nothing to be seen, such as a title or the clipboard; dropped where it would be read out. */
  writeSequence(sequence: string): void;
  /** The terminal belongs to another program until it has ended. */
  releaseTerminal<Value>(run: () => Promise<Value>): Promise<Value>;
}

export interface PanelOptions {
  readonly where: "inline" | "page";
  readonly signal?: AbortSignal;
}

export interface EditorText {
  readonly text: string;
  set(text: string): void;
  insert(text: string): void;
}

export interface InteractiveContext {
  readonly app: App;
  readonly screen: ScreenApi;
  /** Goes on with another session, or ends; that one exists already, unless it is said how one comes there. */
  readonly leave: (next: CliArgs | null, reason?: SwitchReason) => void;
}

/** How one comes to another session. */
export type SwitchReason = "new" | "resume" | "fork" | "reload";

/** What a command does where there is a screen: true where it was taken care of; false: it is run as anywhere. `words` stand behind its name. */
export type PanelCommand = (args: string, context: InteractiveContext) => Promise<boolean>;

/** Reports an error of `act` on the screen, so that the session goes on. */
export async function reportErrors(run: () => Promise<void>, { screen, app }: InteractiveContext): Promise<void> {
  try {
    await run();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const text = error instanceof AppendError ? message : `this must not happen: ${message}`;
    screen.showNote(app.agent.session.redact(text), "bad");
  }
}
