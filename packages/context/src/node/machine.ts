/** The ports of a real machine: its clock, its randomness, zlib's CRC-32. */

import { randomBytes, randomUUID } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Ports } from "../ports.ts";

export const machine: Ports = {
  now: () => Date.now(),
  entryId: () => randomBytes(10).toString("hex"),
  sessionId: () => randomUUID(),
  nonce: () => randomBytes(12).toString("hex"),
  checksum: (bytes) => crc32(bytes),
};
