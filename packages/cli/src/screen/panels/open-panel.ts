/** A panel that somebody is looking at: what it knows now, and the answer that will come. */

import type { Panel, Pressed, Sight } from "./panel.ts";
import { tamed } from "./tamed.ts";

export interface OpenPanel {
  readonly where: "inline" | "page";
  draw(sight: Sight): readonly string[];
  press(key: string): void;
}

export interface Opening {
  readonly where: "inline" | "page";
  /** Closes it without an answer. */
  readonly signal?: AbortSignal;
  /** Something else is to be seen now. */
  readonly changed: () => void;
}

export function openPanel<State, Answer>(
  panel: Panel<State, Answer>,
  { where, signal, changed }: Opening,
): OpenPanel & { readonly answer: Promise<Answer | null> } {
  let state = panel.start;
  let seen: Sight | undefined;
  const closing = new AbortController();
  const { promise: answer, resolve } = Promise.withResolvers<Answer | null>();
  const close = (given: Answer | null): void => {
    closing.abort();
    resolve(given);
  };
  const learn = (change: (known: State) => State): void => {
    if (closing.signal.aborted) return;
    state = change(state);
    changed();
  };
  const act = (pressed: Pressed<State, Answer>): void => {
    if (pressed.type === "answered") {
      close(pressed.answer);
      return;
    }
    state = pressed.state;
    // What could not be found out leaves the panel as it is.
    void pressed.later?.(closing.signal).then(learn, () => {});
  };
  signal?.addEventListener("abort", () => close(null), { once: true });
  if (signal?.aborted) close(null);
  void panel.learns?.(learn, closing.signal).catch(() => {});
  return {
    where,
    answer,
    draw: (sight) => {
      seen = sight;
      return panel.draw(state, sight).map((line) => tamed(line, sight.width));
    },
    press: (key) => {
      const pressed = panel.press(state, key, seen);
      if (pressed) act(pressed);
      else if (key === "escape" || key === "ctrl+c") close(null);
    },
  };
}
