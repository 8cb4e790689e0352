/** Reads, writes and syncs an open file, whatever happens to its name. */

import type { FileStat } from "../../../src/node/files.ts";
import { readContent, syncContent } from "./content.ts";
import { type Disk, type FileInode, type Inode, requireInode } from "./disk.ts";
import { syncNames } from "./name-changes.ts";
import { createErrnoError } from "./refusal.ts";

export interface Descriptor {
  readonly inode: Inode;
  /** The name it was opened by, for the log. */
  readonly path: string;
  readonly mode: "read" | "append";
}

export function openDescriptor(disk: Disk, path: string, mode: "read" | "append"): Descriptor {
  const inode = requireInode(disk, path);
  if (inode.kind === "other") throw createErrnoError("ELOOP");
  if (inode.kind === "folder" && mode === "append") throw createErrnoError("EISDIR");
  return { inode, path, mode };
}

/** The file to write to; else the code is thrown that the act has for it. */
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
