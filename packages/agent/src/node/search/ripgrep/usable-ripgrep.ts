/** Which ripgrep there is, if any that is new enough. */

import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { presentPaths } from "../../sandbox/layout/present-path.ts";
import { safeProgram } from "../../sandbox/safe-program.ts";

export interface Trust {
  /** As the variable `PATH` has them. */
  readonly folders: string;
  /** The workspace: what lies in it is the project's. */
  readonly root: string;
  /** Where everybody may write; the temporary folders of the machine, unless told otherwise. */
  readonly temporary?: readonly string[];
}

/** The first that works: the one handed in, else the one that `PATH` leads to. It runs without a sandbox, so no stranger's. */
export async function usableRipgrep(handedIn: string | undefined, trust: Trust): Promise<string | null> {
  if (handedIn !== undefined && (await isUsable(handedIn))) return handedIn;
  const { folders, root, temporary = [tmpdir(), "/tmp", "/var/tmp"] } = trust;
  const program = safeProgram({ name: "rg", folders, writable: presentPaths([root, ...temporary]) });
  return program !== null && (await isUsable(program)) ? program : null;
}

/** The first that knows every option we give it. */
const OLDEST = 13;
const PATIENCE_MS = 5_000;

async function isUsable(program: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(program, ["--version"], { timeout: PATIENCE_MS });
    return Number(/^ripgrep (\d+)\./.exec(stdout)?.[1] ?? 0) >= OLDEST;
  } catch {
    // It is not there, or cannot run on this machine: there is another way to search.
    return false;
  }
}
