/** Stores session blobs beside the session file, and originals of changed files in an owner-only folder that is kept apart from it. */

import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isBlobHash } from "@pith/context/host";
import { BLOB_QUOTA, BlobWriter, findBlobs, keepBlob, readBlob } from "@pith/context/node";
import type { BlobStore, BlobWriteResult, FileOriginals } from "../ports.ts";
import { hashBytes } from "../text.ts";
import { ensureOwnerOnlyFolder, readRegularFile, UNFINISHED_PREFIX, writeOwnerOnlyFile } from "./safe-files.ts";

export interface OriginalsFolderOptions {
  /** A larger file is not kept; 16 MB unless said. */
  readonly maxFileBytes?: number;
  /** The most bytes of all; 1 GB unless said. */
  readonly maxTotalBytes?: number;
}

/** The originals of one session, in `$PITH_HOME/restore/<session id>`; the folder is made when there is something to keep. */
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
    // BACK5: a disk that refuses costs the way back, never the work.
    keep: async (bytes) => (bytes.length > maxFileBytes ? null : await keep(bytes).catch(() => null)),
    read: async (hash) => {
      if (!isBlobHash(hash)) return null;
      // What cannot be read is not there for us, for whatever reason.
      const bytes = await readRegularFile(join(folder, hash), maxFileBytes).catch(() => null);
      return bytes && (await hashBytes(bytes)) === hash ? bytes : null;
    },
  };
}

const MEGABYTE = 1024 * 1024;
const MAX_FILE_BYTES = 16 * MEGABYTE;
const MAX_TOTAL_BYTES = 1024 * MEGABYTE;

/** The bytes of what it has; what a crash left there is swept away. */
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
  // Whatever keeps us from looking will be said by the act that follows.
  const stats = await lstat(path).catch(() => null);
  return stats?.isFile() === true && stats.size === size;
}

export interface SessionBlobsOptions {
  /** The most bytes of one blob; 256 MB unless said. */
  readonly quota?: number;
}

/** A blob is on disk before anything names it. The blobs of the session whose file this is. */
export function sessionBlobs(sessionPath: string, { quota = BLOB_QUOTA }: SessionBlobsOptions = {}): BlobStore {
  return {
    keep: (bytes) => keepUpToQuota(sessionPath, bytes, quota),
    findByPrefix: (digits) => findBlobs(sessionPath, digits),
    createWriter: () => new BlobWriter(sessionPath, { quota }),
    read: async (hash, range) => {
      // Each page waits for the disk: whoever turns thousands of them lets others in between.
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
