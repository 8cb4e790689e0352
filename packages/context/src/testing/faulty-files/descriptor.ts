/** Reads, writes and syncs an open file, whatever happens to its name. */

import type { FileStat } from "../../node/files.ts";
import { readContent, syncContent } from "./content.ts";
import { type Disk, type FileInode, type Inode, inodeAt } from "./disk.ts";
import { syncNames } from "./name-changes.ts";
import { refusal } from "./refusal.ts";

export interface Descriptor {
  readonly inode: Inode;
  /** The name it was opened by, for the log. */
  readonly path: string;
  readonly how: "read" | "append";
}

export function descriptorOf(disk: Disk, path: string, how: "read" | "append"): Descriptor {
  const inode = inodeAt(disk, path);
  if (inode.kind === "other") throw refusal("ELOOP");
  if (inode.kind === "folder" && how === "append") throw refusal("EISDIR");
  return { inode, path, how };
}

/** The file to write to; else the code is thrown that the act has for it. */
export function writable({ inode, how }: Descriptor, code: "EBADF" | "EINVAL"): FileInode {
  if (inode.kind !== "file" || how !== "append") throw refusal(code);
  return inode;
}

export function readFrom({ inode }: Descriptor, into: Uint8Array, position: number): number {
  if (inode.kind !== "file") throw refusal("EISDIR");
  return readContent(inode.content, into, position);
}

export function syncThrough({ inode }: Descriptor, disk: Disk): void {
  if (inode.kind === "file") syncContent(inode.content);
  if (inode.kind === "folder") syncNames(disk, inode);
}

export function statOf(inode: Inode): FileStat {
  const { kind, identity, modified } = inode;
  return { kind, identity, size: inode.kind === "file" ? inode.content.size : 0, modified };
}
