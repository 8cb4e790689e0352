/** Stores session blobs beside the session file, and originals of changed files in an owner-only folder that is kept apart from it. */

import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isBlobHash } from "@pith/context/host";
import { BLOB_QUOTA, BlobWriter, findBlobs, keepBlob, readBlob } from "@pith/context/node";
import type { BlobKept, Blobs } from "../ports.ts";
import type { Originals } from "../session/rewind.ts";
import { hashOf } from "../text.ts";
import { ownFile, ownFolder, readOwn, UNFINISHED } from "./safe-files.ts";

export interface OriginalsFolderParts {
  /** A larger file is not kept; 16 MB unless said. */
  readonly mostBytes?: number;
  /** The most bytes of all; 1 GB unless said. */
  readonly room?: number;
}

/** The originals of one session, in `$PITH_HOME/restore/<session id>`; the folder is made when there is something to keep. */
export function originalsFolder(
  folder: string,
  { mostBytes = MOST_BYTES, room = ROOM }: OriginalsFolderParts = {},
): Originals {
  let used: number | null = null;
  const keep = async (bytes: Uint8Array): Promise<string | null> => {
    const hash = await hashOf(bytes);
    used ??= await tidied(folder);
    if (await isThere(join(folder, hash), bytes.length)) return hash;
    if (used + bytes.length > room) return null;
    await ownFile(join(folder, hash), bytes);
    used += bytes.length;
    return hash;
  };
  return {
    // BACK5: a disk that refuses costs the way back, never the work.
    keep: async (bytes) => (bytes.length > mostBytes ? null : await keep(bytes).catch(() => null)),
    read: async (hash) => {
      if (!isBlobHash(hash)) return null;
      // What cannot be read is not there for us, for whatever reason.
      const bytes = await readOwn(join(folder, hash), mostBytes).catch(() => null);
      return bytes && (await hashOf(bytes)) === hash ? bytes : null;
    },
  };
}

const MEGABYTE = 1024 * 1024;
const MOST_BYTES = 16 * MEGABYTE;
const ROOM = 1024 * MEGABYTE;

/** The bytes of what it has; what a crash left there is swept away. */
async function tidied(folder: string): Promise<number> {
  await ownFolder(folder);
  let bytes = 0;
  for (const name of await readdir(folder)) {
    if (name.startsWith(UNFINISHED)) await rm(join(folder, name), { force: true });
    else bytes += (await lstat(join(folder, name))).size;
  }
  return bytes;
}

async function isThere(path: string, size: number): Promise<boolean> {
  // Whatever keeps us from looking will be said by the act that follows.
  const there = await lstat(path).catch(() => null);
  return there?.isFile() === true && there.size === size;
}

export interface SessionBlobsParts {
  /** The most bytes of one blob; 256 MB unless said. */
  readonly quota?: number;
}

/** A blob is on disk before anything names it. The blobs of the session whose file this is. */
export function sessionBlobs(sessionPath: string, { quota = BLOB_QUOTA }: SessionBlobsParts = {}): Blobs {
  return {
    keep: (bytes) => keepStart(sessionPath, bytes, quota),
    find: (digits) => findBlobs(sessionPath, digits),
    begin: () => new BlobWriter(sessionPath, { quota }),
    read: async (hash, range) => {
      // Each page waits for the disk: whoever turns thousands of them lets others in between.
      await setImmediate();
      return await readBlob(sessionPath, hash, { range });
    },
  };
}

async function keepStart(sessionPath: string, bytes: Uint8Array, quota: number): Promise<BlobKept> {
  const start = bytes.subarray(0, quota);
  const kept = await keepBlob(sessionPath, start);
  return kept.type === "kept" ? { ...kept, isWhole: start.length === bytes.length } : kept;
}
