/** Finds the user's extensions and those of a trusted project, whose files are used as they were when trusted. */

import { createHash } from "node:crypto";
import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { isInside } from "../trust/project-folders.ts";
import type { HeldFile } from "../trust/read-files.ts";
import {
  extensionIn,
  extensionsFolder,
  type FoundExtension,
  type FoundExtensions,
  indexFiles,
  isExtensionFile,
} from "./extension-files.ts";

/** Changes when a file of the folder does, so that it is loaded anew. Bounded: reading deeper or more files would take too long. */
export function fileStamp(path: string): string {
  const hash = createHash("sha256");
  let left = MOST;
  const look = (folder: string, depth: number): void => {
    for (const entry of entriesIn(folder)) {
      if (left-- <= 0) return;
      const file = join(folder, entry.name);
      if (entry.isDirectory() && depth < DEEPEST && entry.name !== "node_modules") look(file, depth + 1);
      else if (!entry.isDirectory()) hash.update(`${file} ${changed(file)}\n`);
    }
  };
  look(path, 0);
  hash.update(changed(path));
  return hash.digest("hex").slice(0, STAMP_LENGTH);
}

const MOST = 1_000;
const DEEPEST = 4;
const STAMP_LENGTH = 12;

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A file, or closed to us: then loading it says so.
    return [];
  }
}

function changed(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size}` : "gone";
}

/** Only called where the folder is. */
export function userExtensions(home: string): FoundExtensions {
  const folder = extensionsFolder(home);
  const stamp = fileStamp(folder);
  const found: FoundExtension[] = [];
  const notes: string[] = [];
  for (const name of namesIn(folder)) {
    const path = entryAt(join(folder, name));
    if (path !== null) found.push({ name, from: "user", path, stamp });
    else if (isFolder(join(folder, name))) notes.push(noneIn(join(folder, name)));
  }
  return { found: [...found, ...packagesIn(folder)], notes };
}

/** The file that is loaded first; null where this is no extension. */
export function entryAt(path: string): string | null {
  if (!isFolder(path)) return isExtensionFile(basename(path)) ? path : null;
  const named = packageEntry(path);
  if (named !== null) return named;
  return indexFiles.map((name) => join(path, name)).find((index) => existsSync(index)) ?? null;
}

function packageEntry(folder: string): string | null {
  const named = extensionIn(textAt(join(folder, "package.json")));
  if (named === null) return null;
  const path = join(folder, named);
  return isInside(folder, path) && existsSync(path) ? path : null;
}

export function noneIn(folder: string): string {
  return `${folder} is no extension: it needs an index.ts, index.js or index.mjs, or a package.json with "pith": { "extension": "./file.js" }`;
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith(".") && name !== "node_modules")
    .sort();
}

/** Those that the user asked for: what they need themselves lies beside them, and is nobody's extension. */
export function packagesIn(folder: string): readonly FoundExtension[] {
  const { dependencies } = Object(jsonAt(join(folder, "package.json"))) as { readonly dependencies?: object };
  return Object.keys(dependencies ?? {}).flatMap((name): readonly FoundExtension[] => {
    const path = packageEntry(join(folder, "node_modules", name));
    return path === null ? [] : [{ name, from: "package", path, stamp: fileStamp(join(folder, "node_modules", name)) }];
  });
}

function jsonAt(path: string): unknown {
  try {
    return JSON.parse(textAt(path));
  } catch {
    // Without one there are no packages.
    return null;
  }
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Not there, or closed to us, which is the same here.
    return "";
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Of the files of this kind; those of the root first. */
export function projectExtensions(files: readonly HeldFile[]): FoundExtensions {
  const held = new Map(files.map(({ path, bytes }) => [path, bytes]));
  const stamp = stampOf(files);
  const found: FoundExtension[] = [];
  const notes: string[] = [];
  for (const [place, own] of Map.groupBy(files, placeOf)) {
    const path = entryOf(place, held);
    const named = own[0]?.name.split("/") ?? [];
    const name = named.slice(0, named.lastIndexOf("extensions") + 2).join("/");
    if (path !== null) found.push({ name, from: "project", path, stamp, held });
    else if (!held.has(place)) notes.push(noneIn(place));
  }
  return { found, notes };
}

/** The file or the folder right below `.pith/extensions`. */
function placeOf({ folder, path }: HeldFile): string {
  const [first = ""] = relative(join(folder, FOLDER), path).split(sep);
  return join(folder, FOLDER, first);
}

const FOLDER = join(".pith", "extensions");

function entryOf(place: string, held: ReadonlyMap<string, Uint8Array>): string | null {
  if (held.has(place)) return isExtensionFile(basename(place)) ? place : null;
  const bytes = held.get(join(place, "package.json"));
  const named = bytes ? extensionIn(new TextDecoder().decode(bytes)) : null;
  if (named !== null) {
    const path = join(place, named);
    return isInside(place, path) && held.has(path) ? path : null;
  }
  return indexFiles.map((name) => join(place, name)).find((path) => held.has(path)) ?? null;
}

function stampOf(files: readonly HeldFile[]): string {
  const hash = createHash("sha256");
  for (const { path, hash: own } of files) hash.update(`${path} ${own}\n`);
  return hash.digest("hex").slice(0, STAMP_LENGTH);
}
