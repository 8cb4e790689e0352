/** Runs the task once with one contender, and measures the times at the server. */

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { type ServedRequest, startServer } from "@pith/testkit";
import { median } from "../statistics.ts";
import { type Contender, createScript, type RunFolders } from "./contenders.ts";
import { type RequestTimes, recordRequestTimes } from "./measurements.ts";

export interface TaskRun {
  readonly times: TaskTimes;
  readonly requests: readonly ServedRequest[];
  readonly requestTimes: Pick<RequestTimes, "requestTimes" | "replyTimes">;
  /** The start of the process, on the same clock as the request times. */
  readonly startTime: number;
}

export interface TaskTimes {
  /** From the start of the process to its first request. */
  readonly startMs: number;
  /** From the end of a reply to the next request, the median of all rounds. */
  readonly roundMs: number;
  /** From the end of the last reply to the end of the process. */
  readonly exitMs: number;
  /** The CPU time of the process and of the programs that it started. Unlike the others, it does not depend on other load. */
  readonly cpuMs: number;
}

export interface RunOptions extends RunFolders {
  readonly rounds: number;
  /** Called with the process when it has started. */
  readonly onStart?: (child: ChildProcess) => void;
}

export async function runTask(contender: Contender, { rounds, onStart, ...folders }: RunOptions): Promise<TaskRun> {
  const server = await startServer({ script: createScript(rounds) });
  const { args, env } = contender.command(server.url, folders);
  const requestTimes = recordRequestTimes();
  try {
    const startTime = performance.now();
    const startCpu = readCpuTimeOfChildren();
    const child = spawn(process.execPath, args, { cwd: folders.folder, env, stdio: ["ignore", "ignore", "pipe"] });
    onStart?.(child);
    const exitMessage = await waitForExit(child);
    const exitTime = performance.now();
    const { requests } = server;
    if (requests.length !== rounds + 1 || requests.some(({ outcome }) => outcome !== "said"))
      throw new Error(
        `${contender.name} did not complete its task: ${requests.find(({ why }) => why)?.why ?? exitMessage}`,
      );
    return {
      times: { ...computeTimes(requestTimes, { startTime, exitTime }), cpuMs: readCpuTimeOfChildren() - startCpu },
      requests,
      requestTimes,
      startTime,
    };
  } finally {
    requestTimes.stop();
    await server.close();
  }
}

function computeTimes(
  { requestTimes, replyTimes }: RequestTimes,
  { startTime, exitTime }: Readonly<Record<"startTime" | "exitTime", number>>,
): Omit<TaskTimes, "cpuMs"> {
  const [first = 0, ...next] = requestTimes;
  return {
    startMs: first - startTime,
    roundMs: median(next.map((requestTime, round) => requestTime - (replyTimes[round] ?? 0))),
    exitMs: exitTime - (replyTimes.at(-1) ?? 0),
  };
}

/** The CPU time of the ended programs of this process, in milliseconds. */
function readCpuTimeOfChildren(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  // cutime and cstime, in hundredths of a second, counted from behind the name.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/** Returns the exit code and the end of stderr, for an error message. */
export function waitForExit(child: ChildProcess): Promise<string> {
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr = `${stderr}${chunk}`.slice(-1_000);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(`exit code ${code}, stderr ${JSON.stringify(stderr)}`));
  });
}
