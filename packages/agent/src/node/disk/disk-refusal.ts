/** What the disk refused, as a sentence a model can act on. */

import { codeOf } from "./error-code.ts";

export interface Refused {
  readonly act: "read" | "written" | "removed";
  readonly shown: string;
}

export function refusal(error: unknown, { act, shown }: Refused): string {
  const code = codeOf(error);
  const why = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return `${shown} cannot be ${act}: ${why}`;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied (EACCES)",
  EPERM: "the system does not allow it (EPERM)",
  EROFS: "the disk is read-only (EROFS)",
  ENOSPC: "the disk is full (ENOSPC)",
  EDQUOT: "the disk quota is used up (EDQUOT)",
  ELOOP: "its symbolic links lead in a circle (ELOOP)",
  ENAMETOOLONG: "the name is too long (ENAMETOOLONG)",
  ENOTDIR: "a part of its path is a file, not a folder (ENOTDIR)",
  EEXIST: "a part of its path is a file, not a folder (EEXIST)",
  EISDIR: "it is a folder (EISDIR)",
  EMOVED: "it leads elsewhere than when it was permitted",
  ERR_INVALID_ARG_VALUE: "the path has a NUL character",
};
