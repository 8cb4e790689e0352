/** Runs a script of this folder's parent as a program, for example on the files that `writeTree` wrote. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";

export interface ScriptRun {
  readonly status: number | null;
  readonly lines: readonly string[];
}

export function runScript(name: string, ...args: readonly string[]): ScriptRun {
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, "..", name), ...args], {
    encoding: "utf8",
  });
  return { status, lines: stdout.trimEnd().split("\n") };
}
