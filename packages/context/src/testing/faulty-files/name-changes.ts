/** Names change at once and survive later: a folder keeps its changes in order, and one across two folders is kept by both or neither. */

import { type ChangedName, type Disk, type FolderInode, type NameChange, touch } from "./disk.ts";

export function changeNames(disk: Disk, ...names: readonly ChangedName[]): void {
  disk.unsynced.push({ names });
  for (const changed of names) {
    apply(changed, changed.folder.names);
    touch(disk, changed.folder);
  }
}

export function syncNames(disk: Disk, folder: FolderInode): void {
  const last = changesIn(disk, folder).at(-1);
  if (last) keepUpTo(disk, new Set([last]));
}

export function changesIn({ unsynced }: Disk, folder: FolderInode): NameChange[] {
  return unsynced.filter(({ names }) => names.some((changed) => changed.folder === folder));
}

/** Makes these changes durable, and all that came before them in the folders they touch. */
export function keepUpTo(disk: Disk, last: ReadonlySet<NameChange>): void {
  const folders = new Set<FolderInode>();
  const kept = new Set<NameChange>();
  for (const change of disk.unsynced.toReversed()) {
    if (!last.has(change) && !change.names.some(({ folder }) => folders.has(folder))) continue;
    kept.add(change);
    for (const { folder } of change.names) folders.add(folder);
  }
  for (const change of disk.unsynced) {
    if (kept.has(change)) for (const changed of change.names) apply(changed, changed.folder.durable);
  }
  disk.unsynced = disk.unsynced.filter((change) => !kept.has(change));
}

function apply({ name, inode }: ChangedName, names: FolderInode["names"]): void {
  if (inode) names.set(name, inode);
  else names.delete(name);
}
