/** `node scripts/built-program.ts`: prints the path of the built program, for tests and evals. Builds it only if a source has changed. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const cache = join(root, "node_modules/.cache/built-program");
const SOURCES = ["packages/*/src/**/*", "packages/*/package.json", "scripts/{,release/}*.ts", "pnpm-lock.yaml"];
/** An older build may be in use by a run that began before the last change. */
const OLD = 86_400_000;

/** Returns the file that starts the program, in a folder like `dist/program` of an installed one. */
function findOrBuild(): string {
  const folder = join(cache, hashSources());
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    removeOldBuilds();
    const unfinished = `${folder}.${process.pid}`;
    const script = join(root, "scripts/build-program.ts");
    execFileSync(process.execPath, [script, join(unfinished, "dist/program")], { cwd: root, stdio: "pipe" });
    try {
      renameSync(unfinished, folder);
    } catch (error) {
      // Another worker was first. Both have built the same.
      if (!existsSync(folder)) throw error;
      rmSync(unfinished, { recursive: true });
    }
  }
  return join(folder, "dist/program/pith.mjs");
}

function hashSources(): string {
  const hash = createHash("sha256");
  for (const path of globSync(SOURCES, { cwd: root }).sort()) {
    if (statSync(join(root, path)).isFile()) hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest("hex").slice(0, 16);
}

function removeOldBuilds(): void {
  for (const folder of globSync("*", { cwd: cache })) {
    const path = join(cache, folder);
    if (Date.now() - statSync(path).mtimeMs > OLD) rmSync(path, { recursive: true, force: true });
  }
}

console.log(findOrBuild());
