/** What each key does that is no typing. */

import type { ActionId } from "../keys/key-table.ts";
import type { Talking } from "./talking.ts";

/** False where it means nothing now, so that the editor gets the key. */
export type Action = (talking: Talking) => boolean;

export const actions: Readonly<Partial<Record<ActionId, Action>>> = {
  stop: ({ ready }) => {
    const { agent } = ready.built;
    if (!agent.isRunning) return false;
    void agent.abort();
    return true;
  },
  fold: ({ screen }) => {
    screen.change((state) => ({ ...state, isUnfolded: !state.isUnfolded }));
    return true;
  },
  clear: ({ screen, leave }) => {
    if (screen.words.text === "") leave(null);
    screen.words.set("");
    return true;
  },
};
