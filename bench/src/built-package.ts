/** Packs `@pith/context` as it is published and unpacks it into a folder, so that what users install is what is measured. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

export interface BuiltPackage {
  /** The folder of the installed package. */
  readonly folder: string;
  /** For the figures: what was measured. */
  readonly description: string;
}

const workspace = join(import.meta.dirname, "../..");

/** The package goes into `node_modules` below the folder. */
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

// The build replaces the package's `dist` folder: of two programs that pack at the same time, one waits.
async function packWithLock(folder: string): Promise<string> {
  const lock = join(workspace, "node_modules/.packing-context");
  for (let tries = 0; !tryLock(lock); tries++) {
    if (tries > MAX_TRIES) throw new Error(`another program packs @pith/context; if none does, remove ${lock}`);
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
    // A program that was killed leaves it behind.
    if (Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > STALE_MS)
      rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

const STALE_MS = 120_000;
const MAX_TRIES = 900;
