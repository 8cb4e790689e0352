/** What may differ inside the sandbox, each with its reason. An entry that no longer differs fails the comparison. */

import type { Difference } from "./compare.ts";

export interface Deviation {
  readonly project: string;
  /** The command as the project names it. */
  readonly command: string;
  /** `exit code` or paths of the tree. */
  readonly what: string | RegExp;
  readonly reason: string;
}

export const deviations: readonly Deviation[] = [];

export function isDeviation({ project, command, what }: Deviation, difference: Difference): boolean {
  if (project !== difference.project || command !== difference.command) return false;
  return typeof what === "string" ? what === difference.what : what.test(difference.what);
}
