/** Puts files on the disk and reads them for a test, past all faults; none of it counts as an operation. */

import { copyFileBytes, createFileContent } from "./content.ts";
import {
  type Disk,
  type FileInode,
  type Inode,
  lookUpPath,
  requireInode,
  splitPath,
  touch,
  walkFolder,
} from "./disk.ts";
import { createFile, createFolders, createLink, syncNames } from "./name-changes.ts";
import { createErrnoError, type FileOperationCall, toNodeError } from "./refusal.ts";

export function addTestFile(disk: Disk, path: string, bytes: Uint8Array): void {
  withNodeErrors({ operation: "create", paths: [path] }, () => {
    withFoldersSynced(disk, path, () => {
      const file = requireFile(lookUpPath(disk, path).inode ?? createFile(disk, path));
      file.content = createFileContent(bytes);
      touch(disk, file);
    });
  });
}

export function addTestLink(disk: Disk, path: string): void {
  withNodeErrors({ operation: "create", paths: [path] }, () =>
    withFoldersSynced(disk, path, () => createLink(disk, path)),
  );
}

export function readFileBytes(disk: Disk, path: string): Uint8Array {
  return withNodeErrors({ operation: "open", paths: [path] }, () =>
    copyFileBytes(requireFile(requireInode(disk, path)).content),
  );
}

export function listFilePaths(disk: Disk): string[] {
  const inodes = [...walkFolder(disk.root)].filter(([, inode]) => inode.kind !== "folder");
  return inodes.map(([path]) => path).sort();
}

function withFoldersSynced(disk: Disk, path: string, run: () => void): void {
  const folders = createFolders(disk, splitPath(path).slice(0, -1).join("/"));
  run();
  for (const folder of folders) syncNames(disk, folder);
}

function requireFile(inode: Inode): FileInode {
  if (inode.kind === "folder") throw createErrnoError("EISDIR");
  if (inode.kind === "other") throw createErrnoError("ELOOP");
  return inode;
}

function withNodeErrors<Result>(call: FileOperationCall, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw toNodeError(error, call);
  }
}
