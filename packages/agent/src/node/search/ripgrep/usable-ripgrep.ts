/** Which ripgrep there is, if any that is new enough. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The first that works: the one handed in, else the one that `PATH` leads to. */
export async function usableRipgrep(handedIn: string | undefined): Promise<string | null> {
  if (handedIn !== undefined && (await isUsable(handedIn))) return handedIn;
  return (await isUsable("rg")) ? "rg" : null;
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
