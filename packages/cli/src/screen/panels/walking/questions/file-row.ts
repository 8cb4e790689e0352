/** What a move would do to one file, in a few words. Pure. */

import { relative } from "node:path/posix";
import type { PlannedFile } from "@pith/agent";

/** Whether it can be put back as it was. */
export function isRestorable({ type }: PlannedFile): boolean {
  return type === "restore" || type === "remove";
}

export function verdictOn({ type, hasOthersWork }: PlannedFile): string {
  const others = hasOthersWork ? "; others changed it in between, which goes, too" : "";
  switch (type) {
    case "restore":
      return `will be as it was${others}`;
    case "remove":
      return `will be removed: it was not there${others}`;
    case "same":
      return "is as it should be";
    case "conflict":
      return "stays: somebody else changed it since";
    case "lost":
      return "stays: what it was before is no longer kept";
  }
}

/** Within the folder without the folder's own path. */
export function pathShown(path: string, folder: string): string {
  const short = relative(folder, path);
  return short === "" || short.startsWith("..") ? path : short;
}
