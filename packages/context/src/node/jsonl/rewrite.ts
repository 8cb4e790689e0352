/** Changes files in other ways than appending lines. A crash at any moment leaves the old content or the new. */

import { dirname } from "node:path";
import { appendAll, diskError, type Files, type OpenFile } from "../files.ts";

/** A new file, there whole or not at all; refused (`EEXIST`) where the name is taken. */
export function createWhole(path: string, bytes: Uint8Array, files: Files): void {
  const file = startWhole(path, files);
  try {
    file.add(bytes);
    file.keep();
  } finally {
    file.drop();
  }
}

/** A new file on its way: nobody sees it before it is kept. */
export interface StartedFile {
  add(piece: Uint8Array): void;
  /** It is there from now on, whatever happens; refused (`EEXIST`) where the name is taken. */
  keep(): void;
  /** Takes back what was not kept; after it was, nothing happens. */
  drop(): void;
}

/** The same for what is too much to hold at once. */
export function startWhole(path: string, files: Files): StartedFile {
  // Two processes may make the same file at once: each has one of its own until it is kept.
  const fresh = `${path}.${process.pid}.new`;
  const file = freshFile(fresh, files);
  let state: "open" | "closed" | "gone" = "open";
  return {
    add: (piece) => appendAll(file, piece),
    keep() {
      file.sync();
      state = "closed";
      file.close();
      files.link(fresh, path);
      files.remove(fresh);
      state = "gone";
      files.syncFolder(dirname(path));
    },
    drop() {
      if (state === "open") swept(() => file.close());
      if (state !== "gone") swept(() => files.remove(fresh));
      state = "gone";
    },
  };
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
  const { size } = file.stat();
  try {
    for (const piece of pieces) appendAll(file, piece);
    file.sync();
  } catch (error) {
    // Half of it would stand before the whole, when it is tried again.
    swept(() => file.truncate(size));
    throw error;
  } finally {
    file.close();
  }
  files.syncFolder(dirname(path));
}

function written(path: string, bytes: Uint8Array, files: Files): string {
  const file = freshFile(path, files);
  try {
    appendAll(file, bytes);
    file.sync();
  } finally {
    file.close();
  }
  return path;
}

function freshFile(path: string, files: Files): OpenFile {
  // Left by a crash before it counted.
  if (files.stat(path)) files.remove(path);
  return files.create(path);
}

// Whoever drops a file has heard why already; what cannot be swept is litter that the next attempt removes.
function swept(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (diskError(error) === "") throw error;
  }
}

// A copy, and not a second name: the old file may have been readable for others. The first .bak is the oldest, and the one worth
// having; a later one gets a number.
function keepOld(path: string, files: Files): void {
  for (let number = 1; ; number++) {
    const kept = number === 1 ? `${path}.bak` : `${path}.bak-${number}`;
    if (!files.stat(kept)) {
      copyWhole(path, kept, files);
      return;
    }
    if (isCopy(path, kept, files)) return;
  }
}

function copyWhole(from: string, to: string, files: Files): void {
  const copy = startWhole(to, files);
  try {
    for (const piece of piecesOf(from, files)) copy.add(piece);
    copy.keep();
  } finally {
    copy.drop();
  }
}

function isCopy(one: string, other: string, files: Files): boolean {
  if (files.stat(one)?.size !== files.stat(other)?.size) return false;
  const others = piecesOf(other, files);
  for (const piece of piecesOf(one, files)) {
    const next = others.next();
    if (next.done || Buffer.compare(piece, next.value) !== 0) return false;
  }
  return true;
}

function* piecesOf(path: string, files: Files): Generator<Uint8Array, undefined> {
  const file = files.open(path, "read");
  try {
    for (let at = 0; ; ) {
      const piece = new Uint8Array(STEP);
      const count = file.read(piece, at);
      if (count === 0) return;
      yield piece.subarray(0, count);
      at += count;
    }
  } finally {
    file.close();
  }
}

const STEP = 1024 * 1024;
