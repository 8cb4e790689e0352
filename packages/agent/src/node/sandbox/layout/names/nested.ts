/** Guarded names further down in a workspace, where they are there in the beginning: what a command makes itself is its own. */

import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { GUARDED_FILES, GUARDED_FOLDERS } from "../../../../permissions/guarded-names.ts";

/** Looked at in one go before the first command, so neither far nor long. */
const MOST_DEPTH = 3;
const MOST_FOLDERS = 400;
const MOST_FOUND = 24;
const GUARDED: ReadonlySet<string> = new Set([".git", ...GUARDED_FOLDERS, ...GUARDED_FILES]);

/** Their paths, without those right in the root; what is nearer comes first. */
export function nestedNames(root: string): readonly string[] {
  const found: string[] = [];
  let folders = foldersIn(root);
  let looks = 0;
  for (let depth = 1; depth <= MOST_DEPTH; depth += 1) {
    const next: string[] = [];
    for (const folder of folders.slice(0, MOST_FOLDERS - looks)) {
      looks += 1;
      const names = entriesIn(folder).filter((entry) => GUARDED.has(entry.name) && !entry.isSymbolicLink());
      found.push(...names.map(({ name }) => join(folder, name)));
      next.push(...foldersIn(folder));
    }
    folders = next;
  }
  return found.slice(0, MOST_FOUND);
}

function foldersIn(folder: string): readonly string[] {
  const isOpen = ({ name }: Dirent): boolean => name !== "node_modules" && !GUARDED.has(name);
  return entriesIn(folder)
    .filter((entry) => entry.isDirectory() && isOpen(entry))
    .map(({ name }) => join(folder, name));
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // What cannot be looked into is nobody's to obey.
    return [];
  }
}
