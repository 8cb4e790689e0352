/** Runs the whole task once with one contender, and takes the times at the server. */

import { type ChildProcess, spawn } from "node:child_process";
import { type Served, startServer } from "@pith/testkit";
import { median } from "../statistics.ts";
import { type Contender, type Ground, script } from "./contenders.ts";
import { type Moments, watchMoments } from "./measurements.ts";

export interface Run {
  readonly times: Times;
  readonly served: readonly Served[];
  readonly moments: Pick<Moments, "arrived" | "replied">;
  /** When the process was started, on the same clock as the moments. */
  readonly started: number;
}

export interface Times {
  /** From the start of the process to its first request. */
  readonly startMs: number;
  /** From the end of a reply to the next request, the middle one of all rounds. */
  readonly roundMs: number;
  /** From the end of the last reply to the end of the process. */
  readonly exitMs: number;
}

export interface RunParts extends Ground {
  readonly rounds: number;
  /** Looks at the process while it works. */
  readonly watch?: (child: ChildProcess) => void;
}

export async function oneRun(contender: Contender, { rounds, watch, ...ground }: RunParts): Promise<Run> {
  const server = await startServer({ script: script(rounds) });
  const { args, env } = contender.command(server.url, ground);
  const moments = watchMoments();
  try {
    const started = performance.now();
    const child = spawn(process.execPath, args, { cwd: ground.folder, env, stdio: ["ignore", "ignore", "pipe"] });
    watch?.(child);
    const said = await ended(child);
    const exited = performance.now();
    const { served } = server;
    if (served.length !== rounds + 1 || served.some(({ outcome }) => outcome !== "said"))
      throw new Error(`${contender.name} did not do its task: ${served.find(({ why }) => why)?.why ?? said}`);
    return { times: timesOf(moments, { started, exited }), served, moments, started };
  } finally {
    moments.stop();
    await server.close();
  }
}

function timesOf(
  { arrived, replied }: Moments,
  { started, exited }: Readonly<Record<"started" | "exited", number>>,
): Times {
  const [first = 0, ...next] = arrived;
  return {
    startMs: first - started,
    roundMs: median(next.map((at, round) => at - (replied[round] ?? 0))),
    exitMs: exited - (replied.at(-1) ?? 0),
  };
}

/** What it said to people, at the end of it. */
function ended(child: ChildProcess): Promise<string> {
  let notes = "";
  child.stderr?.on("data", (chunk) => {
    notes = `${notes}${chunk}`.slice(-1_000);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(`it ended with ${code} and said ${JSON.stringify(notes)}`));
  });
}
