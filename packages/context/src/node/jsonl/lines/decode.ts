/** UTF-8 to text by the machine's own routines: of all that opening does, this is done most often. */

import { Buffer, isUtf8 } from "node:buffer";

export function decode(bytes: Uint8Array): string | null {
  const text = (bytes instanceof Buffer ? bytes : Buffer.from(bytes)).toString("utf8");
  // What is no UTF-8 turns into this letter; where it is missing, nobody needs to look at the bytes again.
  return text.includes("\ufffd") && !isUtf8(bytes) ? null : text;
}
