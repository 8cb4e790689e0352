/** Installs `@pith/context` and the program from their tarballs, so that the suites measure what users install. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

export interface BuiltPackage {
  /** The folder of the installed package. */
  readonly folder: string;
  /** Name, version and size of the package, for the figures. */
  readonly description: string;
}

const workspace = join(import.meta.dirname, "../..");

/** Installs the package into `node_modules` in the folder. */
export async function installBuiltContext(folder: string): Promise<BuiltPackage> {
  const packageFolder = join(folder, "node_modules/@pith/context");
  mkdirSync(packageFolder, { recursive: true });
  const tarball = await packWithLock(folder);
  execFileSync("tar", ["xzf", tarball, "-C", packageFolder, "--strip-components=1"]);
  rmSync(tarball);
  const { name, version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  const files = readdirSync(join(packageFolder, "dist"), { recursive: true }).filter((file) =>
    String(file).endsWith(".js"),
  );
  return { folder: packageFolder, description: `${name} ${version} as packed, ${files.length} files of JavaScript` };
}

/** Installs the program from its tarball into an empty folder, as users do. Returns the file that starts it. */
export function installProgram(folder: string): string {
  const pack = [join(workspace, "scripts/pack-packages.ts"), folder, "--install"];
  return execFileSync(process.execPath, pack, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}

// The build replaces the package's `dist` folder, so that only one process may pack at a time.
async function packWithLock(folder: string): Promise<string> {
  const lock = join(workspace, "node_modules/.packing-context");
  for (let tries = 0; !tryLock(lock); tries++) {
    if (tries > MAX_TRIES)
      throw new Error(`another process is packing @pith/context. If none is running, remove ${lock}.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  try {
    const pack = [join(workspace, "scripts/pack-packages.ts"), folder, "@pith/context"];
    return execFileSync(process.execPath, pack, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
  } finally {
    rmdirSync(lock);
  }
}

function tryLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // A killed process leaves its lock.
    if (Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > STALE_MS)
      rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

const STALE_MS = 120_000;
const MAX_TRIES = 900;
