/** The program out of the tarball that users get. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../../..");

/** Packed as it is published and unpacked into this folder; its path there. */
export async function unpackProgram(folder: string): Promise<string> {
  const pack = join(root, "scripts/pack-packages.ts");
  const { stdout } = await run(process.execPath, [pack, folder, "pith"], { cwd: root });
  await run("tar", ["-xzf", stdout.trim(), "-C", folder]);
  return join(folder, "package/dist/program/pith.mjs");
}
