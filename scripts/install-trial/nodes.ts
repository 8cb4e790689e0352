/** Finds the Node versions to try: each is fetched once from its npm package into `.tools/`. Runs npm on any of them. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { root } from "../build/packages.ts";

/** The oldest that is promised, and the newest of the lines after it at the time of writing. */
export const SUPPORTED_NODES: readonly string[] = ["22.19.0", "24.21.0", "26.10.0"];

export interface NodeVersion {
  readonly version: string;
  /** The executable. */
  readonly file: string;
}

export function findNode(version: string): NodeVersion {
  if (version === "current") return { version: process.versions.node, file: process.execPath };
  const folder = join(root, ".tools", `node-${version}`);
  const name = `node-${PLATFORMS[process.platform] ?? process.platform}-${process.arch}`;
  const file = join(folder, "node_modules", name, "bin/node");
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private":true}');
    const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync(process.execPath, [findNpmCli(), "install", "--prefix", folder, ...flags, `${name}@${version}`], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  return { version, file };
}

const PLATFORMS: Readonly<Record<string, string>> = { win32: "win" };

/** npm's own program, to run it on a Node of our choice. */
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

/** A PATH on which this Node and the programs of these folders come first. */
export function buildPath({ file }: NodeVersion, ...folders: readonly string[]): string {
  return [...folders, dirname(file), process.env.PATH ?? ""].join(delimiter);
}
