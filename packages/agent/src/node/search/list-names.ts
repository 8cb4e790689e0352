/** The names in one folder, sorted: all of them, ignored and hidden too. */

import type { Dirent } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import type { Found, ListedName, SearchAct } from "../../workspace.ts";
import type { Place } from "../files/place.ts";
import { byName, FirstFew } from "./first-few.ts";
import { withFolder } from "./target.ts";

export async function listNames(place: Place, act: SearchAct): Promise<Found<ListedName>> {
  act.signal.throwIfAborted();
  return await withFolder(place, ({ at }) => namesIn(at, act));
}

async function namesIn(folder: string, { signal, most }: SearchAct): Promise<Found<ListedName>> {
  const names = new FirstFew<ListedName>(most, (one, other) => byName(one.name, other.name));
  for await (const entry of await opendir(folder)) {
    signal.throwIfAborted();
    names.add(named(entry));
  }
  const { found, isAll } = names.taken();
  return { type: "found", found: await Promise.all(found.map((name) => sized(name, folder))), isAll };
}

function named(entry: Dirent): ListedName {
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
