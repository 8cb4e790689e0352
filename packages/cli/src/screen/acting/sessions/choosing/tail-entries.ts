/** The last entries of a long session, read from the end of its file: enough for a look, and a moment however long it is. */

import { open } from "node:fs/promises";
import type { Entry } from "@pith/context";

/** In file order, on whatever branch they stand; none where the file cannot be read. */
export async function tailEntries(path: string): Promise<readonly Entry[]> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const bytes = Buffer.alloc(Math.min(size, TAIL));
      await file.read(bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8").split("\n").slice(1).flatMap(entryOn);
    } finally {
      await file.close();
    }
  } catch {
    // A look that cannot be had shows nothing; whoever opens the session hears why.
    return [];
  }
}

const TAIL = 256 * 1024;

function entryOn(line: string): readonly Entry[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof Object(value).type === "string" ? [value as Entry] : [];
  } catch {
    // Cut, or damaged: the others tell enough.
    return [];
  }
}
