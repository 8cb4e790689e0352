/** Keeps the newest blobs of an unsaved session in memory; they are gone when the process ends. */

import type { BlobStore, BlobWriteResult, BlobWriter, ReadBlobResult } from "./ports.ts";
import { hashBytes } from "./text.ts";

/** Options of `createMemoryBlobs`. */
export interface MemoryBlobsOptions {
  /** The maximum size of all blobs; the oldest are removed first. Default: 64 MB. */
  readonly maxTotalBytes?: number;
  /** The maximum size of one blob. Default: a quarter of `maxTotalBytes`. */
  readonly quota?: number;
}

/** Creates a blob store for a session that is not saved. */
export function createMemoryBlobs({
  maxTotalBytes = DEFAULT_MAX_TOTAL_BYTES,
  quota = maxTotalBytes / 4,
}: MemoryBlobsOptions = {}): BlobStore {
  const blobs = new Map<string, Uint8Array>();
  const keep = async (bytes: Uint8Array): Promise<BlobWriteResult> => {
    const copy = copyBytes(bytes, quota);
    const hash = await hashBytes(copy);
    // The newest blob is the last one in the map.
    blobs.delete(hash);
    blobs.set(hash, copy);
    evictOldest(blobs, maxTotalBytes);
    return { type: "kept", hash, bytes: copy.length, isWhole: copy.length === bytes.length };
  };
  return {
    keep,
    findByPrefix: async (digits) => ({ type: "found", blobs: findByPrefix(blobs, digits) }),
    createWriter: () => createMemoryWriter(keep, quota),
    read: async (hash, range) => readPage(blobs.get(hash), range),
  };
}

const DEFAULT_MAX_TOTAL_BYTES = 64 * 1024 * 1024;

function findByPrefix(blobs: ReadonlyMap<string, Uint8Array>, digits: string) {
  const matches = [...blobs].filter(([hash]) => hash.startsWith(digits));
  return matches.map(([hash, { length }]) => ({ hash, bytes: length }));
}

function evictOldest(blobs: Map<string, Uint8Array>, maxTotalBytes: number): void {
  let bytes = [...blobs.values()].reduce((sum, blob) => sum + blob.length, 0);
  for (const [hash, blob] of blobs) {
    if (bytes <= maxTotalBytes) return;
    blobs.delete(hash);
    bytes -= blob.length;
  }
}

function createMemoryWriter(keep: BlobStore["keep"], quota: number): BlobWriter {
  let chunks: Uint8Array[] | null = [];
  let remainingBytes = quota;
  let isWhole = true;
  return {
    write(chunk) {
      const copy = copyBytes(chunk, remainingBytes);
      remainingBytes -= copy.length;
      isWhole &&= copy.length === chunk.length;
      chunks?.push(copy);
    },
    async keep() {
      if (!chunks) throw new Error("the blob was already kept or dropped");
      const bytes = Buffer.concat(chunks);
      chunks = null;
      const result = await keep(bytes);
      return result.type === "kept" ? { ...result, isWhole } : result;
    },
    drop() {
      chunks = null;
    },
  };
}

/** `slice` is not enough: `Buffer.slice` does not copy. */
function copyBytes(bytes: Uint8Array, maxBytes: number): Uint8Array {
  return new Uint8Array(bytes.subarray(0, maxBytes));
}

function readPage(
  blob: Uint8Array | undefined,
  { start, end }: { readonly start: number; readonly end: number },
): ReadBlobResult {
  if (!blob)
    return {
      type: "none",
      why: "the blob does not exist or was removed; an unsaved session keeps only the newest blobs",
    };
  const firstByte = Math.max(0, start);
  return { type: "read", bytes: blob.slice(firstByte, Math.max(firstByte, end)), size: blob.length };
}
