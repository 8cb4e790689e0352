/** Lets a user type while a question is open: a key that is no answer, and all that follow, go to the editor and never answer it. */

import { pastedLine } from "../keys/input.ts";
import { isWayOut, type Panel, type Pressed, type Sight } from "./panel.ts";
import { hintLine } from "./widgets.ts";

export interface TypingState<State> {
  readonly inner: State;
  /** Keys go to the editor until Esc. */
  readonly isTyping: boolean;
  /** False until keys have rested once: before that nobody can have read the question. */
  readonly isReady: boolean;
  /** How many keys came before that. */
  readonly earlyKeys: number;
}

export interface TypingOptions {
  /** Milliseconds without a key after which keys count; at once, unless told. */
  readonly quietMs?: number;
  /** Whether somebody is typing already, so that the first keys are for the editor, too. */
  readonly isTyping?: boolean;
}

/** ASK1, ASK2, XUI10: the same panel, which keys that were meant for the editor never reach. */
export function withTyping<State, Answer>(
  panel: Panel<State, Answer>,
  { quietMs = 0, isTyping = false }: TypingOptions = {},
): Panel<TypingState<State>, Answer> {
  return {
    start: { inner: panel.start, isTyping, isReady: quietMs === 0, earlyKeys: 0 },
    ...(panel.spoken && { spoken: panel.spoken }),
    isTyping: (state) => state.isTyping,
    press: (state, key, sight) => {
      if (state.isTyping) return whileTyping(state, key);
      if (!state.isReady) return tooEarly(state, key, quietMs);
      const pressed = panel.press(state.inner, key, sight);
      return pressed ? withInner(state, pressed) : beginTyping(state, key);
    },
    draw: ({ inner, isTyping: isBelow }, sight) => {
      if (!isBelow) return panel.draw(inner, sight);
      const height = Math.max(1, sight.height - 1);
      return [...panel.draw(inner, { ...sight, height, isTyping: true }), typingHint(sight)];
    },
    learns: async (learn, signal) => {
      await Promise.all([
        readyAfter<State>(0, quietMs, signal).then(learn),
        panel.learns?.((change) => learn((state) => ({ ...state, inner: change(state.inner) })), signal),
      ]);
    },
  };
}

function whileTyping<State>(state: TypingState<State>, key: string): Pressed<TypingState<State>, never> {
  // Whoever comes back has seen the question.
  if (isWayOut(key)) return { type: "goes-on", state: { ...state, isTyping: false, isReady: true } };
  return { type: "goes-on", state, isTyping: true };
}

/** Esc is meant whenever it comes. A letter is for the editor; Enter and arrows are ignored, and the wait starts again. */
function tooEarly<State>(
  state: TypingState<State>,
  key: string,
  quietMs: number,
): Pressed<TypingState<State>, never> | null {
  if (isWayOut(key)) return null;
  const typing = beginTyping(state, key);
  if (typing || !ANSWERING.has(key)) return typing;
  const earlyKeys = state.earlyKeys + 1;
  const later = (signal: AbortSignal) => readyAfter<State>(earlyKeys, quietMs, signal);
  return { type: "goes-on", state: { ...state, earlyKeys }, later };
}

const ANSWERING: ReadonlySet<string> = new Set(["enter", "up", "down", "left", "right", "tab", "home", "end"]);

function beginTyping<State>(state: TypingState<State>, key: string): Pressed<TypingState<State>, never> | null {
  if (!isText(key)) return null;
  return { type: "goes-on", state: { ...state, isTyping: true }, isTyping: true };
}

/** A character or a paste; keys that are neither have names of several letters, such as `up`. */
export function isText(key: string): boolean {
  return (
    key === "space" || pastedLine(key) !== null || ([...segmenter.segment(key)].length === 1 && !/\p{Cc}/u.test(key))
  );
}

const segmenter = new Intl.Segmenter();

function withInner<State, Answer>(
  state: TypingState<State>,
  pressed: Pressed<State, Answer>,
): Pressed<TypingState<State>, Answer> {
  if (pressed.type === "answered") return pressed;
  const { later } = pressed;
  return {
    ...pressed,
    state: { ...state, inner: pressed.state },
    ...(later && {
      later: async (signal) => {
        const change = await later(signal);
        return (known: TypingState<State>) => ({ ...known, inner: change(known.inner) });
      },
    }),
  } as Pressed<TypingState<State>, Answer>;
}

/** Ready, unless another key came meanwhile. */
async function readyAfter<State>(
  earlyKeys: number,
  quietMs: number,
  signal: AbortSignal,
): Promise<(state: TypingState<State>) => TypingState<State>> {
  await new Promise<void>((resolve) => {
    // Where the program was busy, keys that were pressed long ago are read first, and count as early.
    const timer = setTimeout(() => setImmediate(resolve), quietMs);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
  return (state) => (state.earlyKeys === earlyKeys ? { ...state, isReady: true } : state);
}

function typingHint(sight: Sight): string {
  return hintLine(["You are typing a message", "Enter sends it", "Esc: back to the question"], sight);
}
