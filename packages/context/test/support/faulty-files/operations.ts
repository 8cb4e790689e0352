/** Implements the file operations on the disk in memory as POSIX does: on paths, and on open files. */

import type { FileStat } from "../../../src/node/files.ts";
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
  readContent,
  requireFolder,
  requireInode,
  splitPath,
  syncContent,
  touch,
  walkFolder,
} from "./disk.ts";
import { createErrnoError } from "./errors.ts";

function changeNames(disk: Disk, ...updates: readonly NameUpdate[]): void {
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

/** Makes these changes durable, and all earlier ones in the same folders. */
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

/** Creates the missing folders of a path; returns all of them, the root first. */
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
  // POSIX: renaming one hard link of a file to another does nothing.
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

export interface Descriptor {
  readonly inode: Inode;
  /** The path it was opened with, for the log. */
  readonly path: string;
  readonly mode: "read" | "append";
}

export function openDescriptor(disk: Disk, path: string, mode: "read" | "append"): Descriptor {
  const inode = requireInode(disk, path);
  if (inode.kind === "other") throw createErrnoError("ELOOP");
  if (inode.kind === "folder" && mode === "append") throw createErrnoError("EISDIR");
  return { inode, path, mode };
}

/** The file of a writable descriptor; throws `code` for any other. */
export function requireWritable({ inode, mode }: Descriptor, code: "EBADF" | "EINVAL"): FileInode {
  if (inode.kind !== "file" || mode !== "append") throw createErrnoError(code);
  return inode;
}

export function readDescriptor({ inode }: Descriptor, into: Uint8Array, position: number): number {
  if (inode.kind !== "file") throw createErrnoError("EISDIR");
  return readContent(inode.content, into, position);
}

export function syncDescriptor({ inode }: Descriptor, disk: Disk): void {
  if (inode.kind === "file") syncContent(inode.content);
  if (inode.kind === "folder") syncNames(disk, inode);
}

export function statInode(inode: Inode): FileStat {
  const { kind, identity, modified } = inode;
  return { kind, identity, size: inode.kind === "file" ? inode.content.size : 0, modified };
}
