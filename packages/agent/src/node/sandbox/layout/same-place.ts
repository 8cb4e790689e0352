/** What was looked at is what a command gets: between the look and the mount another command could put a link there, to any folder of the machine. */

import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import type { Mount } from "./mounts.ts";

/** What is said instead of running the command. */
export const MOVED = "what it may write was moved while it was made";

/** Words that start a program in a sandbox whose mounts are those that were looked at; null where something has moved already. */
export function samePlaceFirst(mounts: readonly Mount[], words: readonly string[]): readonly string[] | null {
  const shown = mounts.filter(({ as }) => as === "writable" || as === "readable");
  const identities = shown.map(({ path }) => identityOf(path));
  if (identities.includes(null)) return null;
  const seen = `$(PATH=/usr/bin:/bin stat -c %d:%i -- ${shown.map(({ path }) => quoted(path)).join(" ")})`;
  const check = `[ "${seen}" = ${quoted(identities.join("\n"))} ] || { echo ${quoted(MOVED)} >&2; exit 1; }; exec "$@"`;
  // Not bash, which would first run the file that BASH_ENV names.
  return ["/bin/sh", "-c", check, "sh", ...words];
}

/** Opens what the path leads to without a right to use it; Node has no name for it. */
const O_PATH = 0o10000000;

/** Of what lies at exactly this path, through no link; null where there is nothing like that. */
function identityOf(path: string): string | null {
  try {
    const file = openSync(path, O_PATH | constants.O_NOFOLLOW);
    try {
      const entry = fstatSync(file, { bigint: true });
      const isHere = !entry.isSymbolicLink() && readlinkSync(`/proc/self/fd/${file}`) === path;
      return isHere ? `${entry.dev}:${entry.ino}` : null;
    } finally {
      closeSync(file);
    }
  } catch {
    // Gone: the whole place is looked at again.
    return null;
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
