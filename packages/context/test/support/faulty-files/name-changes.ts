/** Changes names as POSIX does. A folder's changes become durable in order; one across two folders does so in both or neither. */

import {
  createFileInode,
  createFolderInode,
  createLinkInode,
  type Disk,
  type FileInode,
  type FolderInode,
  type Inode,
  lookUpPath,
  type NameChange,
  type NameUpdate,
  type PathLookup,
  requireFolder,
  requireInode,
  splitPath,
  touch,
  walkFolder,
} from "./disk.ts";
import { createErrnoError } from "./refusal.ts";

export function changeNames(disk: Disk, ...updates: readonly NameUpdate[]): void {
  disk.unsynced.push({ updates });
  for (const update of updates) {
    applyNameUpdate(update, update.folder.names);
    touch(disk, update.folder);
  }
}

export function syncNames(disk: Disk, folder: FolderInode): void {
  const last = findFolderChanges(disk, folder).at(-1);
  if (last) makeDurable(disk, new Set([last]));
}

export function findFolderChanges({ unsynced }: Disk, folder: FolderInode): NameChange[] {
  return unsynced.filter(({ updates }) => updates.some((update) => update.folder === folder));
}

/** Makes these changes durable, and all that came before them in the folders they touch. */
export function makeDurable(disk: Disk, last: ReadonlySet<NameChange>): void {
  const folders = new Set<FolderInode>();
  const durableChanges = new Set<NameChange>();
  for (const change of disk.unsynced.toReversed()) {
    if (!last.has(change) && !change.updates.some(({ folder }) => folders.has(folder))) continue;
    durableChanges.add(change);
    for (const { folder } of change.updates) folders.add(folder);
  }
  for (const change of disk.unsynced) {
    if (durableChanges.has(change)) for (const update of change.updates) applyNameUpdate(update, update.folder.durable);
  }
  disk.unsynced = disk.unsynced.filter((change) => !durableChanges.has(change));
}

function applyNameUpdate({ name, inode }: NameUpdate, names: FolderInode["names"]): void {
  if (inode) names.set(name, inode);
  else names.delete(name);
}

export function createFile(disk: Disk, path: string): FileInode {
  return addInode(disk, path, createFileInode);
}

export function createLink(disk: Disk, path: string): void {
  addInode(disk, path, createLinkInode);
}

function addInode<Added extends Inode>(disk: Disk, path: string, createInode: (disk: Disk) => Added): Added {
  const { folder, name, inode } = lookUpPath(disk, path);
  if (inode) throw createErrnoError("EEXIST");
  const created = createInode(disk);
  changeNames(disk, { folder, name, inode: created });
  return created;
}

/** Each folder on the way, the root first. */
export function createFolders(disk: Disk, path: string): FolderInode[] {
  const segments = splitPath(path);
  const folders = [disk.root];
  let folder = disk.root;
  for (const [index, name] of segments.entries()) {
    const inode = folder.names.get(name) ?? createFolderInode(disk);
    if (inode.kind === "file" && index === segments.length - 1) throw createErrnoError("EEXIST");
    const child = requireFolder(inode);
    if (!folder.names.has(name)) changeNames(disk, { folder, name, inode: child });
    folder = child;
    folders.push(folder);
  }
  return folders;
}

export function renamePath(disk: Disk, from: string, to: string): void {
  const source = lookUpPath(disk, from);
  const target = lookUpPath(disk, to);
  const { inode } = source;
  if (inode === undefined) throw createErrnoError("ENOENT");
  checkAncestry(source, target);
  // POSIX: two names of one file stay as they are.
  if (target.inode === inode) return;
  if (target.inode) checkReplacement(inode, target.inode);
  changeNames(disk, { ...source, inode: null }, { ...target, inode });
}

function checkAncestry({ inode, folder }: PathLookup, target: PathLookup): void {
  if (inode?.kind === "folder" && inode !== target.inode && containsFolder(inode, target.folder))
    throw createErrnoError("EINVAL");
  if (target.inode?.kind === "folder" && inode !== target.inode && containsFolder(target.inode, folder)) {
    throw createErrnoError("ENOTEMPTY");
  }
}

function containsFolder(parent: FolderInode, folder: FolderInode): boolean {
  return parent === folder || [...walkFolder(parent)].some(([, inode]) => inode === folder);
}

function checkReplacement(inode: Inode, target: Inode): void {
  if (inode.kind === "folder" && target.kind !== "folder") throw createErrnoError("ENOTDIR");
  if (inode.kind !== "folder" && target.kind === "folder") throw createErrnoError("EISDIR");
  if (target.kind === "folder" && target.names.size > 0) throw createErrnoError("ENOTEMPTY");
}

export function linkPath(disk: Disk, from: string, to: string): void {
  const inode = requireInode(disk, from);
  const target = lookUpPath(disk, to);
  if (target.inode) throw createErrnoError("EEXIST");
  if (inode.kind === "folder") throw createErrnoError("EPERM");
  changeNames(disk, { ...target, inode });
}

export function removeName(disk: Disk, path: string): void {
  const { folder, name, inode } = lookUpPath(disk, path);
  if (inode === undefined) throw createErrnoError("ENOENT");
  if (inode.kind === "folder") throw createErrnoError("EISDIR");
  changeNames(disk, { folder, name, inode: null });
}
