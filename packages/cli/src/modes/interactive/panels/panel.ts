/** Defines `Panel`: a question or a page answered with keys, drawn as a pure function of its state. */

import { escapeControls } from "../../../text/safe-text.ts";
import { fitLine } from "../render/text.ts";
import type { Theme } from "../render/theme.ts";
import { parsePastedLine } from "../terminal/key-input.ts";
import { CURSOR_MARKER } from "../terminal/pi-tui.ts";

export interface Panel<State, Answer> {
  readonly initialState: State;
  /** What a key does; null where it means nothing here. `sight` is how it was last seen. */
  handleKey(state: State, key: string, viewport?: Viewport): KeyResult<State, Answer> | null;
  render(state: State, viewport: Viewport): readonly string[];
  /** Whether keys go to the editor, which is then seen below it. */
  isTyping?(state: State): boolean;
  /** The same question in words, for who answers by number: title, lines, and what can be chosen. Absent: it is answered with keys. */
  readonly plainQuestion?: PlainQuestion<Answer>;
  /** What it learns by itself, from when it is opened: each change is shown as it comes. */
  readonly loadUpdates?: (learn: (change: (state: State) => State) => void, signal: AbortSignal) => Promise<void>;
}

export interface PlainQuestion<Answer> {
  readonly title: string;
  readonly lines: (sight: Viewport) => readonly string[];
  readonly options: readonly PlainOption<Answer>[];
  /** What any line means, where there is nothing to choose from. */
  readonly parseLine?: (text: string) => Answer;
}

export interface PlainOption<Answer> {
  readonly label: string;
  readonly description?: string;
  readonly value: Answer;
}

export interface Viewport {
  readonly width: number;
  /** Rows there are; a panel may take fewer. */
  readonly height: number;
  readonly theme: Theme;
  /** The user types in the editor below, so hints on keys of the panel would be wrong. */
  readonly isTyping?: boolean;
}

export type KeyResult<State, Answer> = Continue<State> | Done<Answer>;

export interface Continue<State> {
  readonly type: "goes-on";
  readonly state: State;
  /** Something to find out for it, e.g. a search; what is found changes the state, if the panel is still there. */
  readonly loadUpdate?: (signal: AbortSignal) => Promise<(state: State) => State>;
  /** The key was meant for the editor below it, which gets it as well. */
  readonly isTyping?: boolean;
}

export interface Done<Answer> {
  readonly type: "answered";
  readonly answer: Answer;
}

/** Closes what is asked, where the panel has no use of its own for it. */
export function isCancelKey(key: string): boolean {
  return key === "escape" || key === "ctrl+c";
}

export function continueWith<State>(state: State): Continue<State> {
  return { type: "goes-on", state };
}

export function finishWith<Answer>(answer: Answer): Done<Answer> {
  return { type: "answered", answer };
}

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

/** A character or a paste; keys that are neither have names of several letters, such as `up`. */
export function isText(key: string): boolean {
  return (
    key === "space" ||
    parsePastedLine(key) !== null ||
    ([...segmenter.segment(key)].length === 1 && !/\p{Cc}/u.test(key))
  );
}

export const segmenter: Intl.Segmenter = new Intl.Segmenter();
