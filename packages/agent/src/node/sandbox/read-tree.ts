/** Reads the files below a path without following links, to compare them with what was there before or is in a commit. */

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";

export interface TreeFile {
  /** Absolute. */
  readonly path: string;
  readonly kind: "file" | "link";
  /** For a link, its target. */
  readonly content: Buffer;
}

export interface Tree {
  readonly files: readonly TreeFile[];
  /** Changes with every change of a file, a link or a folder below the path; not with the path itself. */
  readonly hash: string;
}

const MAX_ENTRIES = 200;
const MAX_BYTES = 4 * 1024 * 1024;

/** Null where the path is missing, changes while it is read, is too large, or has sockets, pipes or devices. */
export function readTree(path: string): Tree | null {
  const [files, folders]: [TreeFile[], string[]] = [[], []];
  try {
    collectFiles(path, files, folders);
  } catch {
    // Something replaced or removed it.
    return null;
  }
  if (files.length + folders.length > MAX_ENTRIES) return null;
  const hash = createHash("sha256");
  for (const folder of folders.toSorted()) hash.update(`${relative(path, folder)}\0`);
  for (const { path: file, kind, content } of files)
    hash.update(`${relative(path, file)}\0${kind}\0${content.length}\0`).update(content);
  return { files, hash: hash.digest("hex") };
}

function collectFiles(path: string, files: TreeFile[], folders: string[]): void {
  const stats = lstatSync(path);
  if (stats.isDirectory()) {
    folders.push(path);
    if (files.length + folders.length > MAX_ENTRIES) return;
    for (const name of readdirSync(path).toSorted()) collectFiles(join(path, name), files, folders);
  } else if (stats.isSymbolicLink()) {
    files.push({ path, kind: "link", content: readlinkSync(path, "buffer") });
  } else {
    files.push({ path, kind: "file", content: readOpenedFile(path) });
  }
}

function readOpenedFile(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > MAX_BYTES) throw new Error(`${path} is not a small file`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
