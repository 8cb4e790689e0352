/** Runs the same long task with our program and pi, and computes what their compactions cost. */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "@pith/testkit";
import { type Contender, piContender, pithContender, type RunFolders } from "../loop/contenders.ts";
import { waitForExit } from "../loop/run-task.ts";
import { computeCosts, type TaskCosts, toLedger } from "./ledger.ts";
import { createTask, type TaskShape, writeTaskFiles } from "./task.ts";

export interface CompactionRace {
  /** The file that starts our program. */
  readonly program: string;
  /** The file that starts pi. */
  readonly pi?: string;
  readonly shape: TaskShape;
  readonly seed: number;
}

/** The costs of each program, by its name. */
export type RaceCosts = Readonly<Record<string, TaskCosts>>;

async function runCompactionRace({ program, pi, shape, seed }: CompactionRace): Promise<RaceCosts> {
  const folder = mkdtempSync(join(tmpdir(), "pith-compaction-"));
  const folders = { folder: join(folder, "files"), homes: join(folder, "homes") };
  for (const path of [folders.folder, folders.homes]) mkdirSync(path);
  writeTaskFiles(folders.folder, shape, seed);
  try {
    const costs: Record<string, TaskCosts> = {};
    for (const contender of listContenders({ program, pi, folders }))
      costs[contender.name] = await measureTask(contender, shape, folders);
    return costs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Programs extends Pick<CompactionRace, "program"> {
  readonly pi: string | undefined;
  readonly folders: RunFolders;
}

function listContenders({ program, pi, folders: { homes } }: Programs): readonly Contender[] {
  writeSettings(join(homes, "pi"), SETTINGS);
  // A prepared summary is requested earlier, from a smaller context than pi's.
  for (const [name, prepare] of [
    ["pith", false],
    ["prepared", true],
  ] as const) {
    const compaction = { ...SETTINGS.compaction, prepare };
    writeSettings(join(homes, name, ".pith"), { model: `anthropic/${MODEL}`, contextWindow: WINDOW, compaction });
  }
  const flags = ["--permission-mode", "all", "--sandbox", "off", "--thinking", "off"];
  return [
    ...(pi ? [piContender(pi, { [MODEL]: { contextWindow: WINDOW } })] : []),
    pithContender("pith", program, flags),
    pithContender("prepared", program, flags),
  ];
}

const MODEL = "claude-sonnet-4-5";
const WINDOW = 100_000;
/** Both programs compact above 84,200 tokens and keep the newest 20,000. By default, both do so above 83,616. */
const SETTINGS = { compaction: { reserveTokens: 15_800, keepRecentTokens: 20_000 } };

function writeSettings(folder: string, settings: object): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
}

async function measureTask(contender: Contender, shape: TaskShape, folders: RunFolders): Promise<TaskCosts> {
  const { script, kinds } = createTask(shape);
  const server = await startServer({ script, window: { tokens: WINDOW, onOverflow: "refuse" } });
  try {
    const { args, env } = contender.command(server.url, folders);
    const child = spawn(process.execPath, args, { cwd: folders.folder, env, stdio: ["ignore", "ignore", "pipe"] });
    const exitMessage = await waitForExit(child);
    const worked = kinds.filter((kind) => kind === "work").length;
    if (worked !== shape.rounds + 1)
      throw new Error(`${contender.name} stopped after ${worked} of ${shape.rounds + 1} requests: ${exitMessage}`);
    return computeCosts(toLedger(server.requests, kinds));
  } finally {
    await server.close();
  }
}

// The suite starts this file as a process, to put it into a network namespace: options in, results out, both as JSON.
if (import.meta.main) console.log(JSON.stringify(await runCompactionRace(JSON.parse(process.argv[2] ?? ""))));
