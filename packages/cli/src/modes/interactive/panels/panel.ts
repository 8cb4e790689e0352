/** Defines `Panel`: a question or a page answered with keys, drawn as a pure function of its state. */

import type { Theme } from "../render/theme.ts";

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
