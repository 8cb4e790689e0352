/** Implements `Ports` for a real machine: clock, timers, random ids and zlib's CRC-32. */

import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Runtime } from "../runtime.ts";

let zlibCrc32: ((bytes: Uint8Array) => number) | null = null;

export const nodeRuntime: Runtime = {
  now: () => Date.now(),
  entryId: createEntryId,
  sessionId: () => randomUUID(),
  nonce: () => randomBytes(12).toString("hex"),
  sleep,
  checksum: (bytes) => {
    // Most starts need none, and loading zlib takes a millisecond.
    zlibCrc32 ??= process.getBuiltinModule("node:zlib").crc32;
    return zlibCrc32(bytes);
  },
};

async function sleep(ms: number, { signal }: { readonly signal?: AbortSignal }): Promise<void> {
  // Whoever aborts it wants to go on at once: that is an end like any other.
  await setTimeout(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
}

let entryIdPool = Buffer.alloc(0);

// Eighty bits each, fetched many at a time: asking the system for every single one costs more than writing the entry.
function createEntryId(): string {
  if (entryIdPool.length < ENTRY_ID_BYTES) entryIdPool = randomBytes(ENTRY_ID_BYTES * 100);
  const id = entryIdPool.toString("hex", 0, ENTRY_ID_BYTES);
  entryIdPool = entryIdPool.subarray(ENTRY_ID_BYTES);
  return id;
}

const ENTRY_ID_BYTES = 10;
