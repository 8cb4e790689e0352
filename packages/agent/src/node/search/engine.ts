/** Defines the interface of the two search engines, ripgrep and the built-in walk. Neither follows links nor enters `.git`. */

import type { FileHandle } from "node:fs/promises";
import type { PathMatcher } from "../../glob.ts";
import type { GrepHit, GrepQuery, SearchOptions, SearchResult } from "../../ports.ts";
import { describeFileError } from "../files.ts";
import { type FileLocation, formatSimilarNames } from "../paths.ts";
import { errorCode, openNoFollow, resolveRealPath } from "../safe-files.ts";

export interface SearchEngine {
  /** The relative paths of all files in a folder that are not ignored; as bytes, because a name need not be valid UTF-8. */
  listFiles(folder: SearchedFolder, options: Pick<SearchOptions, "signal">): AsyncIterable<Buffer>;
  /** Results come in the order of the tree. */
  grep(target: GrepTarget, options: SearchOptions): AsyncIterable<GrepResult>;
}

export interface SearchedFolder {
  /** Its path without links. */
  readonly realPath: string;
  /** The path to open it by, which stays valid if a parent folder is replaced. */
  readonly openPath: string;
}

export interface GrepTarget extends Omit<GrepQuery, "path"> {
  readonly folder: SearchedFolder;
  /** The only file in it to search; absent for all. */
  readonly file?: string;
  /** Which files of the folder to search, by their paths; absent for all. */
  readonly fits?: PathMatcher;
}

export type GrepResult =
  /** The hits of one file with context lines; incomplete if there are more than the limit. */
  | { readonly type: "file"; readonly hits: readonly GrepHit[] }
  /** Always the last result. */
  | { readonly type: "refused"; readonly message: string };

/** Larger files in a folder are taken for data and not searched. */
export const MAX_FILE_MEGABYTES = 64;

/** Joins bytes, because a name need not be valid UTF-8. */
export function joinPathBytes(folder: string, name: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(folder.endsWith("/") ? folder : `${folder}/`), name]);
}

/** Invalid bytes become replacement characters. */
export function decodePath(name: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(name);
}

/** Both engines report a bad pattern with the same message. */
export function badPatternResult(why: string): GrepResult {
  return {
    type: "refused",
    message: `pattern is not a valid regular expression: ${why}; to search for plain text, set literal`,
  };
}

export const LINE_BREAK_PROBLEM = "it contains a line break, and lines are searched one by one";

export interface SearchTarget extends SearchedFolder {
  readonly type: "file" | "folder";
  readonly bytes: number;
}

export interface TargetError {
  readonly type: "missing" | "refused";
  readonly message: string;
}

/** Opens the target first, so that a missing or unreadable one is reported, and keeps it open, so that it cannot be replaced. */
export async function withTarget<Result>(
  location: FileLocation,
  search: (target: SearchTarget) => Promise<Result>,
): Promise<Result | TargetError> {
  const opened = await openTarget(location);
  if (!("file" in opened)) return opened;
  const { file, ...target } = opened;
  try {
    return target.type === "other" ? notRegularFile(location) : await search({ ...target, type: target.type });
  } finally {
    await file.close();
  }
}

/** Like `withTarget`, but refuses a file. */
export async function withFolder<Result>(
  location: FileLocation,
  search: (folder: SearchedFolder) => Promise<Result>,
): Promise<Result | TargetError> {
  return await withTarget<Result | TargetError>(location, async (target) => {
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
    const realPath = location.realPath ?? (await resolveRealPath(location.path)) ?? location.path;
    const { file, path: openPath } = await openNoFollow({ realPath });
    const stats = await file.stat();
    const type = stats.isDirectory() ? "folder" : stats.isFile() ? "file" : "other";
    return { type, bytes: stats.size, realPath, openPath, file };
  } catch (error) {
    return await toTargetError(location, error);
  }
}

function notRegularFile({ displayPath }: FileLocation): TargetError {
  return { type: "refused", message: `${displayPath} is not a regular file` };
}

async function toTargetError(location: FileLocation, error: unknown): Promise<TargetError> {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") {
    return { type: "missing", message: `${location.displayPath} does not exist${await formatSimilarNames(location)}` };
  }
  return { type: "refused", message: describeFileError(error, { action: "read", displayPath: location.displayPath }) };
}

/** Collects hits up to the limit; the search then stops. */
export async function collectHits(
  files: AsyncIterable<GrepResult>,
  options: { readonly signal: AbortSignal; readonly maxResults: number; readonly contextLines: number },
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

/** Drops the context lines that belong to the first hit past the limit. */
function dropContextAfterLast(hits: readonly GrepHit[], contextLines: number): readonly GrepHit[] {
  const last = hits.findLast(({ isContext }) => !isContext);
  if (!last) return [];
  const end = hits.findLastIndex(({ path, line }) => path === last.path && line <= last.line + contextLines);
  return hits.slice(0, end + 1);
}

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
