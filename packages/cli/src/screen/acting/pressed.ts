/** What a key does that is no typing. */

import { ordered } from "../keys/key-name.ts";
import { usualKeymap } from "../keys/keymap.ts";
import { Presses } from "../keys/presses.ts";
import type { Stage } from "../stage.ts";
import { type Action, actions } from "./actions.ts";
import { survived } from "./survived.ts";
import type { Talking } from "./talking.ts";

export interface Amid {
  /** Something is asked, and the key means nothing there: then only sleep is left to it. */
  readonly isAsked?: boolean;
}

/** False where it means nothing, so that the editor gets it. */
export function pressed(key: string, talking: Talking, { isAsked = false }: Amid = {}): boolean {
  const { screen } = talking;
  const presses = pressesOn(screen);
  if (isOfCompletion(key, screen)) {
    presses.forget();
    return false;
  }
  return presses.press(key, performance.now(), (id) =>
    isAsked && id !== "suspend" ? false : acted(actions[id], talking),
  );
}

/** Whatever becomes of it, the talk goes on: a fault is told, and the key counts as heard. */
function acted(action: Action, talking: Talking): boolean {
  let came = true as ReturnType<Action>;
  const act = async (): Promise<void> => {
    came = action(talking);
    await came;
  };
  void survived(act, talking);
  return came !== false;
}

/** While a completion is open, its keys are its own, whatever they mean elsewhere: it is closed first. */
function isOfCompletion(key: string, { editor, state: { keymap = usualKeymap } }: Stage): boolean {
  if (!editor?.isShowingAutocomplete()) return false;
  return COMPLETING.some((id) => keymap[id]?.includes(ordered(key)));
}

const COMPLETING = ["up", "down", "confirm", "cancel"].map((act) => `tui.select.${act}`);

/** From now on keys mean what these say. */
export function pressWith(presses: Presses, screen: Stage): void {
  known.set(screen, presses);
}

/** A screen has one keyboard, whichever session is on it. */
const known = new WeakMap<Stage, Presses>();

function pressesOn(screen: Stage): Presses {
  const presses = known.get(screen) ?? new Presses();
  known.set(screen, presses);
  return presses;
}
