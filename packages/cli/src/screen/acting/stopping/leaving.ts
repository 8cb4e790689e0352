/** The ways out: the first Ctrl+C stops or clears, a second one soon after it leaves; Ctrl+D leaves an empty editor. */

import { keyHint } from "../../keys/key-hint.ts";
import type { Stage } from "../../stage.ts";
import type { Talking } from "../talking.ts";
import { stop } from "./stop.ts";

/** Ctrl+C. What was typed can be had back with the arrow up. */
export function clear(talking: Talking): boolean {
  const { screen, leave } = talking;
  if (screen.state.hint === againTold(screen)) {
    emptied(screen);
    leave(null);
    return true;
  }
  if (!stop(talking)) emptied(screen);
  hint(screen);
  return true;
}

/** Ctrl+D; false where there are words, so that the editor gets it. */
export function quit({ screen, leave }: Talking): boolean {
  if (screen.words.text !== "") return false;
  leave(null);
  return true;
}

function emptied(screen: Stage): void {
  const { text } = screen.words;
  if (text.trim() === "") return;
  screen.editor?.addToHistory(text);
  screen.words.set("");
}

/** The hint itself says that a second one leaves, and as long as it stands that is so. */
function hint(screen: Stage): void {
  const before = screen.state.hint;
  const again = againTold(screen);
  screen.change((state) => ({ ...state, hint: again }));
  const restore = (): void => screen.change((state) => (state.hint === again ? { ...state, hint: before } : state));
  setTimeout(restore, SOON_MS).unref();
}

function againTold({ state }: Stage): string {
  return `${keyHint("clear", state.keymap) ?? "Ctrl+C"} again leaves; everything is saved`;
}

const SOON_MS = 2_000;
