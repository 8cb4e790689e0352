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
  /** Null in plain mode, which reads input line by line. */
  readonly editor: MessageEditor | null;
  /** False if the screen cannot redraw. Commands then answer with text, as in print mode. */
  readonly hasPages: boolean;
  handleEvent(event: AgentEvent): void;
  update(updater: (state: ScreenState) => ScreenState): void;
  /** Adds a note to the transcript. The model does not see it. */
  showNote(text: string, tone?: NoteBlock["tone"]): void;
  /** Resolves with null if the panel is closed without an answer. `inline` replaces the editor, `page` covers the whole terminal. */
  showPanel<State, Answer>(panel: Panel<State, Answer>, options: PanelOptions): Promise<Answer | null>;
  /** The text in the editor. */
  readonly editorText: EditorText;
  /** Writes a control sequence that shows nothing, such as a title or clipboard data. Plain mode drops it: a screen reader would read it aloud. */
  writeSequence(sequence: string): void;
  /** Gives the terminal to another program until `run` has ended. */
  releaseTerminal<Value>(run: () => Promise<Value>): Promise<Value>;
}

export interface PanelOptions {
  readonly where: "inline" | "page";
  readonly signal?: AbortSignal;
  /** Set for a question. Keys from before it was drawn do not answer it, and keys that are no answer go to the editor. */
  readonly question?: QuestionKind;
}

/**
 * `unprompted`: the user did not open it, so it takes answers only when no key came for a moment after it was drawn.
 * `follow-up`: it follows an action of the user, so it takes answers as soon as it was drawn. `seen`: the user has already read it.
 */
export type QuestionKind = "unprompted" | "follow-up" | "seen";

export interface EditorText {
  readonly text: string;
  set(text: string): void;
  insert(text: string): void;
}

/** The screen and those parts of the app that an action needs. */
export interface SessionScreen<Parts extends keyof App = "agent"> {
  readonly app: Pick<App, Parts>;
  readonly screen: ScreenApi;
}

export interface InteractiveContext extends SessionScreen {
  readonly app: App;
  /** Continues with another session, or ends if `next` is null. Default reason: `resume`. */
  readonly leave: (next: CliArgs | null, reason?: SwitchReason) => void;
}

/** Why the screen changes to another session. */
export type SwitchReason = "new" | "resume" | "fork" | "reload";

/** A command with its own behaviour on a screen. Returns false if the command must run as in other modes. `args` is the text after its name. */
export type PanelCommand = (args: string, context: InteractiveContext) => Promise<boolean>;

/** Reports an error of `run` on the screen, so that the session continues. */
export async function reportErrors(run: () => Promise<void>, { screen, app }: SessionScreen): Promise<void> {
  try {
    await run();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const text = error instanceof AppendError ? message : `Internal error: ${message}`;
    screen.showNote(app.agent.session.redact(text), "bad");
  }
}
