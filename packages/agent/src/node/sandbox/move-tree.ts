/**
 * Moves files and folders of a workspace away and back, without following a link: a command may replace any part of a path while this
 * runs.
 */

import {
  closeSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../safe-files.ts";
import { inFolder, openFolderNoFollow } from "./mounts.ts";
import { withWritableFolder } from "./path-placeholders.ts";

/** `other-disk`: a move would have to copy, which is safe only once nobody writes. */
export type MoveResult = "moved" | "missing" | "other-disk" | "failed";

/** Moves an entry to a path that does not exist. `mayCopy` allows a move to another disk. */
export function moveEntry(from: string, to: string, { mayCopy }: { readonly mayCopy: boolean }): MoveResult {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  let result: MoveResult = "failed";
  try {
    inFolder(dirname(from), (source) =>
      inFolder(dirname(to), (target) => {
        const [sourcePath, targetPath] = [join(source, basename(from)), join(target, basename(to))];
        withWritableFolder(dirname(from), () => {
          result = moveOpened(sourcePath, targetPath, mayCopy);
        });
      }),
    );
    return result;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? "missing" : "failed";
  }
}

function moveOpened(from: string, to: string, mayCopy: boolean): MoveResult {
  if (lstatSync(to, { throwIfNoEntry: false })) return "failed";
  try {
    renameSync(from, to);
    return "moved";
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "missing";
    if (errorCode(error) !== "EXDEV") throw error;
    if (!mayCopy) return "other-disk";
    copyTree(from, to);
    removeTree(from);
    return "moved";
  }
}

/** The parent of `path` must be an open folder. Sockets, pipes and devices are left out. */
function copyTree(from: string, to: string): void {
  const stats = lstatSync(from);
  if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (stats.isFile()) copyOpenedFile(from, to);
  if (!stats.isDirectory()) return;
  mkdirSync(to, { mode: 0o700 });
  eachEntry(from, (entry) => copyTree(entry, join(to, basename(entry))));
}

function copyOpenedFile(from: string, to: string): void {
  const file = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    copyFileSync(`/proc/self/fd/${file}`, to, constants.COPYFILE_EXCL);
  } finally {
    closeSync(file);
  }
}

function removeTree(path: string): void {
  if (!lstatSync(path).isDirectory()) {
    unlinkSync(path);
    return;
  }
  eachEntry(path, removeTree);
  rmdirSync(path);
}

function eachEntry(folder: string, visit: (entry: string) => void): void {
  const descriptor = openFolderNoFollow(folder);
  try {
    const openFolder = `/proc/self/fd/${descriptor}`;
    for (const name of readdirSync(openFolder)) visit(join(openFolder, name));
  } finally {
    closeSync(descriptor);
  }
}
