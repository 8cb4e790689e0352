/** Runs the same task with all contenders in turn, so that other load on the machine affects all of them. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { detectSandbox } from "@pith/agent/node";
import {
  type Contender,
  floorContender,
  piContender,
  pithContender,
  type RunFolders,
  writeTaskFiles,
} from "./contenders.ts";
import { prefixKeptShare, sampleMemory } from "./measurements.ts";
import { runTask, type TaskTimes } from "./run-task.ts";

export interface RaceOptions extends ContenderOptions {
  readonly runs: number;
  readonly rounds: number;
}

export interface ContenderOptions {
  /** The file that starts our program. */
  readonly program: string;
  /** The file that starts pi. */
  readonly pi?: string;
  /** A minimal agent by another author, to check the floor. */
  readonly yardstick?: string;
  /** Whether our program also runs with its sandbox, as it does for users. Fails if the machine has no sandbox. */
  readonly alsoSandboxed: boolean;
}

export interface RaceResult extends RequestFigures {
  readonly name: string;
  readonly times: readonly TaskTimes[];
  readonly rssMb: number;
}

interface RequestFigures {
  readonly firstRequestBytes: number;
  readonly prefixKept: number;
}

async function runRace(options: RaceOptions): Promise<readonly RaceResult[]> {
  const folder = mkdtempSync(join(tmpdir(), "pith-bench-"));
  const folders = { folder: join(folder, "files"), homes: join(folder, "homes") };
  for (const path of [folders.folder, folders.homes]) mkdirSync(path);
  writeTaskFiles(folders.folder);
  try {
    if (options.alsoSandboxed) await requireSandbox(folders);
    return await runAllContenders(listContenders(options), { ...options, ...folders });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Without a sandbox our program would continue unsandboxed, and its figures would be wrong. */
async function requireSandbox({ folder, homes }: RunFolders): Promise<void> {
  const sandbox = await detectSandbox({ environment: process.env, root: folder, home: homes });
  if (sandbox.type === "unavailable") throw new Error(`no sandbox is available: ${sandbox.why}`);
}

type RaceCourse = RunFolders & Pick<RaceOptions, "runs" | "rounds">;

async function runAllContenders(contenders: readonly Contender[], options: RaceCourse): Promise<readonly RaceResult[]> {
  const entries: RaceEntry[] = [];
  for (const contender of contenders) entries.push(await runFirst(contender, options));
  for (let round = 0; round < options.runs; round += 1)
    for (const { contender, times } of entries) times.push((await runTask(contender, options)).times);
  const results: RaceResult[] = [];
  for (const { contender, times, requestFigures } of entries)
    results.push({
      name: contender.name,
      times,
      ...requestFigures,
      rssMb: (await measureMemory(contender, options)) / 1e6,
    });
  return results;
}

interface RaceEntry {
  readonly contender: Contender;
  readonly requestFigures: RequestFigures;
  readonly times: TaskTimes[];
}

/** The first run fills the caches and reads the requests, which are the same in every run. */
async function runFirst(contender: Contender, options: RaceCourse): Promise<RaceEntry> {
  const { requests } = await runTask(contender, options);
  const requestFigures = {
    firstRequestBytes: requests[0]?.bytes ?? 0,
    prefixKept: prefixKeptShare(requests.map(({ body }) => body)),
  };
  return { contender, requestFigures, times: [] };
}

/** Uses a separate run, because sampling takes time. */
async function measureMemory(contender: Contender, options: RaceCourse): Promise<number> {
  let sampling: ReturnType<typeof sampleMemory> | undefined;
  const watch = ({ pid = 0 }): void => {
    sampling = sampleMemory(pid);
  };
  await runTask(contender, { ...options, onStart: watch });
  return sampling?.stop() ?? 0;
}

function listContenders(options: ContenderOptions): readonly Contender[] {
  const { program, yardstick, pi, alsoSandboxed } = options;
  return [
    floorContender("floor", FLOOR),
    pithContender("pith", program, ["--permission-mode", "all", "--sandbox", "off"]),
    ...(yardstick ? [floorContender("yardstick", yardstick)] : []),
    ...(pi ? [piContender(pi)] : []),
    ...(alsoSandboxed
      ? [pithContender("pith_sandboxed", program, ["--permission-mode", "all", "--sandbox", "on"])]
      : []),
  ];
}

const FLOOR = join(import.meta.dirname, "floor.mjs");

// The suite starts this file as a process, to put it into a network namespace: options in, results out, both as JSON.
if (import.meta.main) console.log(JSON.stringify(await runRace(JSON.parse(process.argv[2] ?? ""))));
