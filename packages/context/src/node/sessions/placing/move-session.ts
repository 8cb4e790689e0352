/** A session to another path: what it needs is there first, then its log in one step. At every moment it is whole in one of the two places. */

import { basename, dirname, join } from "node:path";
import { blobHashes, syncBlobFolders } from "../../blobs/blob-folder.ts";
import { diskError, type Files } from "../../files/files.ts";
import { orNull } from "../../files/unavailable.ts";
import { blobFolder, leasePath, sideFolder } from "../../jsonl/side-folder.ts";
import { makeFolder } from "../../jsonl/writing/rewrite.ts";

/** Whoever calls it holds the lease of the old path; `EEXIST` where anything has the new one. Throws what the disk says. */
export function moveSession(from: string, to: string, files: Files): void {
  makeFolder(dirname(to), files);
  for (const [old, moved] of inBoth(from, to, files)) linked(old, moved, files);
  if (blobHashes(from, files).length > 0) syncBlobFolders(to, files);
  else files.syncFolder(dirname(to));
  // Renaming replaces what is there, and it may have come a moment ago.
  if (files.stat(to)) throw Object.assign(new Error(`EEXIST: ${to}`), { code: "EEXIST" });
  files.rename(from, to);
  files.syncFolder(dirname(to));
  files.syncFolder(dirname(from));
}

/** Once the lease is given up: takes away what now lies in both places, and brings what can be made again. */
export function tidyAfterMove(from: string, to: string, files: Files): void {
  // The session is whole in its new place: what cannot be swept is litter, no reason to say that it did not move.
  orNull(() => {
    for (const [old, moved] of inBoth(from, to, files)) if (isSame(old, moved, files)) files.remove(old);
    bringRest(sideFolder(from), sideFolder(to), files);
  });
}

/** What must never be missing beside the log, by its old and its new path. */
function inBoth(from: string, to: string, files: Files): readonly (readonly [old: string, moved: string])[] {
  const blobs = blobHashes(from, files);
  if (blobs.length > 0) files.makeFolder(blobFolder(to));
  return [
    ...beside(from, files).map((name) => [join(dirname(from), name), join(dirname(to), name)] as const),
    ...blobs.map((hash) => [join(blobFolder(from), hash), join(blobFolder(to), hash)] as const),
  ];
}

/** The names of the files that belong to it and lie beside it: `.bak`, `.damaged` and their like. */
function beside(path: string, files: Files): readonly string[] {
  return files
    .list(dirname(path))
    .filter((name) => name.startsWith(`${basename(path)}.`) && files.stat(join(dirname(path), name))?.kind === "file");
}

// Leases stay: their numbers count on, should a session ever come back to this path.
function bringRest(from: string, to: string, files: Files): void {
  const lease = basename(leasePath(""));
  const rest = files.list(from).filter((name) => name !== "blobs" && !name.startsWith(`${lease}.`));
  if (rest.length > 0) files.makeFolder(to);
  for (const name of rest) if (!files.stat(join(to, name))) files.rename(join(from, name), join(to, name));
}

function linked(from: string, to: string, files: Files): void {
  try {
    files.link(from, to);
  } catch (error) {
    // A second name from an earlier attempt; what is another file stays, and the old one too.
    if (diskError(error) !== "EEXIST") throw error;
  }
}

function isSame(one: string, other: string, files: Files): boolean {
  const identity = files.stat(one)?.identity;
  return identity !== undefined && files.stat(other)?.identity === identity;
}
