/** Creates and replaces files atomically. A crash at any moment leaves the old content or the new. */

import { dirname } from "node:path";
import { appendAll, diskErrorCode, type Files, type OpenFile } from "../files.ts";

/** Creates a file with all of its content or not at all. Throws `EEXIST` if the path exists. */
export function createFileAtomically(path: string, bytes: Uint8Array, files: Files): void {
  const file = startAtomicFile(path, files);
  try {
    file.add(bytes);
    file.commit();
  } finally {
    file.discard();
  }
}

/** A new file that is not visible before `commit`. */
export interface AtomicFile {
  /** Writes more content. */
  add(piece: Uint8Array): void;
  /** Makes the file visible and durable. Throws `EEXIST` if the path exists. */
  commit(): void;
  /** Removes a file that was not committed. Does nothing after `commit`. */
  discard(): void;
}

/** Starts a new file that is written in pieces. */
export function startAtomicFile(path: string, files: Files): AtomicFile {
  // Two processes may create the same file at once, so each has its own temporary file.
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

/** Creates a folder and its parents, and syncs them so that they survive a power cut. */
export function makeDurableFolder(path: string, files: Files): void {
  const missingFolders: string[] = [];
  for (let folder = path; !files.stat(folder) && dirname(folder) !== folder; folder = dirname(folder))
    missingFolders.push(folder);
  files.makeFolder(path);
  for (const folder of missingFolders.reverse()) files.syncFolder(dirname(folder));
}

/** Replaces the content of a file. A copy of the old file stays as `.bak`. */
export function replaceFileAtomically(path: string, bytes: Uint8Array, files: Files): void {
  const temporaryPath = writeTemporaryFile(`${path}.new`, bytes, files);
  keepBackup(path, files);
  files.rename(temporaryPath, path);
  files.syncFolder(dirname(path));
}

/** Creates a file or replaces its content. No copy of the old content stays. */
export function overwriteFileAtomically(path: string, bytes: Uint8Array, files: Files): void {
  files.rename(writeTemporaryFile(`${path}.new`, bytes, files), path);
  files.syncFolder(dirname(path));
}

/** Appends torn bytes to the `.damaged` file and syncs it. */
export function saveDamagedBytes(path: string, pieces: Iterable<Uint8Array>, files: Files): void {
  const file = files.stat(path) ? files.open(path, "append") : files.create(path);
  const { size } = file.stat();
  try {
    for (const piece of pieces) appendAll(file, piece);
    file.sync();
  } catch (error) {
    // A retry would append the bytes again after the incomplete part.
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
  // A crash may have left a temporary file.
  if (files.stat(path)) files.remove(path);
  return files.create(path);
}

// The error that led to the cleanup is reported already. A file that cannot be removed is removed by the next attempt.
function tryCleanup(cleanup: () => void): void {
  try {
    cleanup();
  } catch (error) {
    if (diskErrorCode(error) === "") throw error;
  }
}

// A copy instead of a hard link, because the old file may have been readable for other users. The first backup is the most valuable one and
// is never overwritten; later ones get a number.
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
