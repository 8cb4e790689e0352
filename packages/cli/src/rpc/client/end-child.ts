/** A child that was asked to end: after a while it is told so by a signal, and then by one that nobody can refuse. */

import type { ChildProcess } from "node:child_process";
import { within } from "../line/within.ts";

export interface Ending {
  readonly ended: Promise<unknown>;
  readonly graceMs: number;
}

export async function endChild(child: ChildProcess, { ended, graceMs }: Ending): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await within(graceMs, ended)) return;
    child.kill(signal);
  }
  await ended;
}
