/** Models a disk in memory: inodes, folders and path lookup. Symbolic links lead only to themselves. */

import { type Content, contentOf } from "./content.ts";
import { refusal } from "./refusal.ts";

export interface Disk {
  readonly root: FolderInode;
  /** What happened to names and was not yet synced, oldest first. */
  unsynced: NameChange[];
  /** How many inodes there ever were: none has the number of another. */
  inodes: number;
  time: number;
}

export type Inode = FileInode | FolderInode | LinkInode;

interface Marked {
  readonly identity: string;
  modified: number;
}

export interface FileInode extends Marked {
  readonly kind: "file";
  content: Content;
}

export interface FolderInode extends Marked {
  readonly kind: "folder";
  names: Map<string, Inode>;
  /** What would be here after a power cut at the worst. */
  readonly durable: Map<string, Inode>;
}

export interface LinkInode extends Marked {
  readonly kind: "other";
}

/** Happens as a whole, in all folders that it touches. */
export interface NameChange {
  readonly names: readonly ChangedName[];
}

export interface ChangedName {
  readonly folder: FolderInode;
  readonly name: string;
  /** What it names from now on; null for nothing. */
  readonly inode: Inode | null;
}

/** Where a path leads: a name in a folder that is there, and what has that name. */
export interface Place {
  readonly folder: FolderInode;
  readonly name: string;
  readonly inode: Inode | undefined;
}

export function newDisk(): Disk {
  const time = 1767225600000;
  const root: FolderInode = { kind: "folder", identity: "1:1", modified: time, names: new Map(), durable: new Map() };
  return { root, unsynced: [], inodes: 1, time };
}

export function newFile(disk: Disk): FileInode {
  return { kind: "file", ...newMarks(disk), content: contentOf(new Uint8Array()) };
}

export function newFolder(disk: Disk): FolderInode {
  return { kind: "folder", ...newMarks(disk), names: new Map(), durable: new Map() };
}

export function newLink(disk: Disk): LinkInode {
  return { kind: "other", ...newMarks(disk) };
}

function newMarks(disk: Disk): { identity: string; modified: number } {
  return { identity: `1:${++disk.inodes}`, modified: ++disk.time };
}

export function touch(disk: Disk, inode: Inode): void {
  inode.modified = ++disk.time;
}

export function placeOf(disk: Disk, path: string): Place {
  const steps = stepsOf(path);
  const name = steps.pop();
  if (name === undefined) return { folder: disk.root, name: "", inode: disk.root };
  const folder = steps.reduce((above, step) => asFolder(above.names.get(step)), disk.root);
  return { folder, name, inode: folder.names.get(name) };
}

export function inodeAt(disk: Disk, path: string): Inode {
  const { inode } = placeOf(disk, path);
  if (inode === undefined) throw refusal("ENOENT");
  return inode;
}

export function asFolder(inode: Inode | undefined): FolderInode {
  if (inode === undefined) throw refusal("ENOENT");
  if (inode.kind === "other") throw refusal("ELOOP");
  if (inode.kind === "file") throw refusal("ENOTDIR");
  return inode;
}

export function stepsOf(path: string): string[] {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return steps;
}

/** Everything below a folder, with its path; what has two names comes twice. */
export function* below(folder: FolderInode, above = ""): Generator<readonly [path: string, inode: Inode]> {
  for (const [name, inode] of folder.names) {
    yield [`${above}/${name}`, inode];
    if (inode.kind === "folder") yield* below(inode, `${above}/${name}`);
  }
}

/** How many bytes all files take: those that have a name, and those that are only open any more. */
export function used(disk: Disk, open: readonly Inode[]): number {
  const inodes = new Set([...below(disk.root)].map(([, inode]) => inode).concat(open));
  return [...inodes].reduce((sum, inode) => sum + (inode.kind === "file" ? inode.content.size : 0), 0);
}
