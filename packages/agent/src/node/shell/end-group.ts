/** Ends a process and all that it started: asked first, forced after a second. */

import { setTimeout as sleep } from "node:timers/promises";
import { isGroupAlive, signalGroup } from "./group.ts";

const PATIENCE_MS = 1_000;
const LOOK_EVERY_MS = 20;

/** Comes back when nothing of the group is left, or all of it has been forced. */
export async function endGroup(leader: number): Promise<void> {
  signalGroup(leader, "SIGTERM");
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    if (!(await isGroupAlive(leader))) return;
    await sleep(LOOK_EVERY_MS);
  }
  signalGroup(leader, "SIGKILL");
}
