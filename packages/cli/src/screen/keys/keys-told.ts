/** The keys as they are now, as text: what each does, and how it is pressed. Pure. */

import { editorKeys } from "./editor-keys.ts";
import { keyTable } from "./key-table.ts";
import type { Keymap } from "./keymap.ts";

export interface ToldKey {
  readonly id: string;
  readonly keys: readonly string[];
  readonly says: string;
}

export function toldKeys(keymap: Keymap): readonly ToldKey[] {
  return [...keyTable, ...editorKeys].map(({ id, says }) => ({ id, keys: keymap[id] ?? [], says }));
}

/** All of them; or those whose name, key or meaning has these words in it, each with its name. */
export function keysTold(keymap: Keymap, words = ""): string | null {
  const all = toldKeys(keymap);
  if (words !== "") return detailed(all.filter((row) => has(row, words.toLowerCase())));
  const own = all.filter(({ id }) => !id.startsWith("tui."));
  const typing = all.filter(({ id, keys }) => /^tui\.(?:input|editor)/.test(id) && keys.length > 0);
  return [columns(own), "", "While typing:", columns(typing)].join("\n");
}

function columns(rows: readonly ToldKey[]): string {
  const width = Math.max(...rows.map((row) => pressed(row).length));
  return rows.map((row) => `  ${pressed(row).padEnd(width)}  ${row.says}`).join("\n");
}

function detailed(rows: readonly ToldKey[]): string | null {
  if (rows.length === 0) return null;
  return rows.map((row) => `  "${row.id}": ${pressed(row)}\n      ${row.says}`).join("\n");
}

function has({ id, keys, says }: ToldKey, words: string): boolean {
  return [id, ...keys, says].some((text) => text.toLowerCase().includes(words));
}

function pressed({ keys }: ToldKey): string {
  return keys.length === 0 ? "(no key)" : keys.join(", ");
}
