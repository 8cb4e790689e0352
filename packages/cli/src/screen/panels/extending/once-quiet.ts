/** A panel that comes unasked while somebody may be typing: until their keys rest, these are for the editor, and none of them answers it. */

import { goesOn, isWayOut, type Panel, type Pressed } from "../panel.ts";

export interface Quiet<State> {
  readonly inner: State;
  readonly isHeard: boolean;
  /** Keys that came too early. */
  readonly early: number;
}

export function onceQuiet<State, Answer>(panel: Panel<State, Answer>, quietMs: number): Panel<Quiet<State>, Answer> {
  const later = (early: number) => async (signal: AbortSignal) => {
    await rested(quietMs, signal);
    return (state: Quiet<State>) => (state.early === early ? { ...state, isHeard: true } : state);
  };
  return {
    start: { inner: panel.start, isHeard: quietMs === 0, early: 0 },
    ...(panel.spoken && { spoken: panel.spoken }),
    press: (state, key, sight) => {
      if (state.isHeard) return outer(state, panel.press(state.inner, key, sight));
      if (isWayOut(key)) return null;
      const early = state.early + 1;
      return { type: "goes-on", state: { ...state, early }, later: later(early), isTyping: true };
    },
    draw: ({ inner }, sight) => panel.draw(inner, sight),
    learns: async (learn, signal) => learn(await later(0)(signal)),
  };
}

function outer<State, Answer>(
  state: Quiet<State>,
  pressed: Pressed<State, Answer> | null,
): Pressed<Quiet<State>, Answer> | null {
  return pressed?.type === "goes-on" ? goesOn({ ...state, inner: pressed.state }) : pressed;
}

function rested(quietMs: number, signal: AbortSignal): Promise<unknown> {
  return new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, quietMs);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}
