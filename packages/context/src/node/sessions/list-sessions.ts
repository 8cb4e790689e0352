/** Lists sessions, newest first: of one working directory, of all, or in given folders. A cache per folder avoids opening unchanged files. */

import { basename, join } from "node:path";
import { isObject, type JsonObject } from "../../json.ts";
import {
  appendAll,
  type FileStat,
  type Files,
  ignoreDiskErrors,
  isSessionFileName,
  readFolderCwd,
  readJsonObject,
} from "../files.ts";
import { yieldToEventLoop } from "../runtime.ts";
import { readSessionItem, type SessionFileInfo, type SessionItem } from "./list-item.ts";
import { applyDefaults, listSessionFolders, projectSessionsFolder, type SessionFileOptions } from "./paths.ts";

export interface ListSessionsOptions extends SessionFileOptions {
  /** Lists only the sessions of this working directory. */
  readonly cwd?: string;
  /** Lists these folders instead of Pith's own; for example pi's. */
  readonly folders?: readonly string[];
  /** Lists only about this many per folder, those that are probably the newest; for a quick first list of thousands. */
  readonly maxPerFolder?: number;
}

/** Lists sessions, newest first. An unreadable file is listed as damaged. */
export async function listSessions({
  cwd,
  folders,
  maxPerFolder,
  ...options
}: ListSessionsOptions = {}): Promise<readonly SessionItem[]> {
  const config = applyDefaults(options);
  const sessionFolders =
    folders ?? (cwd === undefined ? listSessionFolders(config) : [projectSessionsFolder(cwd, config)]);
  const items: SessionItem[][] = [];
  for (const folder of sessionFolders) items.push(await listFolderItems(folder, config, maxPerFolder));
  return items.flat().sort(compareSessionItems);
}

async function listFolderItems(
  folder: string,
  { files, runtime, limits }: Required<SessionFileOptions>,
  maxPerFolder?: number,
): Promise<SessionItem[]> {
  const cacheEntries = new Map<string, ListCacheEntry>();
  const items: SessionItem[] = [];
  const cwd = readFolderCwd(folder, files);
  let readCount = 0;
  let statCount = 0;
  // An unreadable folder counts as empty, so that the others are still listed.
  const allNames = (ignoreDiskErrors(() => files.list(folder)) ?? []).filter(isSessionFileName);
  const isFullListing = maxPerFolder === undefined;
  const { names, cached } = isFullListing
    ? { names: allNames, cached: readListCache(folder, files) }
    : findNewestFiles(allNames, { folder, files, maxPerFolder });
  for (const name of names) {
    const path = join(folder, name);
    const stat = ignoreDiskErrors(() => files.stat(path));
    if (!stat || stat.kind === "folder") continue;
    const previous = cached.get(name);
    const cacheEntry = previous && isCacheEntryCurrent(previous, stat) ? previous : null;
    const { item, lasting } = cacheEntry ?? readSessionItem(path, stat, { files, limits, checksum: runtime.checksum });
    if (lasting) cacheEntries.set(name, cacheEntry ?? toListCacheEntry(stat, item));
    items.push({ ...item, path, cwd: cwd ?? item.cwd, modified: stat.modified, size: stat.size });
    if ((!cacheEntry && lasting && ++readCount % READS_PER_YIELD === 0) || ++statCount % STATS_PER_YIELD === 0)
      await yieldToEventLoop();
  }
  // A partial listing must not remove the other entries from the cache.
  if (isFullListing && (readCount > 0 || cacheEntries.size !== cached.size))
    writeListCache(folder, cacheEntries, { files, nonce: runtime.nonce });
  return items;
}

/** The files with the latest start time, and those with the latest modification time in the cache. */
function findNewestFiles(
  allNames: readonly string[],
  { folder, files, maxPerFolder }: { readonly folder: string; readonly files: Files; readonly maxPerFolder: number },
): { readonly names: readonly string[]; readonly cached: ReadonlyMap<string, ListCacheEntry> } {
  const newestByName = allNames.toSorted(compareDescending).slice(0, maxPerFolder);
  const cached = readRecentListCache(folder, files, { names: newestByName, limit: maxPerFolder });
  const existingNames = new Set(allNames);
  return { names: [...new Set([...newestByName, ...cached.keys()])].filter((name) => existingNames.has(name)), cached };
}

function toListCacheEntry({ identity, size, modified }: FileStat, item: ListCacheEntry["item"]): ListCacheEntry {
  return { identity, size, modified, item, lasting: true };
}

// File names start with the start time, so of two files modified at the same time the later session comes first.
function compareSessionItems(one: SessionItem, other: SessionItem): number {
  return (
    other.modified - one.modified ||
    compareDescending(basename(one.path), basename(other.path)) ||
    compareDescending(one.path, other.path)
  );
}

function compareDescending(one: string, other: string): number {
  return one < other ? 1 : one > other ? -1 : 0;
}

// Opening thousands of files takes seconds and must not block the process.
const READS_PER_YIELD = 20;

/** For files that are only checked with `stat`. */
const STATS_PER_YIELD = 250;

export interface ListCacheEntry {
  readonly identity: string;
  readonly size: number;
  readonly modified: number;
  readonly item: SessionFileInfo;
  /** Only items that stay valid while the file is unchanged are cached. */
  readonly lasting: true;
}

/** Reads the cache of a folder by file name; empty if it is missing, torn or of another version. */
function readListCache(folder: string, files: Files): ReadonlyMap<string, ListCacheEntry> {
  const pairs = Object.entries(readCachedItems(folder, files));
  return new Map(pairs.filter((entry): entry is [string, ListCacheEntry] => isListCacheEntry(entry[1])));
}

/** Reads only the cache entries of these names and of the `limit` most recently modified files. */
function readRecentListCache(
  folder: string,
  files: Files,
  { names, limit }: { readonly names: readonly string[]; readonly limit: number },
): ReadonlyMap<string, ListCacheEntry> {
  const itemsByName = readCachedItems(folder, files);
  const newestNames = Object.keys(itemsByName).toSorted(
    (one, other) => readModifiedTime(itemsByName[other]) - readModifiedTime(itemsByName[one]),
  );
  const wantedNames = new Set([...names, ...newestNames.slice(0, limit)]);
  const pairs = [...wantedNames].map((name) => [name, itemsByName[name]] as const);
  return new Map(pairs.filter((entry): entry is [string, ListCacheEntry] => isListCacheEntry(entry[1])));
}

function readCachedItems(folder: string, files: Files): JsonObject {
  const { version, listed } = readJsonObject(listCachePath(folder), files);
  return version === LIST_CACHE_VERSION && isObject(listed) ? listed : {};
}

function readModifiedTime(cacheEntry: unknown): number {
  const { modified } = Object(cacheEntry) as { readonly modified?: unknown };
  return typeof modified === "number" ? modified : 0;
}

/** Whether the file is unchanged since it was cached. */
function isCacheEntryCurrent({ identity, size, modified }: ListCacheEntry, stat: FileStat): boolean {
  return identity === stat.identity && size === stat.size && modified === stat.modified;
}

/** Writes the cache of a folder. If two processes write at once, the later one wins, and the file is always complete. */
function writeListCache(
  folder: string,
  entries: ReadonlyMap<string, ListCacheEntry>,
  { files, nonce }: { readonly files: Files; readonly nonce: () => string },
): void {
  // The cache can be rebuilt, so a disk error is ignored.
  ignoreDiskErrors(() => {
    files.makeFolder(join(folder, ".pith"));
    const tempPath = `${listCachePath(folder)}.${nonce()}.new`;
    const file = files.create(tempPath);
    try {
      const bytes = Buffer.from(JSON.stringify({ version: LIST_CACHE_VERSION, listed: Object.fromEntries(entries) }));
      appendAll(file, bytes);
    } catch (error) {
      ignoreDiskErrors(() => files.remove(tempPath));
      throw error;
    } finally {
      file.close();
    }
    files.rename(tempPath, listCachePath(folder));
  });
}

function isListCacheEntry(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { identity, size, modified, item, lasting } = value;
  const isKey = typeof identity === "string" && typeof size === "number" && typeof modified === "number";
  return isKey && lasting === true && isSessionFileInfo(item);
}

function isSessionFileInfo(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, cwd, name, created, firstMessage, parentSession, damaged } = value;
  const hasValidTexts = [name, damaged].every((text) => text === undefined || isDisplayable(text));
  const hasValidPaths = typeof cwd === "string" && (parentSession === undefined || typeof parentSession === "string");
  return hasValidTexts && hasValidPaths && isDisplayable(id) && isDisplayable(created) && isDisplayable(firstMessage);
}

// Any program may have written this file: a text is used only if text/sanitize.ts would not change it.
function isDisplayable(text: unknown): boolean {
  if (typeof text !== "string") return false;
  // Most texts are ASCII, which is checked ten times faster.
  return !/[^ -~]/.test(text) || !/[\p{Cc}\p{Cf}\p{Co}]/u.test(text);
}

const listCachePath = (folder: string): string => join(folder, ".pith", "list.json");
const LIST_CACHE_VERSION = 2;
