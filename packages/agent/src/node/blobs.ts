/** Stores session blobs beside the session file, and originals of changed files in a separate owner-only folder. */

import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isBlobHash } from "@pith/context/host";
import { BLOB_QUOTA, BlobWriter, findBlobs, keepBlob, readBlob } from "@pith/context/node";
import type { BlobStore, BlobWriteResult, FileOriginals } from "../ports.ts";
import { hashBytes } from "../text.ts";
import { ensureOwnerOnlyFolder, readRegularFile, UNFINISHED_PREFIX, writeOwnerOnlyFile } from "./safe-files.ts";

/** Options of `originalsFolder`. */
export interface OriginalsFolderOptions {
  /** Larger files are not stored; 16 MB by default. */
  readonly maxFileBytes?: number;
  /** The limit for all files together; 1 GB by default. */
  readonly maxTotalBytes?: number;
}

/** The originals of one session, in `$PITH_HOME/restore/<session id>`. The folder is created with the first file. */
export function originalsFolder(
  folder: string,
  { maxFileBytes = MAX_FILE_BYTES, maxTotalBytes = MAX_TOTAL_BYTES }: OriginalsFolderOptions = {},
): FileOriginals {
  let usedBytes: number | null = null;
  const keep = async (bytes: Uint8Array): Promise<string | null> => {
    const hash = await hashBytes(bytes);
    usedBytes ??= await cleanAndMeasureFolder(folder);
    if (await isStored(join(folder, hash), bytes.length)) return hash;
    if (usedBytes + bytes.length > maxTotalBytes) return null;
    await writeOwnerOnlyFile(join(folder, hash), bytes);
    usedBytes += bytes.length;
    return hash;
  };
  return {
    // BACK5: if a file cannot be stored it cannot be restored later, but the change goes ahead.
    keep: async (bytes) => (bytes.length > maxFileBytes ? null : await keep(bytes).catch(() => null)),
    read: async (hash) => {
      if (!isBlobHash(hash)) return null;
      // A file that cannot be read counts as missing.
      const bytes = await readRegularFile(join(folder, hash), maxFileBytes).catch(() => null);
      return bytes && (await hashBytes(bytes)) === hash ? bytes : null;
    },
  };
}

const MEGABYTE = 1024 * 1024;
const MAX_FILE_BYTES = 16 * MEGABYTE;
const MAX_TOTAL_BYTES = 1024 * MEGABYTE;

/** Removes unfinished files that a crash left, and returns the size of the others. */
async function cleanAndMeasureFolder(folder: string): Promise<number> {
  await ensureOwnerOnlyFolder(folder);
  let bytes = 0;
  for (const name of await readdir(folder)) {
    if (name.startsWith(UNFINISHED_PREFIX)) await rm(join(folder, name), { force: true });
    else bytes += (await lstat(join(folder, name))).size;
  }
  return bytes;
}

async function isStored(path: string, size: number): Promise<boolean> {
  // The write that follows reports any other error.
  const stats = await lstat(path).catch(() => null);
  return stats?.isFile() === true && stats.size === size;
}

/** Options of `sessionBlobs`. */
export interface SessionBlobsOptions {
  /** The limit for one blob; 256 MB by default. */
  readonly quota?: number;
}

/** The blobs of the session with this file. A blob is on disk before anything refers to it. */
export function sessionBlobs(sessionPath: string, { quota = BLOB_QUOTA }: SessionBlobsOptions = {}): BlobStore {
  return {
    keep: (bytes) => keepUpToQuota(sessionPath, bytes, quota),
    findByPrefix: (digits) => findBlobs(sessionPath, digits),
    createWriter: () => new BlobWriter(sessionPath, { quota }),
    read: async (hash, range) => {
      // Yields to the event loop, so that reading thousands of pages does not block other work.
      await setImmediate();
      return await readBlob(sessionPath, hash, { range });
    },
  };
}

async function keepUpToQuota(sessionPath: string, bytes: Uint8Array, quota: number): Promise<BlobWriteResult> {
  const start = bytes.subarray(0, quota);
  const result = await keepBlob(sessionPath, start);
  return result.type === "kept" ? { ...result, isWhole: start.length === bytes.length } : result;
}
