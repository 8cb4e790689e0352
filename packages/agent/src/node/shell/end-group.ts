/** Ends a process and all that it started: asked first, forced when patience is over. */

import { setTimeout as sleep } from "node:timers/promises";
import { isGroupAlive, signalFollowers, signalGroup } from "./group.ts";

export interface Ending {
  /** Milliseconds from asking to forcing. */
  readonly patienceMs: number;
  /** The leader ends by itself after the others, and would take them with it. */
  readonly sparesLeader: boolean;
}

const LOOK_EVERY_MS = 20;

/** Comes back when nothing of the group is left, or all of it has been forced. */
export async function endGroup(leader: number, { patienceMs, sparesLeader }: Ending): Promise<void> {
  if (sparesLeader) await signalFollowers(leader, "SIGTERM");
  else signalGroup(leader, "SIGTERM");
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    if (!(await isGroupAlive(leader))) return;
    await sleep(LOOK_EVERY_MS);
  }
  signalGroup(leader, "SIGKILL");
}
