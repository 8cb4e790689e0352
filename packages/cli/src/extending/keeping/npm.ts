/** Packages of extensions: npm puts them where the user's extensions lie. No script of theirs is run by that. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";

export type NpmDone = { readonly type: "done" } | { readonly type: "failed"; readonly message: string };

export async function npm(act: "install" | "uninstall", folder: string, what: string): Promise<NpmDone> {
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  const args = [act, ...flags, ...(act === "install" ? ["--save-exact"] : []), "--prefix", folder, what];
  try {
    await run("npm", args, { cwd: folder, timeout: PATIENCE_MS });
    return { type: "done" };
  } catch (error) {
    const {
      code,
      stderr = "",
      message,
    } = error as { readonly code?: unknown; readonly stderr?: string; readonly message: string };
    if (code === "ENOENT")
      return { type: "failed", message: "npm is needed for packages, and is not there; install Node with npm" };
    const [line = message] = stderr.split("\n").filter((each) => each.trim() !== "");
    return { type: "failed", message: `npm could not ${act} ${what}: ${line}` };
  }
}

const run = promisify(execFile);
const PATIENCE_MS = 120_000;
