/** Defines `Panel`: a question or a page answered with keys, drawn as a pure function of its state. */

import type { Theme } from "../render/theme.ts";

export interface Panel<State, Answer> {
  readonly start: State;
  /** What a key does; null where it means nothing here. `sight` is how it was last seen. */
  press(state: State, key: string, sight?: Sight): Pressed<State, Answer> | null;
  draw(state: State, sight: Sight): readonly string[];
  /** Whether keys go to the editor, which is then seen below it. */
  isTyping?(state: State): boolean;
  /** The same question in words, for who answers by number: title, lines, and what can be chosen. Absent: it is answered with keys. */
  readonly spoken?: Spoken<Answer>;
  /** What it learns by itself, from when it is opened: each change is shown as it comes. */
  readonly learns?: (learn: (change: (state: State) => State) => void, signal: AbortSignal) => Promise<void>;
}

export interface Spoken<Answer> {
  readonly title: string;
  readonly lines: (sight: Sight) => readonly string[];
  readonly options: readonly SpokenOption<Answer>[];
  /** What any line means, where there is nothing to choose from. */
  readonly line?: (text: string) => Answer;
}

export interface SpokenOption<Answer> {
  readonly label: string;
  readonly says?: string;
  readonly value: Answer;
}

export interface Sight {
  readonly width: number;
  /** Rows there are; a panel may take fewer. */
  readonly height: number;
  readonly theme: Theme;
  /** The user types in the editor below, so hints on keys of the panel would be wrong. */
  readonly isTyping?: boolean;
}

export type Pressed<State, Answer> = GoesOn<State> | Given<Answer>;

export interface GoesOn<State> {
  readonly type: "goes-on";
  readonly state: State;
  /** Something to find out for it, e.g. a search; what is found changes the state, if the panel is still there. */
  readonly later?: (signal: AbortSignal) => Promise<(state: State) => State>;
  /** The key was meant for the editor below it, which gets it as well. */
  readonly isTyping?: boolean;
}

export interface Given<Answer> {
  readonly type: "answered";
  readonly answer: Answer;
}

/** Closes what is asked, where the panel has no use of its own for it. */
export function isWayOut(key: string): boolean {
  return key === "escape" || key === "ctrl+c";
}

export function goesOn<State>(state: State): GoesOn<State> {
  return { type: "goes-on", state };
}

export function answered<Answer>(answer: Answer): Given<Answer> {
  return { type: "answered", answer };
}
