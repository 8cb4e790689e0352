/** A name that is a link cannot be mounted over, so no sandbox keeps it from being replaced: it is put back when the command has ended. */

import { readlinkSync, rmSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { inOpened } from "./open-folder.ts";
import type { Holding } from "./placeholder.ts";

/** Not free where it is no link. */
export function keptLink(path: string): Holding {
  const target = targetOf(path);
  if (target === null) return { type: "not-free" };
  return {
    type: "held",
    release: () => {
      if (targetOf(path) !== target) putBack(path, target);
    },
  };
}

function targetOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    // No link, or nothing at all.
    return null;
  }
}

/** What stands there instead was made by a command. */
function putBack(path: string, target: string): void {
  inOpened(dirname(path), () => {
    rmSync(path, { recursive: true, force: true });
    symlinkSync(target, path);
  });
}
