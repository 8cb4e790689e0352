/** All sessions, newest first: of one directory, of all, or of any folders. A file that has not changed since is not opened again. */

import { basename, join } from "node:path";
import type { FileStat, Files } from "../files/files.ts";
import { orNull } from "../files/unavailable.ts";
import { type HomeParts, settled } from "./home.ts";
import { isStill, keepListed, type Listed, lastListed, listedBefore } from "./listing/list-cache.ts";
import { listItem, type SessionItem } from "./listing/list-item.ts";
import { isSessionName } from "./placing/file-name.ts";
import { allFolders, notedCwd, workFolder } from "./placing/work-folder.ts";

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
