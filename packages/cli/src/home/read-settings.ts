/** The user's own settings file. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { mistake } from "../asking/mistake.ts";
import { type FieldsRead, settingsIn } from "./settings/settings-in.ts";

/** No file is no mistake. */
export async function readSettings(home: string): Promise<FieldsRead> {
  const file = settingsFile(home);
  try {
    return settingsIn(await readFile(file, "utf8"), file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { type: "read", fields: [], notes: [], placeOf: () => file };
    return mistake(`${file} cannot be read: ${message}`);
  }
}

export function settingsFile(home: string): string {
  return join(home, "settings.json");
}
