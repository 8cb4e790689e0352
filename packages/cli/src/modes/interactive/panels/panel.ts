/** Defines `Panel`, a question or page that is a pure function of its state, and opens panels. */

import { escapeControls } from "@pith/host/text/safe-text";
import { fitLine } from "../render/text.ts";
import type { Theme } from "../render/theme.ts";
import { parsePastedLine } from "../terminal/key-input.ts";
import { CURSOR_MARKER } from "../terminal/pi-tui.ts";

export interface Panel<State, Answer> {
  readonly initialState: State;
  /** Null if the panel does not use the key. `viewport` is the argument of the last `render`. Absent before the first. */
  handleKey(state: State, key: string, viewport?: Viewport): KeyResult<State, Answer> | null;
  render(state: State, viewport: Viewport): readonly string[];
  /** Whether keys go to the editor, which is then visible below the panel. */
  isTyping?(state: State): boolean;
  /** The same question as plain text, for screens where the user answers with a number. Absent if the panel needs keys. */
  readonly plainQuestion?: PlainQuestion<Answer>;
  /** Starts when the panel opens. Calls `update` for each change of the state. */
  readonly loadUpdates?: LoadUpdates<State>;
  /** The same, but starts when the panel was first drawn. */
  readonly onDrawn?: LoadUpdates<State>;
}

type LoadUpdates<State> = (update: (change: (state: State) => State) => void, signal: AbortSignal) => Promise<void>;

export interface PlainQuestion<Answer> {
  readonly title: string;
  readonly lines: (viewport: Viewport) => readonly string[];
  readonly options: readonly PlainOption<Answer>[];
  /** What 0 does. Default: `cancel`. */
  readonly cancelLabel?: string;
  /** Converts a typed line to an answer, for a question without options. */
  readonly parseLine?: (text: string) => Answer;
}

export interface PlainOption<Answer> {
  readonly label: string;
  readonly description?: string;
  readonly value: Answer;
}

export interface Viewport {
  readonly width: number;
  /** The available rows. A panel may use fewer. */
  readonly height: number;
  readonly theme: Theme;
  /** Keys do not answer the panel now, so it must not show hints about them. */
  readonly isTyping?: boolean;
}

export type KeyResult<State, Answer> = Continue<State> | Done<Answer>;

export interface Continue<State> {
  readonly type: "continue";
  readonly state: State;
  /** Asynchronous work, e.g. a search. Its result changes the state if the panel is still open. */
  readonly loadUpdate?: (signal: AbortSignal) => Promise<(state: State) => State>;
  /** The key is also passed to the editor below. */
  readonly isTyping?: boolean;
  /** The key was pressed before the question could be read, so it works as if the panel were not open. */
  readonly isEarly?: true;
}

export interface Done<Answer> {
  readonly type: "done";
  readonly answer: Answer;
}

/** Closes a panel that does not use the key itself. */
export function isCancelKey(key: string): boolean {
  return key === "escape" || key === "ctrl+c";
}

export function continueWith<State>(state: State): Continue<State> {
  return { type: "continue", state };
}

export function finishWith<Answer>(answer: Answer): Done<Answer> {
  return { type: "done", answer };
}

/** Makes a drawn line safe for the terminal: colours and the cursor marker stay, and nothing else controls it. */
export function sanitizePanelLine(line: string, width: number): string {
  const safe = line
    .split(OWN_SEQUENCES)
    // The separators are the pieces with odd indexes.
    .map((piece, index) => (index % 2 === 1 ? piece : flattenText(piece)))
    .join("");
  return fitLine(safe, width);
}

const OWN_SEQUENCES = new RegExp(`(\\x1b\\[[\\d;]*m|${CURSOR_MARKER})`);

/** A line break or a tab in a name would shift the text below and beside it. */
function flattenText(text: string): string {
  return escapeControls(text).replaceAll("\n", " ").replaceAll("\t", "    ");
}

export interface OpenPanel {
  readonly where: "inline" | "page";
  /** Whether keys go to the editor, which is then visible below the panel. */
  readonly isTyping: boolean;
  render(viewport: Viewport): readonly string[];
  handleKey(key: string): KeyUse;
}

/** `used`: by the panel. `typing`: for the editor below it. `early`: for what is below the panel. `none`: by neither. */
export type KeyUse = "used" | "typing" | "early" | "none";

export interface OpenPanelOptions {
  readonly where: "inline" | "page";
  /** Closes the panel without an answer. */
  readonly signal?: AbortSignal;
  /** Called when the panel must be drawn again. */
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
  readonly #closeController = new AbortController();
  readonly #result = Promise.withResolvers<Answer | null>();
  #state: State;
  #lastViewport: Viewport | undefined;

  constructor(panel: Panel<State, Answer>, { where, signal, onChange }: OpenPanelOptions) {
    this.#panel = panel;
    this.#state = panel.initialState;
    this.#onChange = onChange;
    this.where = where;
    this.answer = this.#result.promise;
    const closeSignal = this.#closeController.signal;
    signal?.addEventListener("abort", () => this.#close(null), { once: true, signal: closeSignal });
    if (signal?.aborted) this.#close(null);
    else this.#startUpdates(panel.loadUpdates);
  }

  get isTyping(): boolean {
    return this.#panel.isTyping?.(this.#state) ?? false;
  }

  render(viewport: Viewport): readonly string[] {
    const isFirst = this.#lastViewport === undefined;
    this.#lastViewport = viewport;
    const lines = this.#guard(() => this.#panel.render(this.#state, viewport), []);
    if (isFirst) this.#startUpdates(this.#panel.onDrawn);
    return lines.map((line) => sanitizePanelLine(line, viewport.width));
  }

  #startUpdates(loadUpdates: LoadUpdates<State> | undefined): void {
    const { signal } = this.#closeController;
    if (!signal.aborted) void loadUpdates?.((change) => this.#update(change), signal).catch(() => {});
  }

  handleKey(key: string): KeyUse {
    // The panel is still drawn. Text that follows an answer goes to the editor; a second Enter or Esc is ignored.
    if (this.#closeController.signal.aborted) return isText(key) ? "typing" : "used";
    const result = this.#guard(() => this.#panel.handleKey(this.#state, key, this.#lastViewport), null);
    if (result) return this.#applyResult(result);
    if (!isCancelKey(key)) return "none";
    this.#close(null);
    return "used";
  }

  #applyResult(result: KeyResult<State, Answer>): KeyUse {
    if (result.type === "done") {
      this.#close(result.answer);
      return "used";
    }
    this.#state = result.state;
    // If the load fails, the panel stays as it is.
    void result.loadUpdate?.(this.#closeController.signal).then(
      (change) => this.#update(change),
      () => {},
    );
    if (result.isEarly) return "early";
    return result.isTyping ? "typing" : "used";
  }

  #update(change: (state: State) => State): void {
    if (this.#closeController.signal.aborted) return;
    this.#state = this.#guard(() => change(this.#state), this.#state);
    this.#onChange();
  }

  /** If a panel throws, it is closed, and its `answer` rejects with the error. */
  #guard<Value>(run: () => Value, fallback: Value): Value {
    try {
      return run();
    } catch (error) {
      this.#closeController.abort();
      this.#result.reject(error);
      return fallback;
    }
  }

  #close(answer: Answer | null): void {
    this.#closeController.abort();
    this.#result.resolve(answer);
  }
}

/** Whether the key is a character or a paste. Other keys have names of several letters, such as `up`. */
export function isText(key: string): boolean {
  return (
    key === "space" ||
    parsePastedLine(key) !== null ||
    ([...segmenter.segment(key)].length === 1 && !/\p{Cc}/u.test(key))
  );
}

const segmenter: Intl.Segmenter = new Intl.Segmenter();
