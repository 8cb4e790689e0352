/**
 * `node scripts/pack-packages.ts FOLDER [NAME…]`: builds and packs the packages as they are published, all of them by default, and prints the
 * tarballs. With `--install` it packs the program alone, installs it globally below the folder, and prints the file that starts it.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { listPublishedPackages, PROGRAM_NAME, root } from "./packages.ts";

function runScript(): void {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { install: { type: "boolean" } } });
  const [folder, ...names] = positionals;
  if (folder === undefined) throw new Error("name the folder that the tarballs go to");
  lockPacking();
  if (values.install) console.log(installProgram(resolve(folder)));
  else packPackages(resolve(folder), names, (tarball) => console.log(tarball));
}

/** Waits until no other process packs: each build replaces the `dist` folder that another one would be packing. */
function lockPacking(): void {
  const lock = join(root, "node_modules/.cache/packing");
  mkdirSync(dirname(lock), { recursive: true });
  while (!tryLock(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_PAUSE_MS);
  process.once("exit", () => rmSync(lock));
}

const LOCK_PAUSE_MS = 200;

/** The lock names its process, so that one that was killed does not keep it. */
function tryLock(lock: string): boolean {
  try {
    writeFileSync(lock, `${process.pid}`, { flag: "wx" });
    return true;
  } catch {
    const owner = Number(existsSync(lock) ? readFileSync(lock, "utf8") : 0);
    if (owner > 0 && !isRunning(owner)) rmSync(lock, { force: true });
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Packs these packages, or all of them if no name is given. */
function packPackages(folder: string, names: readonly string[], onTarball: (tarball: string) => void): void {
  for (const { folder: cwd, manifest } of listPublishedPackages()) {
    if (names.length > 0 && !names.includes(manifest.name)) continue;
    const tarball = join(folder, `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`);
    execFileSync("pnpm", ["pack", "--silent", "--out", tarball], { cwd, stdio: ["ignore", "ignore", "inherit"] });
    onTarball(tarball);
  }
}

/** Installs the program as users do. Returns the file that starts it. */
function installProgram(folder: string): string {
  const flags = ["--prefix", folder, "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  packPackages(folder, [PROGRAM_NAME], (tarball) =>
    execFileSync(process.execPath, [findNpmCli(), "install", "-g", ...flags, tarball], {
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  return join(folder, "lib/node_modules", PROGRAM_NAME, "dist/program/pith.mjs");
}

/** Returns the JavaScript file of npm, which any Node can run. */
export function findNpmCli(): string {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const candidates = [
      join(folder, "npm"),
      join(folder, "node_modules/npm/bin/npm-cli.js"),
      join(folder, "../lib/node_modules/npm/bin/npm-cli.js"),
    ];
    for (const candidate of candidates) {
      if (!existsSync(candidate)) continue;
      const file = realpathSync(candidate);
      if (file.endsWith("npm-cli.js")) return file;
    }
  }
  throw new Error("npm was not found in PATH; install Node with npm");
}

if (import.meta.main) runScript();
