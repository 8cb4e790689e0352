/** What a model knows of files after a restart, from what it was told before: nobody need read again what is still in the context. */

import { type Entry, isBlobHash } from "@pith/context";
import { toldOfFile } from "../../rewind/file-change.ts";

/** Each file as it was last shown or written, for `new Reads(…)` and `relearn`. What was covered by a compaction is not among it. */
export function knownFiles(entries: readonly Entry[], resolve: (path: string) => string): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const entry of entries) {
    const { path, hash, after = hash } = toldOfFile(entry) ?? {};
    if (typeof path === "string" && isBlobHash(after)) known.set(resolve(path), after);
  }
  return known;
}
