/** Puts files on the disk and reads them for a test, past all faults; none of it counts as an operation. */

import { bytesOf, contentOf } from "./content.ts";
import { below, type Disk, type FileInode, type Inode, inodeAt, placeOf, stepsOf, touch } from "./disk.ts";
import { createFile, createLink, makeFolders, syncNames } from "./name-changes.ts";
import { type Call, refusal, worded } from "./refusal.ts";

export function plantFile(disk: Disk, path: string, bytes: Uint8Array): void {
  inWords({ operation: "create", paths: [path] }, () => {
    withFolders(disk, path, () => {
      const file = asFile(placeOf(disk, path).inode ?? createFile(disk, path));
      file.content = contentOf(bytes);
      touch(disk, file);
    });
  });
}

export function plantLink(disk: Disk, path: string): void {
  inWords({ operation: "create", paths: [path] }, () => withFolders(disk, path, () => createLink(disk, path)));
}

export function bytesAt(disk: Disk, path: string): Uint8Array {
  return inWords({ operation: "open", paths: [path] }, () => bytesOf(asFile(inodeAt(disk, path)).content));
}

export function pathsOn(disk: Disk): string[] {
  const named = [...below(disk.root)].filter(([, inode]) => inode.kind !== "folder");
  return named.map(([path]) => path).sort();
}

function withFolders(disk: Disk, path: string, act: () => void): void {
  const folders = makeFolders(disk, stepsOf(path).slice(0, -1).join("/"));
  act();
  for (const folder of folders) syncNames(disk, folder);
}

function asFile(inode: Inode): FileInode {
  if (inode.kind === "folder") throw refusal("EISDIR");
  if (inode.kind === "other") throw refusal("ELOOP");
  return inode;
}

function inWords<Result>(call: Call, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw worded(error, call);
  }
}
