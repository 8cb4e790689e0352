/** What has lain in the trash for longer than its grace, and its end. The only place where a session is ever deleted. */

import { rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { diskError, listTrash, realFiles, type TrashedSession } from "@pith/context/node";
import { logged } from "../trashing/audit-log.ts";

export type OldTrash = TrashedSession;

export const GRACE_DAYS = 30;

export async function oldTrash(home: string, now: number): Promise<readonly OldTrash[]> {
  const all = await listTrash({ env: { PITH_HOME: home } });
  return all.filter(({ trashed }) => now - Date.parse(trashed) > GRACE_DAYS * 24 * 3_600_000);
}

export interface Emptied {
  readonly gone: readonly OldTrash[];
  /** Why one stays, for people. */
  readonly faults: readonly string[];
}

export async function emptied(old: readonly OldTrash[], home: string): Promise<Emptied> {
  const gone: OldTrash[] = [];
  const faults: string[] = [];
  for (const each of old) {
    const fault = await removed(each, home);
    if (fault === null) gone.push(each);
    else faults.push(`${each.folder}: ${fault}`);
  }
  return { gone, faults };
}

/** What stood in the way; null where it is gone. */
async function removed({ id, from, folder }: OldTrash, home: string): Promise<string | null> {
  // Neither what lies elsewhere nor what a link leads to.
  const isOurs = dirname(resolve(folder)) === join(home, "trash") && realFiles.stat(folder)?.kind === "folder";
  if (!isOurs || basename(folder) === "") return "it is no folder of the trash";
  // PRUNE4: said before it is done, so that nothing vanishes without a line.
  const fault = await logged(home, { act: "removed", id, path: from, folder, by: "prune" });
  if (fault !== null) return fault;
  try {
    await rm(folder, { recursive: true });
    return null;
  } catch (error) {
    const code = diskError(error);
    if (code === "") throw error;
    return `it cannot be removed: the disk gave ${code}`;
  }
}
