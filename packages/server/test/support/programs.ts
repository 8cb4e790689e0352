/** Runs programs of a server as processes: `pith-server`, and the shop of the example. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const PACKAGE = join(import.meta.dirname, "../..");

export type Variables = Readonly<Record<string, string>>;

/** Runs `pith-server` to its end. */
export async function runPithServer(args: readonly string[], variables: Variables): Promise<ProgramResult> {
  const child = startNode(join(PACKAGE, "src/bin.ts"), args, variables);
  const [outputs, [code]] = await Promise.all([collect(child), once(child, "exit")]);
  return { ...outputs, code: Number(code) };
}

export interface ProgramResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs until it is ended. */
export interface Program {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly output: string;
  /** Resolves with the first line that the program prints and that matches. */
  waitForLine(pattern: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a program of this package; it is killed at the end of the test. */
export function startProgram(path: string, args: readonly string[], variables: Variables): Program {
  const child = startNode(join(PACKAGE, path), args, variables);
  const ended = once(child, "exit");
  let output = "";
  const watchers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => {
      output += String(chunk);
      for (const watch of watchers) watch();
    });
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  onTestFinished(() => kill("SIGKILL"));
  return {
    child,
    kill,
    get output() {
      return output;
    },
    waitForLine: (pattern) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          const line = output.split("\n").find((each) => pattern.test(each));
          if (line === undefined) return;
          watchers.delete(watch);
          resolve(line);
        };
        watchers.add(watch);
        void ended.then(() => reject(new Error(`${path} ended: ${output}`)));
        watch();
      }),
  };
}

function startNode(path: string, args: readonly string[], variables: Variables): ChildProcess {
  const { PATH, HOME } = process.env;
  return spawn(process.execPath, ["--disable-warning=ExperimentalWarning", path, ...args], {
    env: { PATH, HOME, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function collect(child: ChildProcess): Promise<Pick<ProgramResult, "stdout" | "stderr">> {
  const read = async (stream: ChildProcess["stdout"]): Promise<string> => {
    let text = "";
    for await (const chunk of stream ?? []) text += String(chunk);
    return text;
  };
  const [stdout, stderr] = await Promise.all([read(child.stdout), read(child.stderr)]);
  return { stdout, stderr };
}
