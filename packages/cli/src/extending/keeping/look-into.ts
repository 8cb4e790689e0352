/** What a strange extension would register: it is run in a process of its own that can write nothing, start nothing, and read nothing but itself and Pith. */

import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { promisify } from "node:util";
import { objectIn } from "../../home/json.ts";
import type { Capabilities } from "./capabilities.ts";

export type LookedInto =
  | { readonly type: "seen"; readonly capabilities: Capabilities }
  | { readonly type: "failed"; readonly message: string };

/** `folder` holds all of it. */
export async function lookInto(path: string, folder: string): Promise<LookedInto> {
  const program = realpathSync(process.argv[1] ?? "");
  const args = ["--permission", ...readable(program, folder), program, LOOK, path];
  // Nothing of whoever calls is seen by it, keys least of all.
  const env = { PATH: process.env.PATH, HOME: folder, PITH_HOME: folder };
  try {
    const limits = { timeout: PATIENCE_MS, killSignal: "SIGKILL", maxBuffer: MOST } as const;
    const { stdout } = await run(process.execPath, args, { cwd: folder, env, ...limits });
    return seen(stdout);
  } catch (error) {
    const { stderr = "", message } = error as { readonly stderr?: string; readonly message: string };
    const [line = message] = stderr.split("\n").filter((each) => /^pith: /.test(each));
    return { type: "failed", message: line.replace(/^pith: /, "").split("\n")[0] ?? "" };
  }
}

/** It may have written there itself. */
function seen(text: string): LookedInto {
  const told = objectIn(text) ?? {};
  const isList = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string");
  if (!LISTS.every((name) => isList(told[name]))) return { type: "failed", message: "it says something else instead" };
  return { type: "seen", capabilities: told as unknown as Capabilities };
}

const LISTS = ["events", "tools", "commands", "states", "rules", "notes"];

/** Said to the program by itself, and by nobody else. */
export const LOOK = "__extension";

const run = promisify(execFile);
const PATIENCE_MS = 40_000;
const MOST = 1024 * 1024;

/** The program with all that it loads: its own folder, or where it is built of sources, the house around it. */
function readable(program: string, folder: string): readonly string[] {
  const own = program.endsWith(".ts") ? join(dirname(program), "../../..") : dirname(program);
  return [own, folder].map((each) => `--allow-fs-read=${each}${sep}*`);
}
