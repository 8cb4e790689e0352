/** Lists the packages that are published, with what the build needs to know of each. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root: string = join(import.meta.dirname, "../..");

export interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
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

export function publishedPackages(): readonly Package[] {
  const packages = readdirSync(join(root, "packages")).map((name) => readPackage(join(root, "packages", name)));
  return packages.filter(({ manifest }) => manifest.private !== true);
}

/** The program is one bundle with all its dependencies; every other package is a library. */
export function isProgram({ manifest }: Package): boolean {
  return manifest.publishConfig.bin?.pith !== undefined;
}
