/**
 * Lists the published packages, with what the build needs to know about each. If one of the names is taken on npm, it changes here and in
 * the manifests (docs/releasing.md).
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root: string = join(import.meta.dirname, "..");

/** The npm package of the program. The command that it installs is `pith`, whatever the package is called. */
export const PROGRAM_NAME = "pith";
/** The npm scope of the libraries. */
export const SCOPE = "@pith";
/** The oldest Node that runs what is published. */
export const NODE_TARGET = "node22";

export interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly repository?: { readonly url: string };
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly publishConfig: {
    readonly bin?: Readonly<Record<string, string>>;
    readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  };
}

export function readPackage(folder: string): Package {
  return { folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) };
}

/** Lists the published packages of this repository, or of a copy of it. */
export function listPublishedPackages(rootFolder: string = root): readonly Package[] {
  const packages = readdirSync(join(rootFolder, "packages")).map((name) =>
    readPackage(join(rootFolder, "packages", name)),
  );
  return packages.filter(({ manifest }) => manifest.private !== true);
}

/** The one version of all published packages. */
export function readVersion(rootFolder: string = root): string {
  const versions = new Set(listPublishedPackages(rootFolder).map(({ manifest }) => manifest.version));
  const [version] = versions;
  if (version === undefined || versions.size !== 1)
    throw new Error(`the packages must share one version, and have ${[...versions].join(", ") || "none"}`);
  return version;
}

/** The program is one bundle with all its dependencies; every other package is a library. */
export function isProgram({ manifest }: { readonly manifest: { readonly name: string } }): boolean {
  return manifest.name === PROGRAM_NAME;
}
