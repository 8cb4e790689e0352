/** Reads the sources, tests and package.json files that the checks look at. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM_NAME, SCOPE } from "../build/packages.ts";
import type { Fault } from "../fault.ts";
import { readFolder, type Source, subfolders } from "../source/source.ts";

export interface House {
  readonly sources: readonly Source[];
  /** Tests inside packages: only their opening sentences and names are looked at. */
  readonly tests: readonly Source[];
  readonly homes: readonly Home[];
}

/** A folder that imports stay inside of: a package, or a folder of programs such as `scripts`. */
export interface Home {
  readonly folder: string;
  /** The npm name; null where there is no package.json. */
  readonly name: string | null;
  /** The keys of `exports`. */
  readonly doors: readonly string[];
  /** Names of npm packages that an installation would bring along. */
  readonly dependencies: readonly string[];
}

export type Check = (house: House) => readonly Fault[];

export function homeOf(house: House, path: string): Home | undefined {
  return house.homes.find(({ folder }) => path.startsWith(`${folder}/`));
}

/** Whether a specifier names one of our packages. */
export function isOurs(specifier: string): boolean {
  return opens(SCOPE, specifier) || opens(PROGRAM_NAME, specifier);
}

/** Whether a name, of a scope, a package or a door, is or contains what the specifier asks for. */
export function opens(name: string, specifier: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`);
}

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
