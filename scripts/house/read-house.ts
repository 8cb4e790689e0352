/** Reads the house from disk: every file once, and the package.json of every home. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Home, House } from "./house.ts";
import { readFolder, subfolders } from "./source/read-folder.ts";

export function readHouse(root: string): House {
  const packages = subfolders(root, "packages");
  const sourceFolders = [...packages.map((folder) => `${folder}/src`), "bench/src", "evals/src", "scripts", "examples"];
  const homeFolders = [...packages, "bench", "evals", "scripts", "examples"];
  return {
    sources: sourceFolders.flatMap((folder) => readFolder(root, folder)),
    tests: packages.flatMap((folder) => readFolder(root, `${folder}/test`)),
    homes: homeFolders.map((folder) => readHome(root, folder)),
  };
}

interface Manifest {
  readonly name?: string;
  readonly exports?: string | Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function readHome(root: string, folder: string): Home {
  const file = join(root, folder, "package.json");
  const manifest: Manifest = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const { dependencies, peerDependencies, optionalDependencies } = manifest;
  return {
    folder,
    name: manifest.name ?? null,
    doors: typeof manifest.exports === "string" ? ["."] : Object.keys(manifest.exports ?? {}),
    dependencies: Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }),
  };
}
