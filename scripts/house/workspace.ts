/** Reads the sources, tests, package.json files and documents that the checks look at. */

import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../fault.ts";
import { PROGRAM_NAME, SCOPE } from "../packages.ts";
import { listSubfolders, readFiles, readFolder, type Source } from "../source/source.ts";

export interface Workspace {
  readonly sources: readonly Source[];
  /** Tests of packages and benchmarks. Their opening sentences, folder names, declared names and titles are checked. */
  readonly tests: readonly Source[];
  readonly packages: readonly PackageFolder[];
  /** The documents: pages in the root, in `docs/` and its folders, and the readme of each package. The changelog is not among them. */
  readonly pages: readonly Source[];
  /** The text of ARCHITECTURE.md; empty if there is none. */
  readonly architecture: string;
}

/** A package, or a folder of programs such as `scripts`. Its relative imports stay inside it. */
export interface PackageFolder {
  readonly folder: string;
  /** The npm name; null if there is no package.json. */
  readonly name: string | null;
  /** The entry points of `exports`: specifiers such as `@pith/context/node` and the files they name. A pattern stands for all its files. */
  readonly entryPoints: ReadonlyMap<string, string>;
  /** The npm packages that an installation brings along. */
  readonly dependencies: readonly string[];
}

export type Check = (workspace: Workspace) => readonly Fault[];

export const CONTEXT_PACKAGE = "packages/context";
export const CONTEXT_SOURCES = `${CONTEXT_PACKAGE}/src/`;

/** Whether a specifier names one of our packages. */
export function isOwnPackage(specifier: string): boolean {
  return includesSpecifier(SCOPE, specifier) || includesSpecifier(PROGRAM_NAME, specifier);
}

/** Whether a specifier is a name or below it. The name is a scope, a package or an entry point. */
export function includesSpecifier(name: string, specifier: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`);
}

/** The file of an entry point, e.g. of `@pith/context/node`. */
export function findEntryPoint({ packages }: Workspace, specifier: string): string | undefined {
  return packages.map(({ entryPoints }) => entryPoints.get(specifier)).find((file) => file !== undefined);
}

export function readWorkspace(root: string): Workspace {
  const packages = listSubfolders(root, "packages");
  const sourceFolders = [...packages.map((folder) => `${folder}/src`), "bench/src", "evals/src", "scripts", "examples"];
  const packageFolders = [...packages, "bench", "evals", "scripts", "examples"];
  const architecture = join(root, "ARCHITECTURE.md");
  return {
    sources: sourceFolders.flatMap((folder) => readFolder(root, folder)),
    tests: [
      ...packages.flatMap((folder) => [...readFolder(root, `${folder}/test`), ...readFolder(root, `${folder}/e2e`)]),
      ...readFolder(root, "bench/test"),
      ...readFiles(
        root,
        ["vitest.config.ts"].filter((path) => existsSync(join(root, path))),
      ),
    ],
    packages: packageFolders.map((folder) => readPackageFolder(root, folder)),
    pages: readFiles(root, listPages(root, packages)),
    architecture: existsSync(architecture) ? readFileSync(architecture, "utf8") : "",
  };
}

function listPages(root: string, packages: readonly string[]): readonly string[] {
  const docs = existsSync(join(root, "docs"))
    ? readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    : [];
  const rootPages = readdirSync(root).filter((name) => name.endsWith(".md") && name !== "CHANGELOG.md");
  const readmes = packages.map((folder) => `${folder}/README.md`).filter((path) => existsSync(join(root, path)));
  return [
    ...rootPages,
    ...docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
    ...readmes,
  ].toSorted();
}

interface Manifest {
  readonly name?: string;
  readonly exports?: string | Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function readPackageFolder(root: string, folder: string): PackageFolder {
  const file = join(root, folder, "package.json");
  const manifest: Manifest = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const { name = null, dependencies, peerDependencies, optionalDependencies } = manifest;
  const exports = typeof manifest.exports === "string" ? { ".": manifest.exports } : (manifest.exports ?? {});
  return {
    folder,
    name,
    entryPoints: new Map(
      Object.entries(exports)
        .flatMap(([key, path]) => expandPattern(join(root, folder), key, `${path}`))
        .map(([key, path]) => [`${name}${key.slice(1)}`, join(folder, path)]),
    ),
    dependencies: Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }),
  };
}

/** Replaces a pattern such as `"./*": "./src/*.ts"` by an entry point for each file that it matches. */
function expandPattern(folder: string, key: string, path: string): readonly (readonly [string, string])[] {
  const [start = "", end] = path.split("*");
  if (end === undefined) return [[key, path]];
  const files = globSync(`${start}**/*${end}`, { cwd: folder }).map((file) => `./${file}`);
  return files.map((file) => [key.replace("*", file.slice(start.length, -end.length)), file]);
}
