/** Changes names as POSIX does. A folder's changes become durable in order; one across two folders does so in both or neither. */

import {
  asFolder,
  below,
  type ChangedName,
  type Disk,
  type FileInode,
  type FolderInode,
  type Inode,
  inodeAt,
  type NameChange,
  newFile,
  newFolder,
  newLink,
  type Place,
  placeOf,
  stepsOf,
  touch,
} from "./disk.ts";
import { refusal } from "./refusal.ts";

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

export function createFile(disk: Disk, path: string): FileInode {
  return added(disk, path, newFile);
}

export function createLink(disk: Disk, path: string): void {
  added(disk, path, newLink);
}

function added<Added extends Inode>(disk: Disk, path: string, fresh: (disk: Disk) => Added): Added {
  const { folder, name, inode } = placeOf(disk, path);
  if (inode) throw refusal("EEXIST");
  const created = fresh(disk);
  changeNames(disk, { folder, name, inode: created });
  return created;
}

/** Each folder on the way, the root first. */
export function makeFolders(disk: Disk, path: string): FolderInode[] {
  const steps = stepsOf(path);
  const way = [disk.root];
  let folder = disk.root;
  for (const [index, name] of steps.entries()) {
    const inode = folder.names.get(name) ?? newFolder(disk);
    if (inode.kind === "file" && index === steps.length - 1) throw refusal("EEXIST");
    const next = asFolder(inode);
    if (!folder.names.has(name)) changeNames(disk, { folder, name, inode: next });
    folder = next;
    way.push(folder);
  }
  return way;
}

export function renameTo(disk: Disk, from: string, to: string): void {
  const source = placeOf(disk, from);
  const target = placeOf(disk, to);
  const { inode } = source;
  if (inode === undefined) throw refusal("ENOENT");
  checkAncestry(source, target);
  // POSIX: two names of one file stay as they are.
  if (target.inode === inode) return;
  if (target.inode) checkReplaced(inode, target.inode);
  changeNames(disk, { ...source, inode: null }, { ...target, inode });
}

function checkAncestry({ inode, folder }: Place, target: Place): void {
  if (inode?.kind === "folder" && inode !== target.inode && holds(inode, target.folder)) throw refusal("EINVAL");
  if (target.inode?.kind === "folder" && inode !== target.inode && holds(target.inode, folder)) {
    throw refusal("ENOTEMPTY");
  }
}

function holds(above: FolderInode, folder: FolderInode): boolean {
  return above === folder || [...below(above)].some(([, inode]) => inode === folder);
}

function checkReplaced(inode: Inode, replaced: Inode): void {
  if (inode.kind === "folder" && replaced.kind !== "folder") throw refusal("ENOTDIR");
  if (inode.kind !== "folder" && replaced.kind === "folder") throw refusal("EISDIR");
  if (replaced.kind === "folder" && replaced.names.size > 0) throw refusal("ENOTEMPTY");
}

export function linkTo(disk: Disk, from: string, to: string): void {
  const inode = inodeAt(disk, from);
  const target = placeOf(disk, to);
  if (target.inode) throw refusal("EEXIST");
  if (inode.kind === "folder") throw refusal("EPERM");
  changeNames(disk, { ...target, inode });
}

export function removeName(disk: Disk, path: string): void {
  const { folder, name, inode } = placeOf(disk, path);
  if (inode === undefined) throw refusal("ENOENT");
  if (inode.kind === "folder") throw refusal("EISDIR");
  changeNames(disk, { folder, name, inode: null });
}
