/** Formats keys for hints and /keys, and reads the user's keymap file. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ActionId, editorKeys, type Keymap, type KeymapRead, keymapIn, keyTable, usualKeymap } from "./keymap.ts";

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

/** Beside the settings; `keys.json` holds keys of another kind. */
export function keymapFile(home: string): string {
  return join(home, "keymap.json");
}

export async function readKeymap(home: string): Promise<KeymapRead> {
  const file = keymapFile(home);
  try {
    return keymapIn(await readFile(file, "utf8"), file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { keymap: usualKeymap, own: [], notes: [] };
    return { keymap: usualKeymap, own: [], notes: [`${file} cannot be read: ${message}`] };
  }
}
