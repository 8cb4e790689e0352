/** What changes a file other than by appending, each so that a crash at any moment leaves the old or the new. */

import { dirname } from "node:path";
import type { Files, OpenFile } from "../files/files.ts";

/** A new file, there whole or not at all; refused (`EEXIST`) where the name is taken. */
export function createWhole(path: string, bytes: Uint8Array, files: Files): void {
  const fresh = written(`${path}.new`, bytes, files);
  files.link(fresh, path);
  files.remove(fresh);
  files.syncFolder(dirname(path));
}

/** A folder that survives a power cut, with those above it. */
export function makeFolder(path: string, files: Files): void {
  const missing: string[] = [];
  for (let folder = path; !files.stat(folder) && dirname(folder) !== folder; folder = dirname(folder))
    missing.push(folder);
  files.makeFolder(path);
  for (const folder of missing.reverse()) files.syncFolder(dirname(folder));
}

/** Puts another content in a file's place; the old file stays beside it as `.bak`. */
export function replaceWhole(path: string, bytes: Uint8Array, files: Files): void {
  const fresh = written(`${path}.new`, bytes, files);
  keepOld(path, files);
  files.rename(fresh, path);
  files.syncFolder(dirname(path));
}

/** Adds bytes to the file of damaged ends, and waits for the disk. */
export function setAside(path: string, pieces: Iterable<Uint8Array>, files: Files): void {
  const file = files.stat(path) ? files.open(path, "append") : files.create(path);
  try {
    for (const piece of pieces) appendAll(file, piece);
    file.sync();
  } finally {
    file.close();
  }
  files.syncFolder(dirname(path));
}

function written(path: string, bytes: Uint8Array, files: Files): string {
  // Left by a crash before it counted.
  if (files.stat(path)) files.remove(path);
  const file = files.create(path);
  try {
    appendAll(file, bytes);
    file.sync();
  } finally {
    file.close();
  }
  return path;
}

// The first .bak is the oldest and the one worth having; a later one gets a number.
function keepOld(path: string, files: Files): void {
  const old = files.stat(path)?.identity;
  for (let number = 1; ; number++) {
    const kept = number === 1 ? `${path}.bak` : `${path}.bak-${number}`;
    const there = files.stat(kept);
    if (there?.identity === old) return;
    if (there) continue;
    files.link(path, kept);
    return;
  }
}

function appendAll(file: OpenFile, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += file.append(bytes.subarray(done));
}
