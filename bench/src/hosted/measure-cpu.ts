/** Measures the CPU time of runs with tool rounds in a worker, compared with the same runs on session files, in turns. */

import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@pith/server";
import { median } from "../statistics.ts";
import type { Figures } from "../suite.ts";
import type { FileRunsRequest, FileRunsResult } from "./file-runs.ts";
import { type HostedService, startProcess, tenantAt } from "./service.ts";

export interface CpuOptions {
  /** The turns of each side. */
  readonly rounds: number;
  readonly runsPerRound: number;
  readonly log: (text: string) => void;
}

/** Runs at the same time. */
const AT_ONCE = 20;

export async function measureCpu(service: HostedService, { rounds, runsPerRound, log }: CpuOptions): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "pith-file-runs-"));
  const files = startProcess("file-runs.ts", { modelUrl: service.modelUrl, folder });
  const times: { readonly hosted: number; readonly bare: number; readonly postgres: number }[] = [];
  try {
    // The first round loads and compiles the code.
    for (let round = 0; round <= rounds; round++) {
      const ids = await service.createSessions(`calls-${round}`, runsPerRound);
      const hosted = await runHosted(service, ids);
      files.send({ sessionIds: ids, atOnce: AT_ONCE } satisfies FileRunsRequest);
      const [{ cpuMs }] = (await once(files, "message")) as [FileRunsResult];
      const time = {
        hosted: hosted.cpuMs / runsPerRound,
        bare: cpuMs / runsPerRound,
        postgres: hosted.postgresMs / runsPerRound,
      };
      log(
        `round ${round}: ${time.hosted.toFixed(1)} ms a run, ${time.bare.toFixed(1)} on a file, PostgreSQL ${time.postgres.toFixed(1)}`,
      );
      if (round > 0) times.push(time);
    }
  } finally {
    files.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    run_x_bare: median(times.map(({ hosted, bare }) => hosted / bare)),
    run_cpu_ms: median(times.map(({ hosted }) => hosted)),
    bare_cpu_ms: median(times.map(({ bare }) => bare)),
    postgres_cpu_ms: median(times.map(({ postgres }) => postgres)),
  };
}

async function runHosted(
  service: HostedService,
  ids: readonly string[],
): Promise<{ readonly cpuMs: number; readonly postgresMs: number }> {
  const postgres = await findPostgres(service.database);
  await service.takeUsage();
  const before = readCpuMs(postgres);
  const isClosed = (id: string): boolean => service.sent.get(id)?.isClosed ?? false;
  for (const [index, id] of ids.entries()) {
    await service.waitUntil(() => ids.slice(0, index).filter((each) => !isClosed(each)).length < AT_ONCE);
    await service.send(tenantAt(index), id);
  }
  await service.waitUntil(() => ids.every(isClosed));
  const { cpuMs } = await service.takeUsage();
  return { cpuMs, postgresMs: readCpuMs(postgres) - before };
}

/** The process that starts the others of PostgreSQL. */
async function findPostgres(database: Database): Promise<number> {
  const { rows } = await database.pool.query<{ pid: number }>("select pg_backend_pid() as pid");
  return readStat(rows[0]?.pid ?? 0)?.parent ?? 0;
}

/** The CPU time of PostgreSQL: of the processes that run, and of those that have ended. */
function readCpuMs(postgres: number): number {
  const own = readStat(postgres);
  const running = readdirSync("/proc")
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === postgres);
  return (own?.ms ?? 0) + (own?.endedMs ?? 0) + running.reduce((sum, stat) => sum + (stat?.ms ?? 0), 0);
}

interface ProcessStat {
  readonly parent: number;
  readonly ms: number;
  /** Of its children that have ended. */
  readonly endedMs: number;
}

/** Null if there is no such process. */
function readStat(pid: number): ProcessStat | null {
  if (!Number.isInteger(pid)) return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The fields behind the name; the times are in hundredths of a second.
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
      (at) => fields[at],
    );
    return { parent, ms: (user + system) * 10, endedMs: (endedUser + endedSystem) * 10 };
  } catch {
    return null;
  }
}
