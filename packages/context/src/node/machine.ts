/** The ports of a real machine: its clock, its randomness, zlib's CRC-32. */

import { randomBytes, randomUUID } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Ports } from "../ports.ts";

export const machine: Ports = {
  now: () => Date.now(),
  entryId,
  sessionId: () => randomUUID(),
  nonce: () => randomBytes(12).toString("hex"),
  checksum: (bytes) => crc32(bytes),
};

let pool = Buffer.alloc(0);

// Eighty bits each, fetched many at a time: asking the system for every single one costs more than writing the entry.
function entryId(): string {
  if (pool.length < ID_BYTES) pool = randomBytes(ID_BYTES * 100);
  const id = pool.toString("hex", 0, ID_BYTES);
  pool = pool.subarray(ID_BYTES);
  return id;
}

const ID_BYTES = 10;
