/** Kills writers of one session, stops PostgreSQL as a crash does, and reports which acknowledged entries are missing or doubled. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { testRuntime } from "@pith/context/testing";
import { createSession } from "../../../src/index.ts";
import { requireSession, TENANT, type TestDatabase } from "../../support/database.ts";

/** What happens during the appends. */
export interface CrashPlan {
  readonly appends: number;
  readonly kills: number;
  readonly restarts: number;
  readonly random: () => number;
}

/** How many entries were acknowledged, and what is wrong with the log. */
export interface CrashReport {
  readonly acknowledged: number;
  readonly stored: number;
  readonly kills: number;
  readonly restarts: number;
  readonly lost: number;
  readonly doubled: number;
  /** Entries whose parent is not the entry before. */
  readonly misplaced: number;
}

/** Runs writers one after the other until all entries are written. */
export async function killWriters({ cluster, database }: TestDatabase, plan: CrashPlan): Promise<CrashReport> {
  await createSession(database, TENANT, { cwd: "", id: SESSION_ID, runtime: testRuntime() });
  const reader = await requireSession(database, TENANT, { id: SESSION_ID, mode: "read" });
  const acknowledged: string[] = [];
  const faults = scheduleFaults(plan);
  let [kills, restarts] = [0, 0];
  const program = join(import.meta.dirname, "append-entries.ts");
  while ((await reader.lastNumber()) < plan.appends) {
    const writer = spawn(process.execPath, [program, String(cluster.port), String(plan.appends)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(writer, "exit");
    const restarting: Promise<void>[] = [];
    for await (const id of createInterface({ input: writer.stdout })) {
      acknowledged.push(id);
      const fault = faults.get(acknowledged.length);
      if (fault === "kill") {
        kills++;
        writer.kill("SIGKILL");
      }
      if (fault === "restart") {
        restarts++;
        restarting.push(cluster.whileStopped(async () => {}));
      }
    }
    const [code, signal] = await ended;
    await Promise.all(restarting);
    if (code !== 0 && signal !== "SIGKILL") throw new Error(`the writer ended with code ${code}`);
  }
  const entries = await reader.entriesFrom(0, plan.appends * 2);
  const ids = entries.map(({ id }) => id);
  return {
    ...{ acknowledged: acknowledged.length, stored: ids.length, kills, restarts },
    lost: acknowledged.filter((id) => !ids.includes(id)).length,
    doubled: ids.length - new Set(ids).size + (acknowledged.length - new Set(acknowledged).size),
    misplaced: entries.filter(({ parentId }, index) => parentId !== (ids[index - 1] ?? null)).length,
  };
}

const SESSION_ID = "crashes";

/** What happens after how many acknowledged entries: kills and restarts at random points, the rest nothing. */
function scheduleFaults({ appends, kills, restarts, random }: CrashPlan): ReadonlyMap<number, "kill" | "restart"> {
  const faults = new Map<number, "kill" | "restart">();
  const total = kills + restarts;
  for (let index = 0; index < total; index++) {
    const point = Math.floor(((index + random() * 0.9) / total) * appends * 0.95) + 1;
    faults.set(point, index % Math.ceil(total / Math.max(1, restarts)) === 0 && restarts > 0 ? "restart" : "kill");
  }
  return faults;
}
