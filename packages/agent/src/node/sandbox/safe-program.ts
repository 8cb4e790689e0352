/** Where a program lies that may be started outside every sandbox: never where commands, or other users, could have put one of that name. */

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { isWithin } from "../../text/paths.ts";
import { presentPath } from "./layout/present-path.ts";

export interface Sought {
  readonly name: string;
  /** As the variable PATH has them. */
  readonly folders: string;
  /** Folders in which commands may write. */
  readonly writable: readonly string[];
}

/** Its path through no link; null where there is none. */
export function safeProgram({ name, folders, writable }: Sought): string | null {
  const isSafe = (path: string): boolean => !writable.some((each) => isWithin(each, path)) && isOwnersAlone(path);
  for (const folder of folders.split(delimiter).filter(isAbsolute)) {
    const real = presentPath(join(folder, name));
    if (real === null || !isExecutable(real)) continue;
    if ([presentPath(folder) ?? folder, dirname(real), real].every(isSafe)) return real;
  }
  return null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Whatever it is, it cannot be run.
    return false;
  }
}

const OTHERS_WRITE = 0o002;

function isOwnersAlone(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? OTHERS_WRITE;
  return (mode & OTHERS_WRITE) === 0;
}
