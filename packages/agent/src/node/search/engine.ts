/** Defines the interface of the two search engines, ripgrep and the built-in walk. Neither follows links nor enters `.git`. */

import type { FileHandle } from "node:fs/promises";
import type { PathMatcher } from "../../glob.ts";
import type { GrepHit, GrepQuery, SearchOptions, SearchResult } from "../../ports.ts";
import { describeFileError } from "../files.ts";
import { type FileLocation, formatSimilarNames } from "../paths.ts";
import { errorCode, openNoFollow, resolveRealPath } from "../safe-files.ts";

export interface SearchEngine {
  /** The paths of all files in a folder that are not ignored, relative to it, as bytes: a name need not be text. */
  listFiles(folder: SearchedFolder, act: Pick<SearchOptions, "signal">): AsyncIterable<Buffer>;
  /** In the order of the tree. */
  grep(target: GrepTarget, act: SearchOptions): AsyncIterable<GrepResult>;
}

export interface SearchedFolder {
  /** Where it lies, every link followed. */
  readonly realPath: string;
  /** The path to open it by: it leads there while somebody else may exchange the folders above. */
  readonly openPath: string;
}

export interface GrepTarget extends Omit<GrepQuery, "path"> {
  readonly folder: SearchedFolder;
  /** The one file in it to search; none: all of them. */
  readonly file?: string;
  /** Which files of the folder to search, by their paths; none: all of them. */
  readonly fits?: PathMatcher;
}

export type GrepResult =
  /** The hits of one file, and the lines around them; where they are more than asked for, only some of them. */
  | { readonly type: "file"; readonly hits: readonly GrepHit[] }
  /** Nothing comes after it. */
  | { readonly type: "refused"; readonly message: string };

/** In a folder, what is larger is not searched: it holds data. */
export const MAX_FILE_MEGABYTES = 64;

/** A name is bytes, and need not be text. */
export function joinPathBytes(folder: string, name: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(folder.endsWith("/") ? folder : `${folder}/`), name]);
}

/** Bytes that are no text become marks. */
export function decodePath(name: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(name);
}

/** The same words from both, as far as they know why. */
export function badPatternResult(why: string): GrepResult {
  return { type: "refused", message: `pattern is no regular expression: ${why}; for plain text set literal` };
}

export const LINE_BREAK_PROBLEM = "it asks for a line break, and lines are searched one by one";

export interface SearchTarget extends SearchedFolder {
  readonly type: "file" | "folder";
  readonly bytes: number;
}

export interface TargetError {
  readonly type: "missing" | "refused";
  readonly message: string;
}

/** Opens the target first, so that a missing or closed one is reported, and holds it open, so that it stays the same. */
export async function withTarget<Outcome>(
  location: FileLocation,
  search: (target: SearchTarget) => Promise<Outcome>,
): Promise<Outcome | TargetError> {
  const opened = await openTarget(location);
  if (!("file" in opened)) return opened;
  const { file, ...target } = opened;
  try {
    return target.type === "other" ? notRegularFile(location) : await search({ ...target, type: target.type });
  } finally {
    await file.close();
  }
}

/** The same where only a folder will do. */
export async function withFolder<Outcome>(
  location: FileLocation,
  search: (folder: SearchedFolder) => Promise<Outcome>,
): Promise<Outcome | TargetError> {
  return await withTarget<Outcome | TargetError>(location, async (target) => {
    if (target.type === "folder") return await search(target);
    return { type: "refused", message: `${location.displayPath} is a file, not a folder` };
  });
}

interface OpenedTarget extends Omit<SearchTarget, "type"> {
  readonly type: SearchTarget["type"] | "other";
  readonly file: FileHandle;
}

async function openTarget(location: FileLocation): Promise<OpenedTarget | TargetError> {
  try {
    const real = location.realPath ?? (await resolveRealPath(location.path)) ?? location.path;
    const { file, path: openPath } = await openNoFollow({ realPath: real });
    const stats = await file.stat();
    const type = stats.isDirectory() ? "folder" : stats.isFile() ? "file" : "other";
    return { type, bytes: stats.size, realPath: real, openPath, file };
  } catch (error) {
    return await toTargetError(location, error);
  }
}

function notRegularFile({ displayPath }: FileLocation): TargetError {
  return { type: "refused", message: `${displayPath} is no regular file` };
}

async function toTargetError(location: FileLocation, error: unknown): Promise<TargetError> {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") {
    return { type: "missing", message: `${location.displayPath} is not there${await formatSimilarNames(location)}` };
  }
  return { type: "refused", message: describeFileError(error, { action: "read", displayPath: location.displayPath }) };
}

export interface CollectOptions {
  readonly signal: AbortSignal;
  readonly maxResults: number;
  readonly contextLines: number;
}

/** Collects hits until there are as many as asked for; the search then stops. */
export async function collectHits(
  files: AsyncIterable<GrepResult>,
  options: CollectOptions,
): Promise<SearchResult<GrepHit>> {
  const hits: GrepHit[] = [];
  let count = 0;
  for await (const result of files) {
    options.signal.throwIfAborted();
    if (result.type === "refused") return result;
    for (const hit of result.hits) {
      if (!hit.isContext) count += 1;
      if (count > options.maxResults)
        return { type: "found", items: dropContextAfterLast(hits, options.contextLines), isComplete: false };
      hits.push(hit);
    }
  }
  return { type: "found", items: hits, isComplete: true };
}

/** What stands before the hit that was one too many goes with it. */
function dropContextAfterLast(hits: readonly GrepHit[], contextLines: number): readonly GrepHit[] {
  const last = hits.findLast(({ isContext }) => !isContext);
  if (!last) return [];
  const end = hits.findLastIndex(({ path, line }) => path === last.path && line <= last.line + contextLines);
  return hits.slice(0, end + 1);
}

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
