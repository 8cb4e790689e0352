/** Keeps the newest blobs of an unsaved session in memory; they are gone when the process ends. */

import type { BlobDraft, BlobKept, BlobRead, Blobs } from "./ports.ts";
import { hashOf } from "./text.ts";

export interface MemoryBlobsParts {
  /** The most bytes of all; the oldest make room. 64 MB unless said. */
  readonly room?: number;
  /** The most bytes of one blob; a quarter of the room unless said. */
  readonly quota?: number;
}

/** Blobs for a session that is not kept itself. */
export function memoryBlobs({ room = ROOM, quota = room / 4 }: MemoryBlobsParts = {}): Blobs {
  const kept = new Map<string, Uint8Array>();
  const keep = async (bytes: Uint8Array): Promise<BlobKept> => {
    const taken = copied(bytes, quota);
    const hash = await hashOf(taken);
    // The newest stands last.
    kept.delete(hash);
    kept.set(hash, taken);
    makeRoom(kept, room);
    return { type: "kept", hash, bytes: taken.length, isWhole: taken.length === bytes.length };
  };
  return {
    keep,
    find: async (digits) => ({ type: "found", blobs: blobsFrom(kept, digits) }),
    begin: () => memoryDraft(keep, quota),
    read: async (hash, range) => page(kept.get(hash), range),
  };
}

const ROOM = 64 * 1024 * 1024;

function blobsFrom(kept: ReadonlyMap<string, Uint8Array>, digits: string) {
  const found = [...kept].filter(([hash]) => hash.startsWith(digits));
  return found.map(([hash, { length }]) => ({ hash, bytes: length }));
}

function makeRoom(kept: Map<string, Uint8Array>, room: number): void {
  let bytes = [...kept.values()].reduce((sum, blob) => sum + blob.length, 0);
  for (const [hash, blob] of kept) {
    if (bytes <= room) return;
    kept.delete(hash);
    bytes -= blob.length;
  }
}

function memoryDraft(keep: Blobs["keep"], quota: number): BlobDraft {
  let chunks: Uint8Array[] | null = [];
  let room = quota;
  let isWhole = true;
  return {
    write(chunk) {
      const taken = copied(chunk, room);
      room -= taken.length;
      isWhole &&= taken.length === chunk.length;
      chunks?.push(taken);
    },
    async keep() {
      if (!chunks) throw new Error("the blob was already kept or dropped");
      const bytes = Buffer.concat(chunks);
      chunks = null;
      const outcome = await keep(bytes);
      return outcome.type === "kept" ? { ...outcome, isWhole } : outcome;
    },
    drop() {
      chunks = null;
    },
  };
}

/** A `slice` would do, were it not that a `Buffer` only lends what it slices. */
function copied(bytes: Uint8Array, most: number): Uint8Array {
  return new Uint8Array(bytes.subarray(0, most));
}

function page(
  blob: Uint8Array | undefined,
  { start, end }: { readonly start: number; readonly end: number },
): BlobRead {
  if (!blob) return { type: "none", why: "it is not kept, or no longer: this session keeps only what is newest" };
  const from = Math.max(0, start);
  return { type: "read", bytes: blob.slice(from, Math.max(from, end)), size: blob.length };
}
