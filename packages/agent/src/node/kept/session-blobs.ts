/** The blobs of a session that is a file: they lie beside it, on the disk before anything names them. */

import { setImmediate } from "node:timers/promises";
import { BLOB_QUOTA, BlobDraft, keepBlob, readBlob } from "@pith/context/node";
import type { BlobKept, Blobs } from "../../blobs.ts";

export interface SessionBlobsParts {
  /** The most bytes of one blob; 256 MB unless said. */
  readonly quota?: number;
}

/** The blobs of the session whose file this is. */
export function sessionBlobs(sessionPath: string, { quota = BLOB_QUOTA }: SessionBlobsParts = {}): Blobs {
  return {
    keep: (bytes) => keepStart(sessionPath, bytes, quota),
    begin: () => new BlobDraft(sessionPath, { quota }),
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
