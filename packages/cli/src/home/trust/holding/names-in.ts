/** What lies in a folder and of what kind it is; nothing of it is opened. */

import { type Dirent, lstatSync, opendirSync, type Stats } from "node:fs";

export type PathKind = "file" | "folder" | "link" | "other";

export interface Named {
  readonly name: string;
  readonly kind: PathKind;
}

/** Sorted; null for more than these. A part of them would be another one each time. */
export function namesIn(folder: string, most: number): readonly Named[] | null {
  const open = opendirSync(folder);
  try {
    const names: Named[] = [];
    for (let next = open.readSync(); next !== null; next = open.readSync())
      if (names.push({ name: next.name, kind: sort(next) }) > most) return null;
    return names.sort((one, other) => (one.name < other.name ? -1 : 1));
  } finally {
    open.closeSync();
  }
}

export function kindOf(path: string): PathKind {
  return sort(lstatSync(path));
}

function sort(seen: Dirent | Stats): PathKind {
  if (seen.isFile()) return "file";
  if (seen.isDirectory()) return "folder";
  return seen.isSymbolicLink() ? "link" : "other";
}
