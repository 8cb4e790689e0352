/** Runs an open panel: holds its state, passes keys to it, and resolves its answer. */

import { plain } from "../../../text/safe-text.ts";
import { fitted } from "../render/text.ts";
import { CURSOR_MARKER } from "../terminal/pi-tui.ts";
import { isWayOut, type Panel, type Pressed, type Sight } from "./panel.ts";
import { isText } from "./typing.ts";

/** Makes a drawn line safe for the terminal: colours and the cursor marker stay, and nothing else controls it. */
export function tamed(line: string, width: number): string {
  const safe = line
    .split(OURS)
    // What splits comes along, at every second place.
    .map((piece, at) => (at % 2 === 1 ? piece : inOneLine(piece)))
    .join("");
  return fitted(safe, width);
}

const OURS = new RegExp(`(\\x1b\\[[\\d;]*m|${CURSOR_MARKER})`);

/** A line end or a tab in a name would move what stands below and beside it. */
function inOneLine(text: string): string {
  return plain(text).replaceAll("\n", " ").replaceAll("\t", "    ");
}

export interface OpenPanel {
  readonly where: "inline" | "page";
  /** Whether keys go to the editor, which is then seen below it. */
  readonly isTyping: boolean;
  draw(sight: Sight): readonly string[];
  press(key: string): Use;
}

/** What became of a key: it was for the panel, for whoever types below it, or means nothing here. */
export type Use = "used" | "typing" | "none";

export interface Opening {
  readonly where: "inline" | "page";
  /** Closes it without an answer. */
  readonly signal?: AbortSignal;
  /** Something else is to be seen now. */
  readonly changed: () => void;
}

export type Asked<Answer> = OpenPanel & { readonly answer: Promise<Answer | null> };

export function openPanel<State, Answer>(panel: Panel<State, Answer>, opening: Opening): Asked<Answer> {
  return new Opened(panel, opening);
}

class Opened<State, Answer> implements OpenPanel {
  readonly where: "inline" | "page";
  readonly answer: Promise<Answer | null>;
  readonly #panel: Panel<State, Answer>;
  readonly #changed: () => void;
  readonly #closing = new AbortController();
  readonly #answering = Promise.withResolvers<Answer | null>();
  #state: State;
  #seen: Sight | undefined;

  constructor(panel: Panel<State, Answer>, { where, signal, changed }: Opening) {
    this.#panel = panel;
    this.#state = panel.start;
    this.#changed = changed;
    this.where = where;
    this.answer = this.#answering.promise;
    const end = this.#closing.signal;
    signal?.addEventListener("abort", () => this.#close(null), { once: true, signal: end });
    if (signal?.aborted) this.#close(null);
    else void panel.learns?.((change) => this.#learn(change), end).catch(() => {});
  }

  get isTyping(): boolean {
    return this.#panel.isTyping?.(this.#state) ?? false;
  }

  draw(sight: Sight): readonly string[] {
    this.#seen = sight;
    return this.#whole(() => this.#panel.draw(this.#state, sight), []).map((line) => tamed(line, sight.width));
  }

  press(key: string): Use {
    // The panel is still drawn. Text that follows an answer goes to the editor; a second Enter or Esc is ignored.
    if (this.#closing.signal.aborted) return isText(key) ? "typing" : "used";
    const pressed = this.#whole(() => this.#panel.press(this.#state, key, this.#seen), null);
    if (pressed) return this.#act(pressed);
    if (!isWayOut(key)) return "none";
    this.#close(null);
    return "used";
  }

  #act(pressed: Pressed<State, Answer>): Use {
    if (pressed.type === "answered") {
      this.#close(pressed.answer);
      return "used";
    }
    this.#state = pressed.state;
    // What could not be found out leaves the panel as it is.
    void pressed.later?.(this.#closing.signal).then(
      (change) => this.#learn(change),
      () => {},
    );
    return pressed.isTyping ? "typing" : "used";
  }

  #learn(change: (known: State) => State): void {
    if (this.#closing.signal.aborted) return;
    this.#state = this.#whole(() => change(this.#state), this.#state);
    this.#changed();
  }

  /** A panel that is broken is closed, and whoever asked hears of it. */
  #whole<Value>(act: () => Value, otherwise: Value): Value {
    try {
      return act();
    } catch (error) {
      this.#closing.abort();
      this.#answering.reject(error);
      return otherwise;
    }
  }

  #close(given: Answer | null): void {
    this.#closing.abort();
    this.#answering.resolve(given);
  }
}
