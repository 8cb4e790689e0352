/** What of this machine Pith works with: Node, a sandbox for commands, ripgrep. */

import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, relative } from "node:path";
import { sandboxHere } from "@pith/agent/node";
import type { Call } from "../subcommand.ts";
import { type Check, fault, ok, warning } from "./check.ts";

export async function machineChecks(call: Call): Promise<readonly Check[]> {
  return [nodeCheck(process.versions.node), await sandboxCheck(call), await ripgrepCheck(call)];
}

function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return ok("Node", version);
  return fault("Node", version, "install Node 22.19 or newer");
}

async function sandboxCheck({ cwd, environment }: Call): Promise<Check> {
  const here = await sandboxHere({ environment, root: cwd, home: homedir() });
  if (here.type === "works") return ok("sandbox", `commands are held by ${here.program.path}`);
  return warning("sandbox", here.why, "install bubblewrap; without it each command needs --allow");
}

async function ripgrepCheck({ environment, cwd }: Call): Promise<Check> {
  const own = await import("@vscode/ripgrep").then(
    ({ rgPath }) => rgPath,
    () => null,
  );
  const found = own !== null && isProgram(own) ? own : onPath(environment.PATH ?? "", cwd);
  if (found !== null) return ok("ripgrep", found);
  return warning("ripgrep", "there is none, so searches walk through the files", "install ripgrep to search faster");
}

/** Never one of the project's own. */
function onPath(path: string, cwd: string): string | null {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder) && isOutside(folder, cwd));
  return folders.map((folder) => join(folder, "rg")).find(isProgram) ?? null;
}

function isOutside(folder: string, cwd: string): boolean {
  const way = relative(cwd, folder);
  return way.startsWith("..") || isAbsolute(way);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not to be run: both are an answer.
    return false;
  }
}
