/** Where a path really leads, and whether one lies within another. */

import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, sep } from "node:path";

/** Null where there is nothing, or nothing one may look at. A path that is not absolute leads nowhere. */
export function realPath(path: string): string | null {
  // Asked first, because most of what is looked for is not there, and an error costs ten times as much as the look.
  if (!isAbsolute(path) || !existsSync(path)) return null;
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

export function realPaths(paths: readonly string[]): readonly string[] {
  return paths.map(realPath).filter((path) => path !== null);
}

/** A folder is within itself. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
