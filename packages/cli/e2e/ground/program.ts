/** The program as it is shipped: built once for all scenarios, and once more out of the tarball that users get. */

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../../..");

let built: Promise<string> | null = null;

/** Its path. Beside the sources' own build, which somebody else may be using. */
export function program(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pith-built-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  await run(process.execPath, [join(root, "scripts/build-program.ts"), join(folder, "dist/program")], { cwd: root });
  return join(folder, "dist/program/pith.mjs");
}

/** Packed as it is published and unpacked into this folder; its path there. */
export async function unpacked(folder: string): Promise<string> {
  const pack = join(root, "scripts/pack-packages.ts");
  const { stdout } = await run(process.execPath, [pack, folder, "pith"], { cwd: root });
  await run("tar", ["-xzf", stdout.trim(), "-C", folder]);
  return join(folder, "package/dist/program/pith.mjs");
}
