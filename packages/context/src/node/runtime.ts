/** Implements `Ports` for a real machine: clock, timers, random ids and zlib's CRC-32. */

import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Ports } from "../runtime.ts";

let crc32: ((bytes: Uint8Array) => number) | null = null;

export const machine: Ports = {
  now: () => Date.now(),
  entryId,
  sessionId: () => randomUUID(),
  nonce: () => randomBytes(12).toString("hex"),
  sleep,
  checksum: (bytes) => {
    // Most starts need none, and loading zlib takes a millisecond.
    crc32 ??= process.getBuiltinModule("node:zlib").crc32;
    return crc32(bytes);
  },
};

async function sleep(ms: number, { signal }: { readonly signal?: AbortSignal }): Promise<void> {
  // Whoever aborts it wants to go on at once: that is an end like any other.
  await setTimeout(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
}

let pool = Buffer.alloc(0);

// Eighty bits each, fetched many at a time: asking the system for every single one costs more than writing the entry.
function entryId(): string {
  if (pool.length < ID_BYTES) pool = randomBytes(ID_BYTES * 100);
  const id = pool.toString("hex", 0, ID_BYTES);
  pool = pool.subarray(ID_BYTES);
  return id;
}

const ID_BYTES = 10;
