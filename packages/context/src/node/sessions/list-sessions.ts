/** Lists sessions, newest first, of one directory, of all, or in given folders. A cache per folder spares opening unchanged files. */

import { basename, join } from "node:path";
import { appendAll, type FileStat, type Files, orNull } from "../files.ts";
import { membersIn, notedCwd } from "../session-place.ts";
import { type ItemFromFile, listItem, type SessionItem } from "./list-item.ts";
import { allFolders, type HomeParts, isSessionName, settled, workFolder } from "./paths.ts";

export interface Listed {
  readonly identity: string;
  readonly size: number;
  readonly modified: number;
  readonly item: ItemFromFile;
  /** Only what stays true as long as the file is the same is kept. */
  readonly lasting: true;
}

/** By the name of the file; nothing of what is foreign, torn or of another version. */
export function listedBefore(folder: string, files: Files): ReadonlyMap<string, Listed> {
  const { version, listed } = membersIn(cachePath(folder), files);
  if (version !== VERSION || typeof listed !== "object" || listed === null) return new Map();
  return new Map(Object.entries(listed).filter((entry): entry is [string, Listed] => isListed(entry[1])));
}

/** The same for these names, and for so many that were written last: thousands of others are not looked at. */
export function lastListed(folder: string, files: Files, { names, most }: LastWish): ReadonlyMap<string, Listed> {
  const { version, listed } = membersIn(cachePath(folder), files);
  if (version !== VERSION || typeof listed !== "object" || listed === null) return new Map();
  const all = listed as Readonly<Record<string, unknown>>;
  const last = Object.keys(all).toSorted((one, other) => timeIn(all[other]) - timeIn(all[one]));
  const wanted = new Set([...names, ...last.slice(0, most)]);
  const known = [...wanted].map((name) => [name, all[name]] as const);
  return new Map(known.filter((entry): entry is [string, Listed] => isListed(entry[1])));
}

interface LastWish {
  readonly names: readonly string[];
  readonly most: number;
}

function timeIn(listed: unknown): number {
  const { modified } = Object(listed) as { readonly modified?: unknown };
  return typeof modified === "number" ? modified : 0;
}

/** Whether the file is still the one that was listed. */
export function isStill({ identity, size, modified }: Listed, stat: FileStat): boolean {
  return identity === stat.identity && size === stat.size && modified === stat.modified;
}

/** Two processes may write it at once: the later one counts, and each is whole. */
export function keepListed(
  folder: string,
  listed: ReadonlyMap<string, Listed>,
  { files, nonce }: { readonly files: Files; readonly nonce: () => string },
): void {
  // A list can always be made again, so a disk that will not have it is no reason to stop.
  orNull(() => {
    files.makeFolder(join(folder, ".pith"));
    const fresh = `${cachePath(folder)}.${nonce()}.new`;
    const file = files.create(fresh);
    try {
      const bytes = Buffer.from(JSON.stringify({ version: VERSION, listed: Object.fromEntries(listed) }));
      appendAll(file, bytes);
    } catch (error) {
      orNull(() => files.remove(fresh));
      throw error;
    } finally {
      file.close();
    }
    files.rename(fresh, cachePath(folder));
  });
}

function isListed(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { identity, size, modified, item, lasting } = value as Partial<Record<keyof Listed, unknown>>;
  const isKey = typeof identity === "string" && typeof size === "number" && typeof modified === "number";
  return isKey && lasting === true && isItem(item);
}

function isItem(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { id, cwd, name, created, firstMessage, parentSession, damaged } = value as Partial<
    Record<keyof ItemFromFile, unknown>
  >;
  const maybe = [name, damaged].every((text) => text === undefined || isShown(text));
  const paths = typeof cwd === "string" && (parentSession === undefined || typeof parentSession === "string");
  return maybe && paths && isShown(id) && isShown(created) && isShown(firstMessage);
}

// Whoever wrote this file: nothing of it reaches a screen that would not have passed text/sanitize.ts.
function isShown(text: unknown): boolean {
  if (typeof text !== "string") return false;
  // Mostly ASCII, and that is told apart ten times faster.
  return !/[^ -~]/.test(text) || !/[\p{Cc}\p{Cf}\p{Co}]/u.test(text);
}

const cachePath = (folder: string): string => join(folder, ".pith", "list.json");
const VERSION = 2;

export interface ListParts extends HomeParts {
  /** Only the sessions of this directory. */
  readonly cwd?: string;
  /** These folders instead of Pith's own; pi's, for example. */
  readonly folders?: readonly string[];
  /** Of each folder only about so many, those that are likely the newest: for a first glance at thousands. */
  readonly glance?: number;
}

export async function listSessions({
  cwd,
  folders,
  glance,
  ...parts
}: ListParts = {}): Promise<readonly SessionItem[]> {
  const all = settled(parts);
  const places = folders ?? (cwd === undefined ? allFolders(all) : [workFolder(cwd, all)]);
  const items: SessionItem[][] = [];
  for (const folder of places) items.push(await itemsIn(folder, all, glance));
  return items.flat().sort(newestFirst);
}

async function itemsIn(
  folder: string,
  { files, ports, limits }: Required<HomeParts>,
  glance?: number,
): Promise<SessionItem[]> {
  const now = new Map<string, Listed>();
  const items: SessionItem[] = [];
  const cwd = notedCwd(folder, files);
  let fresh = 0;
  let looked = 0;
  // A folder that cannot be read has nothing to show, and must not keep the others from being shown.
  const all = (orNull(() => files.list(folder)) ?? []).filter(isSessionName);
  const whole = glance === undefined;
  const { names, before } = whole
    ? { names: all, before: listedBefore(folder, files) }
    : newestOf(all, { folder, files, glance });
  for (const name of names) {
    const path = join(folder, name);
    const stat = orNull(() => files.stat(path));
    if (!stat || stat.kind === "folder") continue;
    const known = before.get(name);
    const still = known && isStill(known, stat) ? known : null;
    const { item, lasting } = still ?? listItem(path, stat, { files, limits, checksum: ports.checksum });
    if (lasting) now.set(name, still ?? listed(stat, item));
    items.push({ ...item, path, cwd: cwd ?? item.cwd, modified: stat.modified, size: stat.size });
    if ((!still && lasting && ++fresh % BREATH === 0) || ++looked % MANY === 0) await breath();
  }
  // What only a part of the folder was looked at for says nothing of the rest.
  if (whole && (fresh > 0 || now.size !== before.size)) keepListed(folder, now, { files, nonce: ports.nonce });
  return items;
}

interface Newest {
  readonly names: readonly string[];
  readonly before: ReadonlyMap<string, Listed>;
}

interface Glance {
  readonly folder: string;
  readonly files: Files;
  readonly glance: number;
}

/** Those begun last, and of the others those that were written last when somebody looked. */
function newestOf(all: readonly string[], { folder, files, glance }: Glance): Newest {
  const begun = all.toSorted(descending).slice(0, glance);
  const before = lastListed(folder, files, { names: begun, most: glance });
  const there = new Set(all);
  return { names: [...new Set([...begun, ...before.keys()])].filter((name) => there.has(name)), before };
}

function listed({ identity, size, modified }: FileStat, item: Listed["item"]): Listed {
  return { identity, size, modified, item, lasting: true };
}

// Names begin with the time of creation, so of two files written at once the later session comes first.
function newestFirst(one: SessionItem, other: SessionItem): number {
  return (
    other.modified - one.modified ||
    descending(basename(one.path), basename(other.path)) ||
    descending(one.path, other.path)
  );
}

function descending(one: string, other: string): number {
  return one < other ? 1 : one > other ? -1 : 0;
}

// Opening thousands of files takes seconds; whoever waits for something else gets a turn in between.
const BREATH = 20;
/** Files whose state alone is looked at. */
const MANY = 250;
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
