/** Runs `pnpm bench profile`: what the parts of a start and of a round cost, as multiples of what the floor takes for the whole. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Contender, floor, type Ground, pith, writeFiles } from "../loop/contenders.ts";
import { oneRun, type Run } from "../loop/run-task.ts";
import { median } from "../statistics.ts";
import type { Figures, Settings, Suite } from "../suite.ts";
import { type CpuProfile, type Span, timeByPart } from "./parts.ts";

export const profileSuite: Suite = {
  name: "profile",
  about: "where the time of a start and of a round goes, part by part, in multiples of the floor",
  run: profileProgram,
};

const root = join(import.meta.dirname, "../../..");
const ROUNDS = 40;

async function profileProgram({ quick, say }: Settings): Promise<Figures> {
  const place = mkdtempSync(join(tmpdir(), "pith-profile-"));
  try {
    const program = join(place, "program");
    execFileSync(process.execPath, [join(root, "scripts/build-program.ts"), program, "--readable"], {
      stdio: ["ignore", 2, 2],
    });
    const ground = { folder: join(place, "files"), homes: join(place, "homes") };
    for (const folder of [ground.folder, ground.homes]) mkdirSync(folder);
    writeFiles(ground.folder);
    const ours = pith("pith", join(program, "pith.mjs"), ["--permission-mode", "all", "--sandbox", "off"]);
    const theirs = floor("floor", join(import.meta.dirname, "../loop/floor.mjs"));
    say(`${quick ? 2 : 7} runs of each, ${ROUNDS} rounds a run`);
    return await measure({ ours, theirs, ground, runs: quick ? 2 : 7, profiles: join(place, "profiles") });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

interface Course {
  readonly ours: Contender;
  readonly theirs: Contender;
  readonly ground: Ground;
  readonly runs: number;
  readonly profiles: string;
}

/** Plain runs say how long it takes, profiled runs how that is divided: profiling slows down what it looks at. */
async function measure({ ours, theirs, ground, runs, profiles }: Course): Promise<Figures> {
  await oneRun(ours, { ...ground, rounds: ROUNDS });
  const ratios: { start: number; round: number }[] = [];
  const shares = { start: new Map<string, number[]>(), round: new Map<string, number[]>() };
  for (let turn = 0; turn < runs; turn += 1) {
    const { times: floorTimes } = await oneRun(theirs, { ...ground, rounds: ROUNDS });
    const { times } = await oneRun(ours, { ...ground, rounds: ROUNDS });
    ratios.push({ start: times.startMs / floorTimes.startMs, round: times.roundMs / floorTimes.roundMs });
    const folder = join(profiles, String(turn));
    const run = await oneRun(profiled(ours, folder), { ...ground, rounds: ROUNDS });
    const profile = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8")) as CpuProfile;
    const spans = spansOf(run);
    addShares(shares.start, profile, [spans.start]);
    addShares(shares.round, profile, spans.rounds);
  }
  const start = median(ratios.map((ratio) => ratio.start));
  const round = median(ratios.map((ratio) => ratio.round));
  return {
    start_x_floor: start,
    ...figuresOf("start", shares.start, start),
    round_x_floor: round,
    ...figuresOf("round", shares.round, round),
  };
}

function profiled({ name, command }: Contender, folder: string): Contender {
  return {
    name,
    command: (url, ground) => {
      const { args, env } = command(url, ground);
      return { args: ["--cpu-prof", "--cpu-prof-interval", "200", "--cpu-prof-dir", folder, ...args], env };
    },
  };
}

/** On the machine's monotonic clock, by which V8 counts too. */
function spansOf({ moments, started }: Run): { readonly start: Span; readonly rounds: readonly Span[] } {
  const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  const [first = 0, ...next] = moments.arrived.map((at) => at + offset);
  const rounds = next.map((to, round) => ({ from: (moments.replied[round] ?? 0) + offset, to }));
  return { start: { from: started + offset, to: first }, rounds };
}

/** What of a span no sample covers is Node's own beginning, before V8 counts. */
function addShares(shares: Map<string, number[]>, profile: CpuProfile, spans: readonly Span[]): void {
  const whole = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  const times = new Map(timeByPart(profile, spans));
  const seen = [...times.values()].reduce((sum, ms) => sum + ms, 0);
  times.set("node_boot", Math.max(0, whole - seen));
  for (const [part, ms] of times) shares.set(part, [...(shares.get(part) ?? []), ms / whole]);
}

function figuresOf(name: string, shares: ReadonlyMap<string, readonly number[]>, whole: number): Figures {
  const parts = [...shares].map(([part, values]) => [`${name}_${part}`, median(values) * whole] as const);
  return Object.fromEntries(parts.sort(([, one], [, other]) => other - one));
}
