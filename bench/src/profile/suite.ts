/** Runs `pnpm bench profile`: the time of each part of a start and of a round, as a multiple of the floor's whole time. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Contender, floorContender, pithContender, type RunFolders, writeTaskFiles } from "../loop/contenders.ts";
import { runTask, type TaskRun } from "../loop/run-task.ts";
import { median } from "../statistics.ts";
import type { Figures, Suite, SuiteOptions } from "../suite.ts";
import { type CpuProfile, type TimeSpan, timeByPart } from "./parts.ts";

export const profileSuite: Suite = {
  name: "profile",
  description: "where the time of a start and of a round goes, part by part, in multiples of the floor",
  run: profileProgram,
};

const root = join(import.meta.dirname, "../../..");
const ROUNDS = 40;

async function profileProgram({ quick, log }: SuiteOptions): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "pith-profile-"));
  try {
    const program = join(folder, "program");
    execFileSync(process.execPath, [join(root, "scripts/build-program.ts"), program, "--readable"], {
      stdio: ["ignore", 2, 2],
    });
    const folders = { folder: join(folder, "files"), homes: join(folder, "homes") };
    for (const path of [folders.folder, folders.homes]) mkdirSync(path);
    writeTaskFiles(folders.folder);
    const pith = pithContender("pith", join(program, "pith.mjs"), ["--permission-mode", "all", "--sandbox", "off"]);
    const floor = floorContender("floor", join(import.meta.dirname, "../loop/floor.mjs"));
    log(`${quick ? 2 : 7} runs of each, ${ROUNDS} rounds a run`);
    return await measureProfile({ pith, floor, folders, runs: quick ? 2 : 7, profileFolder: join(folder, "profiles") });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface ProfileOptions {
  readonly pith: Contender;
  readonly floor: Contender;
  readonly folders: RunFolders;
  readonly runs: number;
  readonly profileFolder: string;
}

/** The total times come from plain runs and the shares from profiled runs, because profiling slows the program down. */
async function measureProfile({ pith, floor, folders, runs, profileFolder }: ProfileOptions): Promise<Figures> {
  await runTask(pith, { ...folders, rounds: ROUNDS });
  const ratios: { start: number; round: number }[] = [];
  const shares = { start: new Map<string, number[]>(), round: new Map<string, number[]>() };
  for (let runIndex = 0; runIndex < runs; runIndex += 1) {
    const { times: floorTimes } = await runTask(floor, { ...folders, rounds: ROUNDS });
    const { times } = await runTask(pith, { ...folders, rounds: ROUNDS });
    ratios.push({ start: times.startMs / floorTimes.startMs, round: times.roundMs / floorTimes.roundMs });
    const runFolder = join(profileFolder, String(runIndex));
    const run = await runTask(withProfiler(pith, runFolder), { ...folders, rounds: ROUNDS });
    const profile = JSON.parse(readFileSync(join(runFolder, readdirSync(runFolder)[0] ?? ""), "utf8")) as CpuProfile;
    const spans = listSpans(run);
    addShares(shares.start, profile, [spans.start]);
    addShares(shares.round, profile, spans.rounds);
  }
  const start = median(ratios.map((ratio) => ratio.start));
  const round = median(ratios.map((ratio) => ratio.round));
  return {
    start_x_floor: start,
    ...toFigures("start", shares.start, start),
    round_x_floor: round,
    ...toFigures("round", shares.round, round),
  };
}

function withProfiler({ name, command }: Contender, folder: string): Contender {
  return {
    name,
    command: (url, folders) => {
      const { args, env } = command(url, folders);
      return { args: ["--cpu-prof", "--cpu-prof-interval", "200", "--cpu-prof-dir", folder, ...args], env };
    },
  };
}

/** Converts the times to the monotonic clock, which V8 uses. */
function listSpans({ requestTimes, startTime }: TaskRun): {
  readonly start: TimeSpan;
  readonly rounds: readonly TimeSpan[];
} {
  const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  const [first = 0, ...next] = requestTimes.requestTimes.map((time) => time + offset);
  const rounds = next.map((endMs, round) => ({ startMs: (requestTimes.replyTimes[round] ?? 0) + offset, endMs }));
  return { start: { startMs: startTime + offset, endMs: first }, rounds };
}

/** The part of a span without samples is Node's boot, before V8 starts sampling. */
function addShares(shares: Map<string, number[]>, profile: CpuProfile, spans: readonly TimeSpan[]): void {
  const totalMs = spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  const times = new Map(timeByPart(profile, spans));
  const sampledMs = [...times.values()].reduce((sum, ms) => sum + ms, 0);
  times.set("node_boot", Math.max(0, totalMs - sampledMs));
  for (const [part, ms] of times) shares.set(part, [...(shares.get(part) ?? []), ms / totalMs]);
}

function toFigures(name: string, shares: ReadonlyMap<string, readonly number[]>, total: number): Figures {
  const parts = [...shares].map(([part, values]) => [`${name}_${part}`, median(values) * total] as const);
  return Object.fromEntries(parts.sort(([, one], [, other]) => other - one));
}
