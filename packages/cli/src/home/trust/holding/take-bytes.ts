/** The bytes of one regular file, and of nothing that took its place meanwhile. */

import { openHeld } from "@pith/agent/node";

/** `real` is where it lies, links followed. Null where it is something else by now, or longer. */
export async function takeBytes(real: string, mostBytes: number): Promise<Uint8Array | null> {
  const { file } = await openHeld({ real });
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > mostBytes) return null;
    // No more than it said: a file that grows meanwhile would never end.
    const buffer = Buffer.alloc(stats.size);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await file.close();
  }
}
