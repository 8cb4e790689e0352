/** How a key is named in a hint, as the keymap has it now: `Esc`, `Ctrl+O`, `Shift+Tab`. Pure. */

import type { ActionId } from "./key-table.ts";
import { type Keymap, usualKeymap } from "./keymap.ts";

/** The first of the keys that do it; null where none does, so that nothing is promised. */
export function keyHint(id: ActionId, keymap: Keymap = usualKeymap): string | null {
  const key = keymap[id]?.[0];
  return key === undefined ? null : keyNamed(key);
}

/** `Ctrl+O opens`, or whatever else stands behind the key; empty where there is none. */
export function keyTold(id: ActionId, says: string, keymap?: Keymap): string {
  const key = keyHint(id, keymap);
  return key === null ? "" : `${key} ${says}`;
}

/** `ctrl+o` or `escape escape`, as people read them. */
export function keyNamed(key: string): string {
  return key.replaceAll(/[^+ ]+/g, (part) => SHORT[part] ?? part.charAt(0).toUpperCase() + part.slice(1));
}

const SHORT: Readonly<Record<string, string>> = { escape: "Esc", pageUp: "PgUp", pageDown: "PgDn" };
