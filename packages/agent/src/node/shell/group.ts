/** A process group, by the process that leads it: told something, and asked whether anybody in it is alive. */

import { readdir, readFile } from "node:fs/promises";
import { codeOf } from "../disk/error-code.ts";

/** False where there is nobody left to tell. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  return tell(-leader, signal);
}

/** All but the one that leads them. */
export async function signalFollowers(leader: number, signal: NodeJS.Signals): Promise<void> {
  for (const pid of (await livingMembers(leader)) ?? []) if (pid !== leader) tell(pid, signal);
}

/** Where the first process of a machine is slow to clear the dead away, as in many containers, they can still be told things. */
export async function isGroupAlive(leader: number): Promise<boolean> {
  if (!signalGroup(leader, 0)) return false;
  const members = await livingMembers(leader);
  return members === null || members.length > 0;
}

/** Null where the machine does not say. */
async function livingMembers(leader: number): Promise<readonly number[] | null> {
  const names = await readdir("/proc").catch((): string[] => []);
  const pids = names.filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return null;
  const areMembers = await Promise.all(pids.map((pid) => isLivingMember(pid, leader)));
  return pids.filter((_, at) => areMembers[at]).map(Number);
}

/** A line of `stat` reads: id (name) state parent group … and the name may contain anything. */
async function isLivingMember(pid: string, leader: number): Promise<boolean> {
  // One that ended since the list was made has no file any more.
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(group) === leader && state !== "Z" && state !== "X";
}

function tell(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    // Somebody who became another user cannot be told, but is there.
    return codeOf(error) === "EPERM";
  }
}
