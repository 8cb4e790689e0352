/** Implements find, grep and ls on this machine: with ripgrep where there is one, else with a built-in walk that finds the same. */

import type { Dirent } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Fits, fitting } from "../../glob.ts";
import type { FindWish, Found, GrepHit, GrepWish, ListedName, SearchAct, WorkspaceSearch } from "../../ports.ts";
import { type Place, type PrivateTemporary, placeOf } from "../paths.ts";
import {
  collected,
  decoded,
  type Engine,
  type GrepTarget,
  LARGEST_MEGABYTES,
  pathIn,
  type SearchedFolder,
  withFolder,
  withTarget,
} from "./engine.ts";
import { ripgrepEngine, usableRipgrep } from "./ripgrep.ts";
import { walkingEngine } from "./walk.ts";

/** The first few of many items in some order, without keeping all of them. */
export class FirstFew<Each> {
  readonly #most: number;
  readonly #order: (one: Each, other: Each) => number;
  #kept: Each[] = [];
  #count = 0;

  constructor(most: number, order: (one: Each, other: Each) => number) {
    this.#most = most;
    this.#order = order;
  }

  add(one: Each): void {
    this.#count += 1;
    this.#kept.push(one);
    if (this.#kept.length >= 2 * this.#most + SPARE) this.#prune();
  }

  taken(): { readonly found: readonly Each[]; readonly isAll: boolean } {
    this.#prune();
    return { found: this.#kept, isAll: this.#count <= this.#most };
  }

  #prune(): void {
    this.#kept = this.#kept.sort(this.#order).slice(0, this.#most);
  }
}

const SPARE = 1_000;

/** Letter by letter, whatever language they are of: the same on every machine. */
export function byName(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** All names in a folder, sorted, ignored and hidden ones too. */
export async function listNames(place: Place, act: SearchAct): Promise<Found<ListedName>> {
  act.signal.throwIfAborted();
  return await withFolder(place, ({ at }) => namesIn(at, act));
}

async function namesIn(folder: string, { signal, most }: SearchAct): Promise<Found<ListedName>> {
  const names = new FirstFew<ListedName>(most, (one, other) => byName(one.name, other.name));
  for await (const entry of await opendir(folder)) {
    signal.throwIfAborted();
    names.add(toListedName(entry));
  }
  const { found, isAll } = names.taken();
  return { type: "found", found: await Promise.all(found.map((name) => sized(name, folder))), isAll };
}

function toListedName(entry: Dirent): ListedName {
  if (entry.isDirectory()) return { name: `${entry.name}/`, kind: "folder" };
  if (entry.isSymbolicLink()) return { name: entry.name, kind: "link" };
  return { name: entry.name, kind: entry.isFile() ? "file" : "other" };
}

async function sized(listed: ListedName, folder: string): Promise<ListedName> {
  if (listed.kind !== "file") return listed;
  // One that is gone by now, or whose name is no text, is listed without its size.
  const stats = await lstat(join(folder, listed.name)).catch(() => null);
  return stats === null ? listed : { ...listed, bytes: stats.size };
}

export interface NewestWish {
  readonly folder: SearchedFolder;
  readonly fits: Fits;
  readonly engine: Engine;
}

interface Dated {
  readonly path: string;
  /** When it was last changed. */
  readonly time: number;
}

/** How many are looked at together. */
const TOGETHER = 64;

export async function newestFiles({ folder, fits, engine }: NewestWish, act: SearchAct): Promise<Found<string>> {
  const newest = new FirstFew<Dated>(act.most, (one, other) => other.time - one.time || byName(one.path, other.path));
  let batch: Promise<Dated>[] = [];
  for await (const name of engine.files(folder, act)) {
    if (!fits(decoded(name))) continue;
    batch.push(dated(name, folder));
    if (batch.length < TOGETHER) continue;
    for (const one of await Promise.all(batch)) newest.add(one);
    batch = [];
  }
  for (const one of await Promise.all(batch)) newest.add(one);
  const { found, isAll } = newest.taken();
  return { type: "found", found: found.map(({ path }) => path), isAll };
}

export async function filesAsTheyCome({ folder, fits, engine }: NewestWish, act: SearchAct): Promise<Found<string>> {
  const found: string[] = [];
  for await (const name of engine.files(folder, act)) {
    const path = decoded(name);
    if (!fits(path)) continue;
    if (found.length === act.most) return { type: "found", found, isAll: false };
    found.push(path);
  }
  return { type: "found", found, isAll: true };
}

async function dated(name: Buffer, { at }: SearchedFolder): Promise<Dated> {
  // One that is gone by now was there when it was found.
  const stats = await lstat(pathIn(at, name)).catch(() => null);
  return { path: decoded(name), time: stats?.mtimeMs ?? 0 };
}

export interface NodeSearchParts extends PrivateTemporary {
  /** The folder from which relative paths start; absolute. */
  readonly root: string;
  /** What `~` stands for; the user's own folder unless said. */
  readonly home?: string;
  /** Where ripgrep is; unless said, where `PATH` leads to. Null: it is not used. */
  readonly ripgrep?: string | null;
}

/** Searches under and around a folder of this machine. */
export function nodeSearch({ home = homedir(), ripgrep, ...parts }: NodeSearchParts): WorkspaceSearch {
  const { root } = parts;
  const placed = (path: string, { real }: SearchAct): Place => ({ ...placeOf(path, { ...parts, home }), real });
  let engine: Promise<Engine> | null = null;
  const ready = (): Promise<Engine> => {
    engine ??= engineOf(ripgrep, root);
    return engine;
  };
  return {
    list: (path, act) => listNames(placed(path, act), act),
    find: async (wish, act) => await find({ wish, place: placed(wish.folder, act), ready }, act),
    grep: async (wish, act) => await grep({ wish, place: placed(wish.path, act), ready }, act),
  };
}

async function engineOf(ripgrep: string | null | undefined, root: string): Promise<Engine> {
  const program = ripgrep === null ? null : await usableRipgrep(ripgrep, { folders: process.env.PATH ?? "", root });
  return program === null ? walkingEngine : ripgrepEngine(program);
}

interface Searching<Wish> {
  readonly wish: Wish;
  readonly place: Place;
  readonly ready: () => Promise<Engine>;
}

async function find({ wish, place, ready }: Searching<FindWish>, act: SearchAct): Promise<Found<string>> {
  const fits = fitting(wish.glob);
  if (fits === null) return tooManyBraces;
  const files = wish.isUnordered ? filesAsTheyCome : newestFiles;
  return await withFolder(place, async (folder) =>
    files({ folder, fits: openAlone(folder, { fits, ...act }), engine: await ready() }, act),
  );
}

async function grep({ wish, place, ready }: Searching<GrepWish>, act: SearchAct): Promise<Found<GrepHit>> {
  const fits = wish.glob === undefined ? () => true : fitting(wish.glob);
  if (fits === null) return tooManyBraces;
  return await withTarget(place, async (target) => {
    // Ripgrep holds a whole line in memory, and such a file may be one.
    const isLarge = target.type === "file" && target.bytes > LARGEST_MEGABYTES * 1024 * 1024;
    const engine = isLarge ? walkingEngine : await ready();
    // What a path names is searched, whatever its name.
    const where =
      target.type === "file" ? fileAt(target) : { folder: target, fits: openAlone(target, { fits, ...act }) };
    const hits = await collected(engine.grep({ ...wish, ...where }, act), { ...act, around: wish.around ?? 0 });
    return target.type === "file" && hits.type === "found" ? named(hits, basename(place.path)) : hits;
  });
}

function fileAt({ real }: SearchedFolder): Pick<GrepTarget, "folder" | "file"> {
  const folder = dirname(real);
  return { folder: { real: folder, at: folder }, file: basename(real) };
}

/** By the name it was asked for, which may be that of a link. */
function named(hits: Extract<Found<GrepHit>, { type: "found" }>, path: string): Found<GrepHit> {
  return { ...hits, found: hits.found.map((hit) => ({ ...hit, path })) };
}

interface Passing extends Pick<SearchAct, "isClosed"> {
  readonly fits: Fits;
}

/** What may not be looked at by itself is not come upon either. */
function openAlone({ real }: SearchedFolder, { fits, isClosed }: Passing): Fits {
  if (!isClosed) return fits;
  return (path) => fits(path) && !isClosed(real.endsWith("/") ? real + path : `${real}/${path}`);
}

const tooManyBraces = { type: "refused", message: "the glob stands for too many: use fewer braces" } as const;
