/** Defines the interface of the two search engines, ripgrep and the built-in walk. Neither follows links nor enters `.git`. */

import type { FileHandle } from "node:fs/promises";
import type { Fits } from "../../glob.ts";
import type { Found, GrepHit, GrepWish, SearchAct } from "../../ports.ts";
import { refusal } from "../files.ts";
import { namesNear, type Place } from "../paths.ts";
import { codeOf, openHeld, realPath } from "../safe-files.ts";

export interface Engine {
  /** The paths of all files in a folder that are not ignored, relative to it, as bytes: a name need not be text. */
  files(folder: SearchedFolder, act: Pick<SearchAct, "signal">): AsyncIterable<Buffer>;
  /** In the order of the tree. */
  grep(target: GrepTarget, act: SearchAct): AsyncIterable<Searched>;
}

export interface SearchedFolder {
  /** Where it lies, every link followed. */
  readonly real: string;
  /** The path to open it by: it leads there while somebody else may exchange the folders above. */
  readonly at: string;
}

export interface GrepTarget extends Omit<GrepWish, "path"> {
  readonly folder: SearchedFolder;
  /** The one file in it to search; none: all of them. */
  readonly file?: string;
  /** Which files of the folder to search, by their paths; none: all of them. */
  readonly fits?: Fits;
}

export type Searched =
  /** The hits of one file, and the lines around them; where they are more than asked for, only some of them. */
  | { readonly type: "file"; readonly hits: readonly GrepHit[] }
  /** Nothing comes after it. */
  | { readonly type: "refused"; readonly message: string };

/** In a folder, what is larger is not searched: it holds data. */
export const LARGEST_MEGABYTES = 64;

/** A name is bytes, and need not be text. */
export function pathIn(folder: string, name: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(folder.endsWith("/") ? folder : `${folder}/`), name]);
}

/** Bytes that are no text become marks. */
export function decoded(name: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(name);
}

/** The same words from both, as far as they know why. */
export function badPattern(why: string): Searched {
  return { type: "refused", message: `pattern is no regular expression: ${why}; for plain text set literal` };
}

export const ACROSS_LINES = "it asks for a line break, and lines are searched one by one";

export interface Target extends SearchedFolder {
  readonly type: "file" | "folder";
  readonly bytes: number;
}

export interface Absent {
  readonly type: "missing" | "refused";
  readonly message: string;
}

/** Opens the target first, so that a missing or closed one is reported, and holds it open, so that it stays the same. */
export async function withTarget<Outcome>(
  place: Place,
  search: (target: Target) => Promise<Outcome>,
): Promise<Outcome | Absent> {
  const opened = await openTarget(place);
  if (!("file" in opened)) return opened;
  const { file, ...target } = opened;
  try {
    return target.type === "other" ? irregular(place) : await search({ ...target, type: target.type });
  } finally {
    await file.close();
  }
}

/** The same where only a folder will do. */
export async function withFolder<Outcome>(
  place: Place,
  search: (folder: SearchedFolder) => Promise<Outcome>,
): Promise<Outcome | Absent> {
  return await withTarget<Outcome | Absent>(place, async (target) => {
    if (target.type === "folder") return await search(target);
    return { type: "refused", message: `${place.shown} is a file, not a folder` };
  });
}

interface Opened extends Omit<Target, "type"> {
  readonly type: Target["type"] | "other";
  readonly file: FileHandle;
}

async function openTarget(place: Place): Promise<Opened | Absent> {
  try {
    const real = place.real ?? (await realPath(place.path)) ?? place.path;
    const { file, path: at } = await openHeld({ real });
    const stats = await file.stat();
    const type = stats.isDirectory() ? "folder" : stats.isFile() ? "file" : "other";
    return { type, bytes: stats.size, real, at, file };
  } catch (error) {
    return await absent(place, error);
  }
}

function irregular({ shown }: Place): Absent {
  return { type: "refused", message: `${shown} is no regular file` };
}

async function absent(place: Place, error: unknown): Promise<Absent> {
  const code = codeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") {
    return { type: "missing", message: `${place.shown} is not there${await namesNear(place)}` };
  }
  return { type: "refused", message: refusal(error, { act: "read", shown: place.shown }) };
}

export interface Collecting {
  readonly signal: AbortSignal;
  readonly most: number;
  readonly around: number;
}

/** Collects hits until there are as many as asked for; the search then stops. */
export async function collected(files: AsyncIterable<Searched>, wish: Collecting): Promise<Found<GrepHit>> {
  const found: GrepHit[] = [];
  let count = 0;
  for await (const searched of files) {
    wish.signal.throwIfAborted();
    if (searched.type === "refused") return searched;
    for (const hit of searched.hits) {
      if (!hit.isAround) count += 1;
      if (count > wish.most) return { type: "found", found: withoutBefore(found, wish.around), isAll: false };
      found.push(hit);
    }
  }
  return { type: "found", found, isAll: true };
}

/** What stands before the hit that was one too many goes with it. */
function withoutBefore(found: readonly GrepHit[], around: number): readonly GrepHit[] {
  const last = found.findLast(({ isAround }) => !isAround);
  if (!last) return [];
  const end = found.findLastIndex(({ path, line }) => path === last.path && line <= last.line + around);
  return found.slice(0, end + 1);
}

export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
