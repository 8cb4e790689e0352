/** Where the path of something that is there leads. Asked at once and by the hundred, unlike `realPath`, which also follows to what is not there yet. */

import { existsSync, realpathSync } from "node:fs";
import { isAbsolute } from "node:path";

/** Null where there is nothing, or nothing one may look at. A path that is not absolute leads nowhere. */
export function presentPath(path: string): string | null {
  // Asked first, because most of what is looked for is not there, and an error costs ten times as much as the look.
  if (!isAbsolute(path) || !existsSync(path)) return null;
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

export function presentPaths(paths: readonly string[]): readonly string[] {
  return paths.map(presentPath).filter((path) => path !== null);
}
