/** SHA-256 of bytes, in hexadecimal digits. */

import { createHash } from "node:crypto";

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
