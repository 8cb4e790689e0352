/** Files rolled up into their folders: what is too old to be listed is still counted. */

import { type LedgerFile, type LedgerFolder, MOST } from "./ledger.ts";

/** The folders with these files counted in; where they become too many, the oldest are counted under ".". */
export function rolledUp(folders: readonly LedgerFolder[], files: readonly LedgerFile[]): readonly LedgerFolder[] {
  return withoutOldest(joinedFolders([...folders, ...files.map(asFolder)]));
}

/** Each folder once, at the place of its newest mention. */
function joinedFolders(folders: readonly LedgerFolder[]): readonly LedgerFolder[] {
  const byName = new Map<string, LedgerFolder>();
  for (const { folder, read, modified } of folders) {
    const before = byName.get(folder) ?? { read: 0, modified: 0 };
    byName.delete(folder);
    byName.set(folder, { folder, read: sum(before.read, read), modified: sum(before.modified, modified) });
  }
  return [...byName.values()];
}

// A ledger comes from a file, where any number may stand.
function sum(one: number, other: number): number {
  return Math.min(one + other, MOST_COUNTED);
}

export const MOST_COUNTED = 999_999_999;

function asFolder({ path, did }: LedgerFile): LedgerFolder {
  return { folder: folderOf(path), read: did === "read" ? 1 : 0, modified: did === "modified" ? 1 : 0 };
}

/** `src/parts` of `src/parts/a.ts`; both kinds of slashes count. */
function folderOf(path: string): string {
  const slash = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  if (slash < 0) return TOP;
  return path.slice(0, Math.max(slash, 1));
}

const TOP = ".";

function withoutOldest(folders: readonly LedgerFolder[]): readonly LedgerFolder[] {
  const excess = folders.length - MOST.folders;
  if (excess <= 0) return folders;
  const oldest = folders.slice(0, excess + 1).map((each) => ({ ...each, folder: TOP }));
  return joinedFolders([...oldest, ...folders.slice(excess + 1)]);
}
