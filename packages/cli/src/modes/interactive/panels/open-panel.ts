/** Runs an open panel: holds its state, passes keys to it, and resolves its answer. */

import { escapeControls } from "../../../text/safe-text.ts";
import { fitLine } from "../render/text.ts";
import { CURSOR_MARKER } from "../terminal/pi-tui.ts";
import { isCancelKey, type KeyResult, type Panel, type Viewport } from "./panel.ts";
import { isText } from "./typing.ts";

/** Makes a drawn line safe for the terminal: colours and the cursor marker stay, and nothing else controls it. */
export function sanitizePanelLine(line: string, width: number): string {
  const safe = line
    .split(OWN_SEQUENCES)
    // What splits comes along, at every second place.
    .map((piece, index) => (index % 2 === 1 ? piece : flattenText(piece)))
    .join("");
  return fitLine(safe, width);
}

const OWN_SEQUENCES = new RegExp(`(\\x1b\\[[\\d;]*m|${CURSOR_MARKER})`);

/** A line end or a tab in a name would move what stands below and beside it. */
function flattenText(text: string): string {
  return escapeControls(text).replaceAll("\n", " ").replaceAll("\t", "    ");
}

export interface OpenPanel {
  readonly where: "inline" | "page";
  /** Whether keys go to the editor, which is then seen below it. */
  readonly isTyping: boolean;
  render(viewport: Viewport): readonly string[];
  handleKey(key: string): KeyUse;
}

/** What became of a key: it was for the panel, for whoever types below it, or means nothing here. */
export type KeyUse = "used" | "typing" | "none";

export interface OpenPanelOptions {
  readonly where: "inline" | "page";
  /** Closes it without an answer. */
  readonly signal?: AbortSignal;
  /** Something else is to be seen now. */
  readonly onChange: () => void;
}

export type PanelWithAnswer<Answer> = OpenPanel & { readonly answer: Promise<Answer | null> };

export function openPanel<State, Answer>(
  panel: Panel<State, Answer>,
  options: OpenPanelOptions,
): PanelWithAnswer<Answer> {
  return new RunningPanel(panel, options);
}

class RunningPanel<State, Answer> implements OpenPanel {
  readonly where: "inline" | "page";
  readonly answer: Promise<Answer | null>;
  readonly #panel: Panel<State, Answer>;
  readonly #onChange: () => void;
  readonly #closing = new AbortController();
  readonly #result = Promise.withResolvers<Answer | null>();
  #state: State;
  #lastViewport: Viewport | undefined;

  constructor(panel: Panel<State, Answer>, { where, signal, onChange }: OpenPanelOptions) {
    this.#panel = panel;
    this.#state = panel.initialState;
    this.#onChange = onChange;
    this.where = where;
    this.answer = this.#result.promise;
    const end = this.#closing.signal;
    signal?.addEventListener("abort", () => this.#close(null), { once: true, signal: end });
    if (signal?.aborted) this.#close(null);
    else void panel.loadUpdates?.((update) => this.#update(update), end).catch(() => {});
  }

  get isTyping(): boolean {
    return this.#panel.isTyping?.(this.#state) ?? false;
  }

  render(viewport: Viewport): readonly string[] {
    this.#lastViewport = viewport;
    return this.#guard(() => this.#panel.render(this.#state, viewport), []).map((line) =>
      sanitizePanelLine(line, viewport.width),
    );
  }

  handleKey(key: string): KeyUse {
    // The panel is still drawn. Text that follows an answer goes to the editor; a second Enter or Esc is ignored.
    if (this.#closing.signal.aborted) return isText(key) ? "typing" : "used";
    const result = this.#guard(() => this.#panel.handleKey(this.#state, key, this.#lastViewport), null);
    if (result) return this.#applyResult(result);
    if (!isCancelKey(key)) return "none";
    this.#close(null);
    return "used";
  }

  #applyResult(result: KeyResult<State, Answer>): KeyUse {
    if (result.type === "answered") {
      this.#close(result.answer);
      return "used";
    }
    this.#state = result.state;
    // What could not be found out leaves the panel as it is.
    void result.loadUpdate?.(this.#closing.signal).then(
      (update) => this.#update(update),
      () => {},
    );
    return result.isTyping ? "typing" : "used";
  }

  #update(update: (state: State) => State): void {
    if (this.#closing.signal.aborted) return;
    this.#state = this.#guard(() => update(this.#state), this.#state);
    this.#onChange();
  }

  /** A panel that is broken is closed, and whoever asked hears of it. */
  #guard<Value>(run: () => Value, fallback: Value): Value {
    try {
      return run();
    } catch (error) {
      this.#closing.abort();
      this.#result.reject(error);
      return fallback;
    }
  }

  #close(answer: Answer | null): void {
    this.#closing.abort();
    this.#result.resolve(answer);
  }
}
