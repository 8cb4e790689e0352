/** Files in a folder that a glob fits: the newest first, or as they are come upon. */

import { lstat } from "node:fs/promises";
import type { Fits } from "../../globs/glob.ts";
import type { Found, SearchAct } from "../../workspace.ts";
import { decoded, type Engine, pathIn, type SearchedFolder } from "./engine.ts";
import { byName, FirstFew } from "./first-few.ts";

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
