/** Implements `Runtime` with Node: clock, timers, random ids and zlib's CRC-32. */

import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Runtime } from "../runtime.ts";

/** The clock, timers, random ids and checksum of this machine. */
export const nodeRuntime: Runtime = {
  now: () => Date.now(),
  entryId: createEntryId,
  sessionId: () => randomUUID(),
  nonce: () => randomBytes(12).toString("hex"),
  sleep,
  checksum: (bytes) => {
    // Loaded on first use: zlib takes a millisecond, and most starts need no checksum.
    zlibCrc32 ??= process.getBuiltinModule("node:zlib").crc32;
    return zlibCrc32(bytes);
  },
};

let zlibCrc32: ((bytes: Uint8Array) => number) | null = null;

async function sleep(ms: number, { signal }: { readonly signal?: AbortSignal }): Promise<void> {
  // An abort ends the wait early; it is not an error.
  await setTimeout(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
}

// 80 bits per id. Random bytes are fetched for 100 ids at a time, because one system call per id costs more than writing the entry.
function createEntryId(): string {
  if (entryIdPool.length < ENTRY_ID_BYTES) entryIdPool = randomBytes(ENTRY_ID_BYTES * 100);
  const id = entryIdPool.toString("hex", 0, ENTRY_ID_BYTES);
  entryIdPool = entryIdPool.subarray(ENTRY_ID_BYTES);
  return id;
}

let entryIdPool = Buffer.alloc(0);
const ENTRY_ID_BYTES = 10;

/** Lets other work of this process run; called now and then in long synchronous loops. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
