/** Finds the user's extensions and those of a trusted project. Project files are used as they were when they were trusted. */

import { createHash } from "node:crypto";
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import type { ProjectFile } from "../trust/project-files.ts";
import { isInside } from "../trust/project-files.ts";
import {
  extensionsFolder,
  type FoundExtension,
  type FoundExtensions,
  indexFiles,
  isExtensionFile,
  parseExtensionEntry,
} from "./extension-files.ts";

/** Computes a stamp that changes with the files of the folder, so that the extension is loaded again. Depth and file count are limited for speed. */
function computeFileStamp(path: string): string {
  const hash = createHash("sha256");
  let remaining = MAX_FILES;
  const visit = (folder: string, depth: number): void => {
    for (const entry of readFolder(folder)) {
      if (remaining-- <= 0) return;
      const file = join(folder, entry.name);
      if (entry.isDirectory() && depth < MAX_DEPTH && entry.name !== "node_modules") visit(file, depth + 1);
      else if (!entry.isDirectory()) hash.update(`${file} ${readFileState(file)}\n`);
    }
  };
  visit(path, 0);
  hash.update(readFileState(path));
  return hash.digest("hex").slice(0, STAMP_LENGTH);
}

const MAX_FILES = 1_000;
const MAX_DEPTH = 4;
const STAMP_LENGTH = 12;

function readFolder(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not a folder, or not readable. Loading the extension reports the error.
    return [];
  }
}

function readFileState(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size}` : "gone";
}

/** The extensions folder must exist. */
export function findUserExtensions(home: string): FoundExtensions {
  const folder = extensionsFolder(home);
  const stamp = computeFileStamp(folder);
  const found: FoundExtension[] = [];
  const notes: string[] = [];
  for (const name of listNames(folder)) {
    const path = findEntryFile(join(folder, name));
    if (path !== null) found.push({ name, origin: "user", path, stamp });
    else if (isFolder(join(folder, name))) notes.push(describeMissingEntry(join(folder, name)));
  }
  return { found: [...found, ...findInstalledPackages(folder)], notes };
}

/** Finds the entry file of an extension. Null if the path is not an extension. */
export function findEntryFile(path: string): string | null {
  if (!isFolder(path)) return isExtensionFile(basename(path)) ? path : null;
  const packageEntry = findPackageEntry(path);
  if (packageEntry !== null) return packageEntry;
  return indexFiles.map((name) => join(path, name)).find((indexFile) => existsSync(indexFile)) ?? null;
}

function findPackageEntry(folder: string): string | null {
  const entryPath = parseExtensionEntry(readText(join(folder, "package.json")));
  if (entryPath === null) return null;
  const path = join(folder, entryPath);
  return isInside(folder, path) && existsSync(path) ? path : null;
}

function describeMissingEntry(folder: string): string {
  return `${folder} is not an extension: it needs an index.ts, index.js or index.mjs, or a package.json with "pith": { "extension": "./file.js" }`;
}

function listNames(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith(".") && name !== "node_modules")
    .sort();
}

/** Finds the packages that the user installed. Their own dependencies in `node_modules` are not extensions. */
export function findInstalledPackages(folder: string): readonly FoundExtension[] {
  const { dependencies } = Object(readJson(join(folder, "package.json"))) as { readonly dependencies?: object };
  return Object.keys(dependencies ?? {}).flatMap((name): readonly FoundExtension[] => {
    const path = findPackageEntry(join(folder, "node_modules", name));
    return path === null
      ? []
      : [{ name, origin: "package", path, stamp: computeFileStamp(join(folder, "node_modules", name)) }];
  });
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readText(path));
  } catch {
    // Without a valid package.json there are no packages.
    return null;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // A missing and an unreadable file are treated the same.
    return "";
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Finds the extensions in the trusted files of a project. */
export function findProjectExtensions(files: readonly ProjectFile[]): FoundExtensions {
  const trustedBytes = new Map(files.map(({ path, bytes }) => [path, bytes]));
  const stamp = computeTrustedStamp(files);
  const found: FoundExtension[] = [];
  const notes: string[] = [];
  for (const [location, ownFiles] of Map.groupBy(files, getExtensionLocation)) {
    const path = findTrustedEntryFile(location, trustedBytes);
    const nameParts = ownFiles[0]?.name.split("/") ?? [];
    const name = nameParts.slice(0, nameParts.lastIndexOf("extensions") + 2).join("/");
    if (path !== null) found.push({ name, origin: "project", path, stamp, trustedBytes });
    else if (!trustedBytes.has(location)) notes.push(describeMissingEntry(location));
  }
  return { found, notes };
}

/** Returns the file or folder directly below `.pith/extensions`. */
function getExtensionLocation({ folder, path }: ProjectFile): string {
  const [first = ""] = relative(join(folder, EXTENSIONS_PATH), path).split(sep);
  return join(folder, EXTENSIONS_PATH, first);
}

const EXTENSIONS_PATH = join(".pith", "extensions");

function findTrustedEntryFile(location: string, trustedBytes: ReadonlyMap<string, Uint8Array>): string | null {
  if (trustedBytes.has(location)) return isExtensionFile(basename(location)) ? location : null;
  const bytes = trustedBytes.get(join(location, "package.json"));
  const entryPath = bytes ? parseExtensionEntry(new TextDecoder().decode(bytes)) : null;
  if (entryPath !== null) {
    const path = join(location, entryPath);
    return isInside(location, path) && trustedBytes.has(path) ? path : null;
  }
  return indexFiles.map((name) => join(location, name)).find((path) => trustedBytes.has(path)) ?? null;
}

function computeTrustedStamp(files: readonly ProjectFile[]): string {
  const hash = createHash("sha256");
  for (const { path, hash: fileHash } of files) hash.update(`${path} ${fileHash}\n`);
  return hash.digest("hex").slice(0, STAMP_LENGTH);
}
