/** Installs the program as users do, from its tarball into an empty folder, and returns the file that starts it. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";

export function installProgram(folder: string): string {
  const pack = [join(import.meta.dirname, "../../scripts/pack-packages.ts"), folder, "--install"];
  return execFileSync(process.execPath, pack, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}
