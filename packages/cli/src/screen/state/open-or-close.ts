/** What is folded is opened, or closed again; where nothing of that is left to be seen, a hint says what changes. Pure. */

import { keyTold } from "../keys/key-hint.ts";
import type { Block } from "./block.ts";
import type { ScreenState } from "./screen-state.ts";

export function openOrClose(state: ScreenState): ScreenState {
  const isUnfolded = !state.isUnfolded;
  const isSeen = [...state.blocks, ...state.shell].some(canBeOpened);
  return { ...state, isUnfolded, hint: isSeen ? state.hint : changeTold(isUnfolded, state) };
}

function canBeOpened({ kind }: Block): boolean {
  return OPENED.includes(kind);
}

const OPENED: readonly Block["kind"][] = ["said", "thought", "called", "shell", "compacted", "branch-told"];

/** What stands above is printed, and the terminal's. */
function changeTold(isUnfolded: boolean, { keymap }: ScreenState): string {
  const key = keyTold("transcript", "opens what stands above.", keymap);
  return `What comes next is shown ${isUnfolded ? "whole" : "folded"}.${key && ` ${key}`}`;
}
