/** The extensions of a project that is trusted: what lies in `.pith/extensions`, as it was when somebody trusted it. */

import { createHash } from "node:crypto";
import { basename, join, relative, sep } from "node:path";
import type { HeldFile } from "../../home/trust/holding/held-file.ts";
import { isInside } from "../../prompting/is-inside.ts";
import {
  extensionIn,
  type FoundExtension,
  type FoundExtensions,
  indexFiles,
  isExtensionFile,
} from "./found-extension.ts";
import { noneIn } from "./user-extensions.ts";

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
  return hash.digest("hex").slice(0, LENGTH);
}

const LENGTH = 12;
