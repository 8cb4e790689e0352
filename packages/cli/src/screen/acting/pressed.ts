/** What a key does that is no typing. */

import { Presses } from "../keys/presses.ts";
import type { Stage } from "../stage.ts";
import { actions } from "./actions.ts";
import type { Talking } from "./talking.ts";

/** False where it means nothing, so that the editor gets it. */
export function pressed(key: string, talking: Talking): boolean {
  const { screen } = talking;
  const presses = pressesOn(screen);
  // A completion that is open is closed first.
  if (key === "escape" && screen.editor?.isShowingAutocomplete()) {
    presses.forget();
    return false;
  }
  return presses.press(key, performance.now(), (id) => actions[id]?.(talking) ?? false);
}

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
