/** Installs the program as users do, from its tarball into an empty folder, and returns the file that starts it. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";

export function installProgram(folder: string): string {
  const script = join(import.meta.dirname, "../../scripts/install-program.ts");
  return execFileSync(process.execPath, [script, folder], { encoding: "utf8", stdio: ["ignore", "pipe", 2] }).trim();
}
