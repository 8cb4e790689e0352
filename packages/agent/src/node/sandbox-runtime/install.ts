/** Finds `@anthropic-ai/sandbox-runtime` where the user installed it, and compares all its files with the pinned hashes. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { quoteForShell } from "../../text.ts";
import { readFolderNames } from "../sandbox/options.ts";
import { PINNED_PACKAGES, type PinnedPackage } from "./pinned-packages.ts";

/** The npm package of the sandbox runtime. */
export const RUNTIME_PACKAGE = "@anthropic-ai/sandbox-runtime";

/** An installed sandbox runtime. */
export interface InstalledRuntime {
  /** The folder in which npm installed it and its dependencies. */
  readonly folder: string;
  readonly version: string;
}

export type RuntimeSearchResult =
  | { readonly type: "installed"; readonly runtime: InstalledRuntime }
  /** `advice` tells the user what to do. */
  | { readonly type: "missing"; readonly why: string; readonly advice: string };

/** The version that Pith uses; no other is loaded. */
export const RUNTIME_VERSION: string = PINNED_PACKAGES.find(({ name }) => name === RUNTIME_PACKAGE)?.version ?? "";

/** Pins every package, because the runtime itself depends on version ranges. Install scripts do not run. */
export function formatInstallCommand(folder: string): string {
  const packages = PINNED_PACKAGES.map(({ name, version }) => `${name}@${version}`);
  return ["npm install --ignore-scripts --save-exact --prefix", quoteIfNeeded(folder), ...packages].join(" ");
}

/** Reads one small file, to keep the start fast. All files are verified before they are loaded. */
export function findRuntime(folder: string): RuntimeSearchResult {
  const installAdvice = `install it: ${formatInstallCommand(folder)}`;
  if (!existsSync(packageFolder(folder, RUNTIME_PACKAGE)))
    return { type: "missing", why: `${RUNTIME_PACKAGE} ${RUNTIME_VERSION} is not installed`, advice: installAdvice };
  const version = readVersion(folder);
  if (version === RUNTIME_VERSION) return { type: "installed", runtime: { folder, version } };
  const why = `${folder} has ${RUNTIME_PACKAGE} ${version ?? "of an unknown version"}, but Pith needs ${RUNTIME_VERSION}`;
  return { type: "missing", why, advice: installAdvice };
}

function readVersion(folder: string): string | null {
  try {
    const text = readFileSync(join(packageFolder(folder, RUNTIME_PACKAGE), "package.json"), "utf8");
    const { version } = JSON.parse(text) as { readonly version?: unknown };
    return typeof version === "string" ? version : null;
  } catch {
    // An incomplete installation.
    return null;
  }
}

/** The folder of an npm package in an installation. */
export function packageFolder(folder: string, name: string): string {
  return join(folder, "node_modules", name);
}

export interface ForeignFiles {
  readonly why: string;
  /** Tells the user what to do. */
  readonly advice: string;
}

/** Null if every file matches its pinned hash. */
export async function findForeignFiles(
  { folder }: InstalledRuntime,
  pinned: readonly PinnedPackage[] = PINNED_PACKAGES,
): Promise<ForeignFiles | null> {
  const unexpected = listInstalledPackages(folder).filter((name) => pinned.every((each) => each.name !== name));
  const changed = await Promise.all(
    pinned.map(async ({ name, hash }) => ((await hashPackage(packageFolder(folder, name))) === hash ? [] : [name])),
  );
  const foreign = [
    ...unexpected.map((name) => `${name} is not expected there`),
    ...changed.flat().map((name) => `${name} is missing or its files differ from the pinned ones`),
  ];
  if (foreign.length === 0) return null;
  return {
    why: `${folder} has unexpected files, so it is not loaded: ${foreign.join(", ")}`,
    advice: `remove the folder and install it again: rm -rf ${quoteIfNeeded(folder)} && ${formatInstallCommand(folder)}`,
  };
}

/** Without npm's own files, which start with a dot. */
function listInstalledPackages(folder: string): readonly string[] {
  const names = readFolderNames(join(folder, "node_modules"))
    .toSorted()
    .filter((name) => !name.startsWith("."));
  return names.flatMap((name) =>
    name.startsWith("@")
      ? readFolderNames(packageFolder(folder, name))
          .toSorted()
          .map((each) => `${name}/${each}`)
      : [name],
  );
}

/** Hashes the paths and bytes of all files, sorted by path. Null where an entry is not a plain file, or cannot be read. */
export async function hashPackage(folder: string): Promise<string | null> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    if (entries.some((entry) => !entry.isFile() && !entry.isDirectory())) return null;
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const namedFiles = files.map((path) => ({ path, name: path.slice(folder.length + 1).replaceAll("\\", "/") }));
    const packageHash = createHash("sha256");
    for (const { path, name } of namedFiles.toSorted((one, other) => (one.name < other.name ? -1 : 1)))
      packageHash.update(
        `${createHash("sha256")
          .update(await readFile(path))
          .digest("hex")}  ${name}\n`,
      );
    return packageHash.digest("hex");
  } catch {
    return null;
  }
}

/** For commands that people read: a word without special characters stays as it is. */
function quoteIfNeeded(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : quoteForShell(word);
}
