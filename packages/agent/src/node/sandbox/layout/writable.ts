/** Where commands may write besides the workspace: found out once, before any command could have put a link there. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "../../../text/paths.ts";
import type { Box } from "../box.ts";
import { CACHES, TEMPORARY } from "./places.ts";
import { presentPath, presentPaths } from "./present-path.ts";

export interface Writable {
  readonly temporary: readonly string[];
  /** Of packages; for commands that may write in the workspace. */
  readonly caches: readonly string[];
}

type Place = Pick<Box, "home" | "environment" | "temporary" | "extraWritable">;

/** Whatever a variable or a setting says, never all there is. */
export function writableOf({ home, environment, temporary, extraWritable = [] }: Place): Writable {
  const named = temporary ?? [...TEMPORARY, environment.TMPDIR ?? "/tmp"];
  const caches = [...CACHES.map((name) => join(home, name)), ...extraWritable];
  return {
    temporary: named.flatMap((path) => temporaryFolder(path, presentPath(home) ?? home) ?? []),
    caches: presentPaths(caches).filter((path) => path !== "/"),
  };
}

/** Null where it is not there, belongs to somebody else, or leads into the home though its name does not say so. */
function temporaryFolder(path: string, home: string): string | null {
  const real = presentPath(path);
  if (real === null || isWithin(real, home)) return null;
  if (isWithin(home, real) && real !== path) return null;
  const entry = statSync(real, { throwIfNoEntry: false });
  const isOurs = entry?.uid === 0 || entry?.uid === process.getuid?.();
  return entry?.isDirectory() && isOurs ? real : null;
}
