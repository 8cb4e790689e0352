/**
 * `node scripts/pack-packages.ts FOLDER [NAME…]`: builds and packs the packages as they are published, all of them by default, and prints the
 * tarballs. With `--install` it packs the program alone, installs it globally below the folder, and prints the file that starts it.
 */

import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { listPublishedPackages, PROGRAM_NAME } from "./packages.ts";

function runScript(): void {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { install: { type: "boolean" } } });
  const [folder, ...names] = positionals;
  if (folder === undefined) throw new Error("name the folder that the tarballs go to");
  if (values.install) console.log(installProgram(resolve(folder)));
  else packPackages(resolve(folder), names, (tarball) => console.log(tarball));
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
