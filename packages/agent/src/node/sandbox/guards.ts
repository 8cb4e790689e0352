/** What stays as it is though it lies where commands may write, be it there or not. */

import { dirname, join } from "node:path";
import type { Box } from "./box.ts";
import type { Mount } from "./mounts.ts";
import { isPlaceholder, type Placeholder, placeholder } from "./placeholder.ts";
import { CONFIGURATION, PERSONAL_FILES, PERSONAL_FOLDERS } from "./places.ts";
import { isWithin, realPath, realPaths } from "./real-path.ts";

export interface Guard {
  readonly mount: Mount;
  /** Where there was nothing to guard but the name. */
  readonly held?: Placeholder;
}

/** `writable` are the folders in which something might happen to them. */
export function guardsOf(box: Box, writable: readonly string[]): readonly Guard[] {
  const own = box.mayWrite() ? CONFIGURATION.map((name) => join(box.root, name)) : [];
  const named = [...own, ...personalGuarded(box.home), ...(box.guarded ?? [])];
  const paths = new Set(named.map(firstMissing));
  return [...paths].flatMap((path) => guard(path, writable) ?? []);
}

function personalGuarded(home: string): readonly string[] {
  const within = (name: string): string => join(home, name);
  return [...PERSONAL_FOLDERS.map(within), ...realPaths(PERSONAL_FILES.map(within))];
}

function guard(path: string, writable: readonly string[]): Guard | null {
  const isInReach = (real: string | null): real is string => writable.some((each) => real && isWithin(each, real));
  const held = isInReach(realPath(dirname(path))) ? placeholder(path) : null;
  if (held) return { mount: { path, as: "empty" }, held };
  const real = realPath(path);
  return isInReach(real) ? { mount: { path: real, as: "readable" } } : null;
}

/** Of the folders that lead to a path, the first that is not there or only stands for one; the path itself where all of them are. */
function firstMissing(path: string): string {
  const above = dirname(path);
  const isThere = above === path || (realPath(above) !== null && !isPlaceholder(above));
  return isThere ? path : firstMissing(above);
}
