/** Ports that repeat themselves: time goes a second a look, ids count up, a millisecond of patience is one turn of the queue, and a table makes the CRC-32. */

import type { Ports } from "../ports.ts";

/** Every call gives a fresh set that begins again; `prefix` keeps the ids of two sets apart. */
export function testPorts(prefix = "e"): Ports {
  let time = 1767225600000;
  let ids = 0;
  let sessions = 0;
  return {
    now: () => (time += 1000),
    entryId: () => `${prefix}${++ids}`,
    sessionId: () => `session-${prefix}${++sessions}`,
    nonce: () => `nonce-${++ids}`,
    sleep: (ms, { signal }) => turns(ms, signal),
    checksum: crc32,
  };
}

async function turns(count: number, signal: AbortSignal | undefined): Promise<void> {
  for (let turn = 0; turn < count && !signal?.aborted; turn++) await null;
}

function crc32(bytes: Uint8Array): number {
  let sum = ~0;
  for (const byte of bytes) sum = (sum >>> 8) ^ (crcTable[(sum ^ byte) & 0xff] ?? 0);
  return ~sum >>> 0;
}

const crcTable = Int32Array.from({ length: 256 }, (_, start) => {
  let row = start;
  for (let bit = 0; bit < 8; bit++) row = row & 1 ? (row >>> 1) ^ 0xedb88320 : row >>> 1;
  return row;
});
