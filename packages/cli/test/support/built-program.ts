/** The program as users run it. It is built once for all test files. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";

const script = join(import.meta.dirname, "../../../../scripts/built-program.ts");
let path: string | null = null;

/** Returns the file that starts it. */
export function findBuiltProgram(): string {
  path ??= execFileSync(process.execPath, [script], { encoding: "utf8" }).trim();
  return path;
}
