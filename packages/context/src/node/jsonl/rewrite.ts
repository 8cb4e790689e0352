/** Changes files in other ways than appending lines. A crash at any moment leaves the old content or the new. */

import { dirname } from "node:path";
import { appendAll, diskErrorCode, type Files, type OpenFile } from "../files.ts";

/** A new file, there whole or not at all; refused (`EEXIST`) where the name is taken. */
export function createFileAtomically(path: string, bytes: Uint8Array, files: Files): void {
  const file = startAtomicFile(path, files);
  try {
    file.add(bytes);
    file.commit();
  } finally {
    file.discard();
  }
}

/** A new file on its way: nobody sees it before it is kept. */
export interface AtomicFile {
  add(piece: Uint8Array): void;
  /** It is there from now on, whatever happens; refused (`EEXIST`) where the name is taken. */
  commit(): void;
  /** Takes back what was not kept; after it was, nothing happens. */
  discard(): void;
}

/** The same for what is too much to hold at once. */
export function startAtomicFile(path: string, files: Files): AtomicFile {
  // Two processes may make the same file at once: each has one of its own until it is kept.
  const temporaryPath = `${path}.${process.pid}.new`;
  const file = createTemporaryFile(temporaryPath, files);
  let state: "open" | "closed" | "gone" = "open";
  return {
    add: (piece) => appendAll(file, piece),
    commit() {
      file.sync();
      state = "closed";
      file.close();
      files.link(temporaryPath, path);
      files.remove(temporaryPath);
      state = "gone";
      files.syncFolder(dirname(path));
    },
    discard() {
      if (state === "open") tryCleanup(() => file.close());
      if (state !== "gone") tryCleanup(() => files.remove(temporaryPath));
      state = "gone";
    },
  };
}

/** A folder that survives a power cut, with those above it. */
export function makeDurableFolder(path: string, files: Files): void {
  const missingFolders: string[] = [];
  for (let folder = path; !files.stat(folder) && dirname(folder) !== folder; folder = dirname(folder))
    missingFolders.push(folder);
  files.makeFolder(path);
  for (const folder of missingFolders.reverse()) files.syncFolder(dirname(folder));
}

/** Puts another content in a file's place; the old file stays beside it as `.bak`. */
export function replaceFileAtomically(path: string, bytes: Uint8Array, files: Files): void {
  const temporaryPath = writeTemporaryFile(`${path}.new`, bytes, files);
  keepBackup(path, files);
  files.rename(temporaryPath, path);
  files.syncFolder(dirname(path));
}

/** Adds bytes to the file of damaged ends, and waits for the disk. */
export function saveDamagedBytes(path: string, pieces: Iterable<Uint8Array>, files: Files): void {
  const file = files.stat(path) ? files.open(path, "append") : files.create(path);
  const { size } = file.stat();
  try {
    for (const piece of pieces) appendAll(file, piece);
    file.sync();
  } catch (error) {
    // Half of it would stand before the whole, when it is tried again.
    tryCleanup(() => file.truncate(size));
    throw error;
  } finally {
    file.close();
  }
  files.syncFolder(dirname(path));
}

function writeTemporaryFile(path: string, bytes: Uint8Array, files: Files): string {
  const file = createTemporaryFile(path, files);
  try {
    appendAll(file, bytes);
    file.sync();
  } finally {
    file.close();
  }
  return path;
}

function createTemporaryFile(path: string, files: Files): OpenFile {
  // Left by a crash before it counted.
  if (files.stat(path)) files.remove(path);
  return files.create(path);
}

// Whoever drops a file has heard why already; what cannot be swept is litter that the next attempt removes.
function tryCleanup(cleanup: () => void): void {
  try {
    cleanup();
  } catch (error) {
    if (diskErrorCode(error) === "") throw error;
  }
}

// A copy, and not a second name: the old file may have been readable for others. The first .bak is the oldest, and the one worth
// having; a later one gets a number.
function keepBackup(path: string, files: Files): void {
  for (let number = 1; ; number++) {
    const backupPath = number === 1 ? `${path}.bak` : `${path}.bak-${number}`;
    if (!files.stat(backupPath)) {
      copyFileAtomically(path, backupPath, files);
      return;
    }
    if (hasSameContent(path, backupPath, files)) return;
  }
}

function copyFileAtomically(from: string, to: string, files: Files): void {
  const copy = startAtomicFile(to, files);
  try {
    for (const piece of readFilePieces(from, files)) copy.add(piece);
    copy.commit();
  } finally {
    copy.discard();
  }
}

function hasSameContent(one: string, other: string, files: Files): boolean {
  if (files.stat(one)?.size !== files.stat(other)?.size) return false;
  const otherPieces = readFilePieces(other, files);
  for (const piece of readFilePieces(one, files)) {
    const next = otherPieces.next();
    if (next.done || Buffer.compare(piece, next.value) !== 0) return false;
  }
  return true;
}

function* readFilePieces(path: string, files: Files): Generator<Uint8Array, undefined> {
  const file = files.open(path, "read");
  try {
    for (let offset = 0; ; ) {
      const piece = new Uint8Array(COPY_CHUNK_BYTES);
      const count = file.read(piece, offset);
      if (count === 0) return;
      yield piece.subarray(0, count);
      offset += count;
    }
  } finally {
    file.close();
  }
}

const COPY_CHUNK_BYTES = 1024 * 1024;
