/** UTF-8 to text by the machine's own routines: of all that opening does, this is done most often. */

import { Buffer, isUtf8 } from "node:buffer";

export function decode(bytes: Uint8Array): string | null {
  if (!isUtf8(bytes)) return null;
  return (bytes instanceof Buffer ? bytes : Buffer.from(bytes)).toString("utf8");
}
