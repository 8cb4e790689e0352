/** Lists sessions, newest first, of one directory, of all, or in given folders. A cache per folder spares opening unchanged files. */

import { basename, join } from "node:path";
import { appendAll, type FileStat, type Files, ignoreDiskErrors, readJsonObject } from "../files.ts";
import { yieldToEventLoop } from "../runtime.ts";
import { isSessionFileName, readFolderCwd } from "../session-file-name.ts";
import { readSessionItem, type SessionFileInfo, type SessionItem } from "./list-item.ts";
import { applyDefaults, listSessionFolders, projectSessionsFolder, type SessionFileOptions } from "./paths.ts";

export interface ListCacheEntry {
  readonly identity: string;
  readonly size: number;
  readonly modified: number;
  readonly item: SessionFileInfo;
  /** Only what stays true as long as the file is the same is kept. */
  readonly lasting: true;
}

/** By the name of the file; nothing of what is foreign, torn or of another version. */
export function readListCache(folder: string, files: Files): ReadonlyMap<string, ListCacheEntry> {
  const { version, listed: cachedItems } = readJsonObject(listCachePath(folder), files);
  if (version !== LIST_CACHE_VERSION || typeof cachedItems !== "object" || cachedItems === null) return new Map();
  return new Map(
    Object.entries(cachedItems).filter((entry): entry is [string, ListCacheEntry] => isListCacheEntry(entry[1])),
  );
}

/** The same for these names, and for so many that were written last: thousands of others are not looked at. */
export function readRecentListCache(
  folder: string,
  files: Files,
  { names, limit }: RecentCacheOptions,
): ReadonlyMap<string, ListCacheEntry> {
  const { version, listed: cachedItems } = readJsonObject(listCachePath(folder), files);
  if (version !== LIST_CACHE_VERSION || typeof cachedItems !== "object" || cachedItems === null) return new Map();
  const itemsByName = cachedItems as Readonly<Record<string, unknown>>;
  const newestNames = Object.keys(itemsByName).toSorted(
    (one, other) => readModifiedTime(itemsByName[other]) - readModifiedTime(itemsByName[one]),
  );
  const wantedNames = new Set([...names, ...newestNames.slice(0, limit)]);
  const pairs = [...wantedNames].map((name) => [name, itemsByName[name]] as const);
  return new Map(pairs.filter((entry): entry is [string, ListCacheEntry] => isListCacheEntry(entry[1])));
}

interface RecentCacheOptions {
  readonly names: readonly string[];
  readonly limit: number;
}

function readModifiedTime(cacheEntry: unknown): number {
  const { modified } = Object(cacheEntry) as { readonly modified?: unknown };
  return typeof modified === "number" ? modified : 0;
}

/** Whether the file is still the one that was listed. */
export function isCacheEntryCurrent({ identity, size, modified }: ListCacheEntry, stat: FileStat): boolean {
  return identity === stat.identity && size === stat.size && modified === stat.modified;
}

/** Two processes may write it at once: the later one counts, and each is whole. */
export function writeListCache(
  folder: string,
  entries: ReadonlyMap<string, ListCacheEntry>,
  { files, nonce }: { readonly files: Files; readonly nonce: () => string },
): void {
  // A list can always be made again, so a disk that will not have it is no reason to stop.
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
  if (typeof value !== "object" || value === null) return false;
  const { identity, size, modified, item, lasting } = value as Partial<Record<keyof ListCacheEntry, unknown>>;
  const isKey = typeof identity === "string" && typeof size === "number" && typeof modified === "number";
  return isKey && lasting === true && isSessionFileInfo(item);
}

function isSessionFileInfo(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { id, cwd, name, created, firstMessage, parentSession, damaged } = value as Partial<
    Record<keyof SessionFileInfo, unknown>
  >;
  const hasValidTexts = [name, damaged].every((text) => text === undefined || isDisplayable(text));
  const hasValidPaths = typeof cwd === "string" && (parentSession === undefined || typeof parentSession === "string");
  return hasValidTexts && hasValidPaths && isDisplayable(id) && isDisplayable(created) && isDisplayable(firstMessage);
}

// Whoever wrote this file: nothing of it reaches a screen that would not have passed text/sanitize.ts.
function isDisplayable(text: unknown): boolean {
  if (typeof text !== "string") return false;
  // Mostly ASCII, and that is told apart ten times faster.
  return !/[^ -~]/.test(text) || !/[\p{Cc}\p{Cf}\p{Co}]/u.test(text);
}

const listCachePath = (folder: string): string => join(folder, ".pith", "list.json");
const LIST_CACHE_VERSION = 2;

export interface ListSessionsOptions extends SessionFileOptions {
  /** Only the sessions of this directory. */
  readonly cwd?: string;
  /** These folders instead of Pith's own; pi's, for example. */
  readonly folders?: readonly string[];
  /** Of each folder only about so many, those that are likely the newest: for a first glance at thousands. */
  readonly maxPerFolder?: number;
}

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
  // A folder that cannot be read has nothing to show, and must not keep the others from being shown.
  const allNames = (ignoreDiskErrors(() => files.list(folder)) ?? []).filter(isSessionFileName);
  const isFullListing = maxPerFolder === undefined;
  const { names, before: cached } = isFullListing
    ? { names: allNames, before: readListCache(folder, files) }
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
  // What only a part of the folder was looked at for says nothing of the rest.
  if (isFullListing && (readCount > 0 || cacheEntries.size !== cached.size))
    writeListCache(folder, cacheEntries, { files, nonce: runtime.nonce });
  return items;
}

interface NewestFiles {
  readonly names: readonly string[];
  readonly before: ReadonlyMap<string, ListCacheEntry>;
}

interface NewestFilesOptions {
  readonly folder: string;
  readonly files: Files;
  readonly maxPerFolder: number;
}

/** Those begun last, and of the others those that were written last when somebody looked. */
function findNewestFiles(
  allNames: readonly string[],
  { folder, files, maxPerFolder }: NewestFilesOptions,
): NewestFiles {
  const newestByName = allNames.toSorted(compareDescending).slice(0, maxPerFolder);
  const before = readRecentListCache(folder, files, { names: newestByName, limit: maxPerFolder });
  const existingNames = new Set(allNames);
  return { names: [...new Set([...newestByName, ...before.keys()])].filter((name) => existingNames.has(name)), before };
}

function toListCacheEntry({ identity, size, modified }: FileStat, item: ListCacheEntry["item"]): ListCacheEntry {
  return { identity, size, modified, item, lasting: true };
}

// Names begin with the time of creation, so of two files written at once the later session comes first.
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

// Opening thousands of files takes seconds; whoever waits for something else gets a turn in between.
const READS_PER_YIELD = 20;
/** Files whose state alone is looked at. */
const STATS_PER_YIELD = 250;
