/** Starts the program as a process, and reads its output and exit status. */

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface ProcessResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly child: ChildProcess;
  /** The address that it prints. Rejects if the process ends without one. */
  readonly url: Promise<string>;
  readonly result: Promise<ProcessResult>;
}

const bin = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));

export function startProgram(...args: readonly string[]): Program {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stderr.on("data", (bytes) => {
    stderr += bytes;
  });
  const result = new Promise<ProcessResult>((resolve) =>
    child.once("close", (status) => resolve({ status, stdout, stderr })),
  );
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (bytes) => {
      stdout += bytes;
      const address = /listening on (http:\S+)\n/.exec(stdout)?.[1];
      if (address !== undefined) resolve(address);
    });
    result.then(() => reject(new Error(`it ended: ${stderr}`)));
  });
  // A test that only waits for the exit does not handle the rejection of the address.
  url.catch(() => {});
  return { child, url, result };
}
