/** Runs a program of the bench as a process of its own, because only a process can be put into a namespace. */

import { execFileSync } from "node:child_process";

/** The program takes its options and prints its result as JSON. `commandPrefix` is put before its command. */
export function runConfined<Result>(program: string, options: object, commandPrefix: readonly string[]): Result {
  const [command = "", ...args] = [...commandPrefix, process.execPath, program, JSON.stringify(options)];
  return JSON.parse(execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }));
}
