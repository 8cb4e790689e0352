/** The user's keymap file, read from the disk. No file is no mistake. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type KeymapRead, keymapIn, usualKeymap } from "./keymap.ts";

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
