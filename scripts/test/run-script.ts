/** Runs one of our scripts on a planted tree, as a person would. */

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
