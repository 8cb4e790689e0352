/** One measurement in a process of its own: nothing is warm but the page cache. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const programs = join(import.meta.dirname, "programs");

/** Runs a program of this folder and reads the JSON on its last line. */
export async function fresh<Measured>(program: string, ...args: readonly string[]): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(programs, program), ...args], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Measured;
}
