/** Formats keys for hints and /keys, and reads the user's keymap file. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ActionId,
  actionBindings,
  defaultKeymap,
  editorBindings,
  type Keymap,
  type LoadedKeymap,
  parseKeymap,
} from "./keymap.ts";

/** The first of the keys that do it; null where none does, so that nothing is promised. */
export function keyHint(id: ActionId, keymap: Keymap = defaultKeymap): string | null {
  const key = keymap[id]?.[0];
  return key === undefined ? null : formatKey(key);
}

/** `Ctrl+O opens`, or whatever else stands behind the key; empty where there is none. */
export function formatKeyHint(id: ActionId, description: string, keymap?: Keymap): string {
  const key = keyHint(id, keymap);
  return key === null ? "" : `${key} ${description}`;
}

/** `ctrl+o` or `escape escape`, as people read them. */
export function formatKey(key: string): string {
  return key.replaceAll(/[^+ ]+/g, (part) => KEY_LABELS[part] ?? part.charAt(0).toUpperCase() + part.slice(1));
}

const KEY_LABELS: Readonly<Record<string, string>> = { escape: "Esc", pageUp: "PgUp", pageDown: "PgDn" };

export interface KeyHelp {
  readonly id: string;
  readonly keys: readonly string[];
  readonly says: string;
}

export function listKeys(keymap: Keymap): readonly KeyHelp[] {
  return [...actionBindings, ...editorBindings].map(({ id, description }) => ({
    id,
    keys: keymap[id] ?? [],
    says: description,
  }));
}

/** All of them; or those whose name, key or meaning has these words in it, each with its name. */
export function formatKeys(keymap: Keymap, query = ""): string | null {
  const all = listKeys(keymap);
  if (query !== "") return formatDetails(all.filter((row) => matchesQuery(row, query.toLowerCase())));
  const actionKeys = all.filter(({ id }) => !id.startsWith("tui."));
  const typingKeys = all.filter(({ id, keys }) => /^tui\.(?:input|editor)/.test(id) && keys.length > 0);
  return [formatColumns(actionKeys), "", "While typing:", formatColumns(typingKeys)].join("\n");
}

function formatColumns(rows: readonly KeyHelp[]): string {
  const width = Math.max(...rows.map((row) => formatBoundKeys(row).length));
  return rows.map((row) => `  ${formatBoundKeys(row).padEnd(width)}  ${row.says}`).join("\n");
}

function formatDetails(rows: readonly KeyHelp[]): string | null {
  if (rows.length === 0) return null;
  return rows.map((row) => `  "${row.id}": ${formatBoundKeys(row)}\n      ${row.says}`).join("\n");
}

function matchesQuery({ id, keys, says: description }: KeyHelp, query: string): boolean {
  return [id, ...keys, description].some((text) => text.toLowerCase().includes(query));
}

function formatBoundKeys({ keys }: KeyHelp): string {
  return keys.length === 0 ? "(no key)" : keys.join(", ");
}

/** Beside the settings; `keys.json` holds keys of another kind. */
export function keymapFile(home: string): string {
  return join(home, "keymap.json");
}

export async function readKeymap(home: string): Promise<LoadedKeymap> {
  const file = keymapFile(home);
  try {
    return parseKeymap(await readFile(file, "utf8"), file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { keymap: defaultKeymap, customIds: [], warnings: [] };
    return { keymap: defaultKeymap, customIds: [], warnings: [`${file} cannot be read: ${message}`] };
  }
}
