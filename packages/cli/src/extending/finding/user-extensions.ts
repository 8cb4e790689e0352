/** The extensions of the user: files and folders in `extensions` of Pith's home, and packages that were installed there. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { isInside } from "../../prompting/is-inside.ts";
import { extensionsFolder } from "./extensions-folder.ts";
import {
  extensionIn,
  type FoundExtension,
  type FoundExtensions,
  indexFiles,
  isExtensionFile,
} from "./found-extension.ts";
import { stampOf } from "./stamp-of.ts";

/** Only called where the folder is. */
export function userExtensions(home: string): FoundExtensions {
  const folder = extensionsFolder(home);
  const stamp = stampOf(folder);
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
    return path === null ? [] : [{ name, from: "package", path, stamp: stampOf(join(folder, "node_modules", name)) }];
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
