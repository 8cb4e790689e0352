/** The bytes of the blobs of sessions: a blob that two sessions share by a second name counts once. */

import { basename, dirname, join } from "node:path";
import { realFiles } from "@pith/context/node";

/** Of the session at this path, without those that were counted before. */
export function blobsBeside(): (path: string) => number {
  const seen = new Set<string>();
  return (path) => {
    const folder = join(dirname(path), ".pith", basename(path), "blobs");
    let bytes = 0;
    for (const name of realFiles.list(folder)) {
      const stat = realFiles.stat(join(folder, name));
      if (stat?.kind !== "file" || seen.has(stat.identity)) continue;
      seen.add(stat.identity);
      bytes += stat.size;
    }
    return bytes;
  };
}
