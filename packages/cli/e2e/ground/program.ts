/** The program as it is shipped: built once for all scenarios, and once more out of the tarball that users get. */

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../../..");
const cli = join(root, "packages/cli");

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

/** Packed by npm and unpacked again into this folder; its path there. */
export async function unpacked(folder: string): Promise<string> {
  const source = join(folder, "source");
  const { publishConfig, dependencies: _, devDependencies: __, ...manifest } = manifestOf();
  mkdirSync(source, { recursive: true });
  writeFileSync(
    join(source, "package.json"),
    JSON.stringify({ ...manifest, ...publishConfig, files: ["dist", "schema"] }),
  );
  cpSync(join(cli, "schema"), join(source, "schema"), { recursive: true });
  cpSync(join(await program(), "../../.."), source, { recursive: true });
  const { stdout } = await run("npm", ["pack", "--silent", "--ignore-scripts", "--offline"], { cwd: source });
  await run("tar", ["-xzf", join(source, stdout.trim()), "-C", folder]);
  return join(folder, "package", String(publishConfig.bin.pith));
}

interface Manifest {
  readonly publishConfig: { readonly bin: { readonly pith: string } };
  readonly dependencies: unknown;
  readonly devDependencies: unknown;
}

function manifestOf(): Manifest {
  return JSON.parse(readFileSync(join(cli, "package.json"), "utf8"));
}
