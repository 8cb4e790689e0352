/** Models a disk in memory: inodes, folders and path lookup. Symbolic links lead only to themselves. */

import { createFileContent, type FileContent } from "./content.ts";
import { createErrnoError } from "./refusal.ts";

export interface Disk {
  readonly root: FolderInode;
  /** What happened to names and was not yet synced, oldest first. */
  unsynced: NameChange[];
  /** How many inodes there ever were: none has the number of another. */
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
  /** What would be here after a power cut at the worst. */
  readonly durable: Map<string, Inode>;
}

export interface LinkInode extends InodeBase {
  readonly kind: "other";
}

/** Happens as a whole, in all folders that it touches. */
export interface NameChange {
  readonly updates: readonly NameUpdate[];
}

export interface NameUpdate {
  readonly folder: FolderInode;
  readonly name: string;
  /** What it names from now on; null for nothing. */
  readonly inode: Inode | null;
}

/** Where a path leads: a name in a folder that is there, and what has that name. */
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

/** Everything below a folder, with its path; what has two names comes twice. */
export function* walkFolder(folder: FolderInode, parentPath = ""): Generator<readonly [path: string, inode: Inode]> {
  for (const [name, inode] of folder.names) {
    yield [`${parentPath}/${name}`, inode];
    if (inode.kind === "folder") yield* walkFolder(inode, `${parentPath}/${name}`);
  }
}

/** How many bytes all files take: those that have a name, and those that are only open any more. */
export function countUsedBytes(disk: Disk, openInodes: readonly Inode[]): number {
  const inodes = new Set([...walkFolder(disk.root)].map(([, inode]) => inode).concat(openInodes));
  return [...inodes].reduce((sum, inode) => sum + (inode.kind === "file" ? inode.content.size : 0), 0);
}
