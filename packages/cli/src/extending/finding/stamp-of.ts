/** A word that is another one as soon as a file of a folder has changed: what is loaded under it is loaded anew. */

import { createHash } from "node:crypto";
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Within bounds: of what lies deeper, or is too much, nobody would wait for the reading. */
export function stampOf(path: string): string {
  const hash = createHash("sha256");
  let left = MOST;
  const look = (folder: string, depth: number): void => {
    for (const entry of entriesIn(folder)) {
      if (left-- <= 0) return;
      const file = join(folder, entry.name);
      if (entry.isDirectory() && depth < DEEPEST && entry.name !== "node_modules") look(file, depth + 1);
      else if (!entry.isDirectory()) hash.update(`${file} ${changed(file)}\n`);
    }
  };
  look(path, 0);
  hash.update(changed(path));
  return hash.digest("hex").slice(0, LENGTH);
}

const MOST = 1_000;
const DEEPEST = 4;
const LENGTH = 12;

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A file, or closed to us: then loading it says so.
    return [];
  }
}

function changed(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size}` : "gone";
}
