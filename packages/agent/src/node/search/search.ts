/** Implements find, grep and ls on this machine: with ripgrep if it is installed, else with a built-in walk that finds the same. */

import type { Dirent } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createPathMatcher, type PathMatcher } from "../../glob.ts";
import type {
  FindQuery,
  FolderEntry,
  GrepHit,
  GrepQuery,
  SearchOptions,
  SearchResult,
  WorkspaceSearch,
} from "../../ports.ts";
import { type FileLocation, type PrivateTemporaryOptions, resolveLocation } from "../paths.ts";
import {
  collectHits,
  decodePath,
  type GrepTarget,
  joinPathBytes,
  MAX_FILE_MEGABYTES,
  type SearchEngine,
  type SearchedFolder,
  withFolder,
  withTarget,
} from "./engine.ts";
import { findUsableRipgrep, ripgrepEngine } from "./ripgrep.ts";
import { walkEngine } from "./walk.ts";

/** Keeps the first items of many in a given order, without storing all of them. */
class TopItems<Item> {
  readonly #limit: number;
  readonly #compare: (one: Item, other: Item) => number;
  #items: Item[] = [];
  #count = 0;

  constructor(limit: number, compare: (one: Item, other: Item) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  add(item: Item): void {
    this.#count += 1;
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#limit + PRUNE_SLACK) this.#prune();
  }

  result(): { readonly items: readonly Item[]; readonly isComplete: boolean } {
    this.#prune();
    return { items: this.#items, isComplete: this.#count <= this.#limit };
  }

  #prune(): void {
    this.#items = this.#items.sort(this.#compare).slice(0, this.#limit);
  }
}

const PRUNE_SLACK = 1_000;

/** Compares by code units, so that the order is the same on every machine. */
function compareNames(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** All names in a folder, sorted, including ignored and hidden ones. */
async function listNames(location: FileLocation, options: SearchOptions): Promise<SearchResult<FolderEntry>> {
  options.signal.throwIfAborted();
  return await withFolder(location, ({ openPath }) => readListedNames(openPath, options));
}

async function readListedNames(
  folder: string,
  { signal, maxResults }: SearchOptions,
): Promise<SearchResult<FolderEntry>> {
  const names = new TopItems<FolderEntry>(maxResults, (one, other) => compareNames(one.name, other.name));
  for await (const entry of await opendir(folder)) {
    signal.throwIfAborted();
    names.add(toListedName(entry));
  }
  const { items, isComplete } = names.result();
  return { type: "found", items: await Promise.all(items.map((name) => addSize(name, folder))), isComplete };
}

function toListedName(entry: Dirent): FolderEntry {
  if (entry.isDirectory()) return { name: `${entry.name}/`, kind: "folder" };
  if (entry.isSymbolicLink()) return { name: entry.name, kind: "link" };
  return { name: entry.name, kind: entry.isFile() ? "file" : "other" };
}

async function addSize(listed: FolderEntry, folder: string): Promise<FolderEntry> {
  if (listed.kind !== "file") return listed;
  // A file that was removed since, or whose name is not valid UTF-8, is listed without its size.
  const stats = await lstat(join(folder, listed.name)).catch(() => null);
  return stats === null ? listed : { ...listed, bytes: stats.size };
}

export interface FindFilesOptions {
  readonly folder: SearchedFolder;
  readonly fits: PathMatcher;
  readonly engine: SearchEngine;
}

interface DatedFile {
  readonly path: string;
  readonly modifiedMs: number;
}

const STAT_BATCH_SIZE = 64;

async function findNewestFiles(
  { folder, fits, engine }: FindFilesOptions,
  options: SearchOptions,
): Promise<SearchResult<string>> {
  const newest = new TopItems<DatedFile>(
    options.maxResults,
    (one, other) => other.modifiedMs - one.modifiedMs || compareNames(one.path, other.path),
  );
  let batch: Promise<DatedFile>[] = [];
  for await (const name of engine.listFiles(folder, options)) {
    if (!fits(decodePath(name))) continue;
    batch.push(readModifiedTime(name, folder));
    if (batch.length < STAT_BATCH_SIZE) continue;
    for (const one of await Promise.all(batch)) newest.add(one);
    batch = [];
  }
  for (const one of await Promise.all(batch)) newest.add(one);
  const { items, isComplete } = newest.result();
  return { type: "found", items: items.map(({ path }) => path), isComplete };
}

async function findFilesUnordered(
  { folder, fits, engine }: FindFilesOptions,
  options: SearchOptions,
): Promise<SearchResult<string>> {
  const found: string[] = [];
  for await (const name of engine.listFiles(folder, options)) {
    const path = decodePath(name);
    if (!fits(path)) continue;
    if (found.length === options.maxResults) return { type: "found", items: found, isComplete: false };
    found.push(path);
  }
  return { type: "found", items: found, isComplete: true };
}

async function readModifiedTime(name: Buffer, { openPath }: SearchedFolder): Promise<DatedFile> {
  // A file that was removed since it was found is sorted last.
  const stats = await lstat(joinPathBytes(openPath, name)).catch(() => null);
  return { path: decodePath(name), modifiedMs: stats?.mtimeMs ?? 0 };
}

/** Options of `nodeSearch`. */
export interface NodeSearchOptions extends PrivateTemporaryOptions {
  /** The folder from which relative paths start; absolute. */
  readonly root: string;
  /** What `~` stands for; the user's home by default. */
  readonly home?: string;
  /** The path of ripgrep; found in `PATH` by default. Null to use the built-in walk. */
  readonly ripgrep?: string | null;
}

/** Searches files of this machine; relative paths start at the root. */
export function nodeSearch({ home = homedir(), ripgrep, ...pathOptions }: NodeSearchOptions): WorkspaceSearch {
  const { root } = pathOptions;
  const locate = (path: string, { realPath }: SearchOptions): FileLocation => ({
    ...resolveLocation(path, { ...pathOptions, home }),
    realPath,
  });
  let engine: Promise<SearchEngine> | null = null;
  const getEngine = (): Promise<SearchEngine> => {
    engine ??= chooseEngine(ripgrep, root);
    return engine;
  };
  return {
    list: (path, options) => listNames(locate(path, options), options),
    find: async (query, options) => await find({ query, location: locate(query.folder, options), getEngine }, options),
    grep: async (query, options) => await grep({ query, location: locate(query.path, options), getEngine }, options),
  };
}

async function chooseEngine(ripgrep: string | null | undefined, root: string): Promise<SearchEngine> {
  const program =
    ripgrep === null ? null : await findUsableRipgrep(ripgrep, { searchPath: process.env.PATH ?? "", root });
  return program === null ? walkEngine : ripgrepEngine(program);
}

interface SearchRequest<Query> {
  readonly query: Query;
  readonly location: FileLocation;
  readonly getEngine: () => Promise<SearchEngine>;
}

async function find(
  { query, location, getEngine }: SearchRequest<FindQuery>,
  options: SearchOptions,
): Promise<SearchResult<string>> {
  const fits = createGlobFilter(query.glob);
  if (fits === null) return tooManyBraces;
  const findFiles = query.isUnordered ? findFilesUnordered : findNewestFiles;
  return await withFolder(location, async (folder) =>
    findFiles({ folder, fits: excludeClosed(folder, { fits, ...options }), engine: await getEngine() }, options),
  );
}

async function grep(
  { query, location, getEngine }: SearchRequest<GrepQuery>,
  options: SearchOptions,
): Promise<SearchResult<GrepHit>> {
  const fits = query.glob === undefined ? () => true : createGlobFilter(query.glob);
  if (fits === null) return tooManyBraces;
  return await withTarget(location, async (target) => {
    // Ripgrep holds a whole line in memory, and a large file may be a single line.
    const isLarge = target.type === "file" && target.bytes > MAX_FILE_MEGABYTES * 1024 * 1024;
    const engine = isLarge ? walkEngine : await getEngine();
    // A file that the caller names is searched even if the glob does not match.
    const scope =
      target.type === "file"
        ? toFileScope(target)
        : { folder: target, fits: excludeClosed(target, { fits, ...options }) };
    const hits = await collectHits(engine.grep({ ...query, ...scope }, options), {
      ...options,
      contextLines: query.contextLines ?? 0,
    });
    return target.type === "file" && hits.type === "found" ? withHitPath(hits, basename(location.path)) : hits;
  });
}

/** A glob that starts with `!` excludes the files that match the rest; `\\!` stands for the character. */
function createGlobFilter(glob: string): PathMatcher | null {
  if (!glob.startsWith("!")) return createPathMatcher(glob);
  const isExcluded = createPathMatcher(glob.slice(1));
  return isExcluded && ((path) => !isExcluded(path));
}

function toFileScope({ realPath }: SearchedFolder): Pick<GrepTarget, "folder" | "file"> {
  const folder = dirname(realPath);
  return { folder: { realPath: folder, openPath: folder }, file: basename(realPath) };
}

/** Shows the name that the caller used, which may be that of a link. */
function withHitPath(hits: Extract<SearchResult<GrepHit>, { type: "found" }>, path: string): SearchResult<GrepHit> {
  return { ...hits, items: hits.items.map((hit) => ({ ...hit, path })) };
}

interface FileFilter extends Pick<SearchOptions, "isExcluded"> {
  readonly fits: PathMatcher;
}

/** Files that the model may not read are not found either. */
function excludeClosed({ realPath }: SearchedFolder, { fits, isExcluded }: FileFilter): PathMatcher {
  if (!isExcluded) return fits;
  return (path) => fits(path) && !isExcluded(realPath.endsWith("/") ? realPath + path : `${realPath}/${path}`);
}

const tooManyBraces = { type: "refused", message: "the glob expands to too many patterns; use fewer braces" } as const;
