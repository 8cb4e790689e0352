/** The session files below a folder, by their names in it. */

import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

export function sessionFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
