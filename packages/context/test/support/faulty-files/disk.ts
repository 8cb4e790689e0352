/** Models a disk in memory: inodes, folders, path lookup, and file contents with their unsynced changes. Symbolic links lead only to themselves. */

import { createErrnoError } from "./errors.ts";

export interface Disk {
  readonly root: FolderInode;
  /** Name changes that are not synced, oldest first. */
  unsynced: NameChange[];
  /** The number of inodes ever created; numbers are not reused. */
  inodes: number;
  time: number;
}

export type Inode = FileInode | FolderInode | LinkInode;

interface InodeBase {
  readonly identity: string;
  modified: number;
}

export interface FileInode extends InodeBase {
  readonly kind: "file";
  content: FileContent;
}

export interface FolderInode extends InodeBase {
  readonly kind: "folder";
  names: Map<string, Inode>;
  /** The names that survive any power cut. */
  readonly durable: Map<string, Inode>;
}

export interface LinkInode extends InodeBase {
  readonly kind: "other";
}

/** A change that is atomic across all its folders. */
export interface NameChange {
  readonly updates: readonly NameUpdate[];
}

export interface NameUpdate {
  readonly folder: FolderInode;
  readonly name: string;
  /** The new inode; null for a removal. */
  readonly inode: Inode | null;
}

/** The result of a path lookup: the existing folder, the name in it, and its inode. */
export interface PathLookup {
  readonly folder: FolderInode;
  readonly name: string;
  readonly inode: Inode | undefined;
}

export function createDisk(): Disk {
  const time = 1767225600000;
  const root: FolderInode = { kind: "folder", identity: "1:1", modified: time, names: new Map(), durable: new Map() };
  return { root, unsynced: [], inodes: 1, time };
}

export function createFileInode(disk: Disk): FileInode {
  return { kind: "file", ...createInodeBase(disk), content: createFileContent(new Uint8Array()) };
}

export function createFolderInode(disk: Disk): FolderInode {
  return { kind: "folder", ...createInodeBase(disk), names: new Map(), durable: new Map() };
}

export function createLinkInode(disk: Disk): LinkInode {
  return { kind: "other", ...createInodeBase(disk) };
}

function createInodeBase(disk: Disk): { identity: string; modified: number } {
  return { identity: `1:${++disk.inodes}`, modified: ++disk.time };
}

export function touch(disk: Disk, inode: Inode): void {
  inode.modified = ++disk.time;
}

export function lookUpPath(disk: Disk, path: string): PathLookup {
  const segments = splitPath(path);
  const name = segments.pop();
  if (name === undefined) return { folder: disk.root, name: "", inode: disk.root };
  const folder = segments.reduce((parent, segment) => requireFolder(parent.names.get(segment)), disk.root);
  return { folder, name, inode: folder.names.get(name) };
}

export function requireInode(disk: Disk, path: string): Inode {
  const { inode } = lookUpPath(disk, path);
  if (inode === undefined) throw createErrnoError("ENOENT");
  return inode;
}

export function requireFolder(inode: Inode | undefined): FolderInode {
  if (inode === undefined) throw createErrnoError("ENOENT");
  if (inode.kind === "other") throw createErrnoError("ELOOP");
  if (inode.kind === "file") throw createErrnoError("ENOTDIR");
  return inode;
}

export function splitPath(path: string): string[] {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments;
}

/** All inodes below a folder with their paths; an inode with two names occurs twice. */
export function* walkFolder(folder: FolderInode, parentPath = ""): Generator<readonly [path: string, inode: Inode]> {
  for (const [name, inode] of folder.names) {
    yield [`${parentPath}/${name}`, inode];
    if (inode.kind === "folder") yield* walkFolder(inode, `${parentPath}/${name}`);
  }
}

/** The number of bytes in all files, including open files without a name. */
export function countUsedBytes(disk: Disk, openInodes: readonly Inode[]): number {
  const inodes = new Set([...walkFolder(disk.root)].map(([, inode]) => inode).concat(openInodes));
  return [...inodes].reduce((sum, inode) => sum + (inode.kind === "file" ? inode.content.size : 0), 0);
}

export interface FileContent {
  /** May be longer than the file; zero beyond its size. */
  bytes: Uint8Array;
  size: number;
  /** Oldest first. */
  unsynced: ContentChange[];
}

export type ContentChange =
  | { readonly type: "append"; readonly position: number; readonly bytes: Uint8Array }
  | { readonly type: "truncate"; readonly from: number; readonly to: number; readonly removedBytes: Uint8Array };

export function createFileContent(bytes: Uint8Array): FileContent {
  return { bytes: bytes.slice(), size: bytes.length, unsynced: [] };
}

export function copyFileBytes({ bytes, size }: FileContent): Uint8Array {
  return bytes.slice(0, size);
}

export function readContent({ bytes, size }: FileContent, into: Uint8Array, position: number): number {
  const chunk = bytes.subarray(Math.min(position, size), Math.min(position + into.length, size));
  into.set(chunk);
  return chunk.length;
}

export function appendContent(content: FileContent, bytes: Uint8Array): void {
  if (bytes.length === 0) return;
  content.unsynced.push({ type: "append", position: content.size, bytes: bytes.slice() });
  writeBytes(content, content.size, bytes);
  content.size += bytes.length;
}

export function truncateContent(content: FileContent, to: number): void {
  const { bytes, size: from } = content;
  if (to === from) return;
  content.unsynced.push({ type: "truncate", from, to, removedBytes: bytes.slice(to, from) });
  resizeContent(content, to);
}

export function syncContent(content: FileContent): void {
  content.unsynced = [];
}

/** A copy of the content at the last sync. */
export function toSyncedContent(content: FileContent): FileContent {
  const copy = createFileContent(copyFileBytes(content));
  for (const change of content.unsynced.toReversed()) {
    resizeContent(copy, change.type === "append" ? change.position : change.from);
    if (change.type === "truncate") writeBytes(copy, change.to, change.removedBytes);
  }
  return copy;
}

/** Writes bytes without changing the size. */
export function writeBytes(content: FileContent, position: number, bytes: Uint8Array): void {
  ensureCapacity(content, position + bytes.length);
  content.bytes.set(bytes, position);
}

/** Truncates the content, or extends it with zeros. */
export function resizeContent(content: FileContent, size: number): void {
  ensureCapacity(content, size);
  content.bytes.fill(0, size);
  content.size = size;
}

function ensureCapacity(content: FileContent, length: number): void {
  if (length <= content.bytes.length) return;
  const larger = new Uint8Array(Math.max(length, 2 * content.bytes.length));
  larger.set(content.bytes);
  content.bytes = larger;
}
