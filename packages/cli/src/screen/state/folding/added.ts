/** Blocks put behind those there are; one that has no id of an entry or call gets a number of its own. Pure. */

import { type Block, DRAFT, type Note } from "../block.ts";
import type { ScreenState } from "../screen-state.ts";

export function added(state: ScreenState, ...blocks: readonly Block[]): ScreenState {
  return blocks.length === 0 ? state : { ...state, blocks: [...state.blocks, ...blocks] };
}

/** With an id that no other draft had, printed or not. */
export function drafted<Kind extends Block>(
  state: ScreenState,
  block: Omit<Kind, "id">,
): { readonly state: ScreenState; readonly block: Kind } {
  const serial = state.serial + 1;
  return { state: { ...state, serial }, block: { ...block, id: `${DRAFT}${serial}` } as Kind };
}

export function withNote(state: ScreenState, note: Omit<Note, "id" | "kind">): ScreenState {
  const serial = state.serial + 1;
  return added({ ...state, serial }, { kind: "note", id: `note:${serial}`, ...note });
}
