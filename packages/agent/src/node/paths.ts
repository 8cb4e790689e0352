/** Resolves a path as a model writes it, and suggests similar names where it leads nowhere or to a folder. */

import { constants, existsSync } from "node:fs";
import { opendir } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isWithin, shownFrom } from "../text.ts";
import { openHeld } from "./safe-files.ts";
import { TEMPORARY } from "./sandbox/box.ts";

/** As the end of a sentence; empty where nothing is like it. */
export async function namesNear({ path, real }: Omit<Place, "shown">): Promise<string> {
  const wanted = basename(path);
  const near = (await (real === undefined ? namesOf(dirname(path)) : namesHeld(dirname(real))))
    .map((name) => ({ name, likeness: likeness(plain(name), plain(wanted)) }))
    .filter(({ likeness }) => likeness >= LIKE)
    .sort((one, other) => other.likeness - one.likeness || (one.name < other.name ? -1 : 1))
    .slice(0, NEAREST);
  return near.length === 0 ? "" : `; that folder has ${near.map(({ name }) => name).join(", ")}`;
}

/** What a folder has, as the end of a sentence. */
export async function namesIn(path: string): Promise<string> {
  const names = (await namesOf(path)).sort();
  if (names.length === 0) return "";
  const rest = names.length > LISTED ? `, and ${names.length - LISTED} more` : "";
  return `; it has ${names.slice(0, LISTED).join(", ")}${rest}`;
}

const LIKE = 0.5;
const NEAREST = 5;
const LISTED = 20;
/** No more names of a folder are looked at: some have millions. */
const LOOKED_AT = 5_000;

async function namesOf(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      names.push(entry.isDirectory() ? `${entry.name}/` : entry.name);
      if (names.length >= LOOKED_AT) break;
    }
  } catch {
    // The names are a hint; that the folder is not there either, or is closed to us, is no news.
  }
  return names;
}

async function namesHeld(real: string): Promise<string[]> {
  const folder = await openHeld({ real, flags: constants.O_DIRECTORY }).catch(() => null);
  return folder === null ? [] : await namesOf(folder.path).finally(() => folder.file.close());
}

/** Case, endings, accents spelled in two ways and the many kinds of blanks are what people and models mistake. */
function plain(name: string): string {
  const stem = name.replace(/(?<=.)\.[^.]*$|\/$/, "");
  return stem.normalize("NFKD").toLowerCase().replace(/\s+/g, " ");
}

/** The share of neighbouring letters that both names have: 1 is the same, 0 has nothing in common. */
function likeness(one: string, other: string): number {
  if (one === other) return 1;
  const pairs = pairsOf(one);
  const others = pairsOf(other);
  const both = [...pairs].filter((pair) => others.has(pair)).length;
  return (2 * both) / (pairs.size + others.size || 1);
}

function pairsOf(name: string): Set<string> {
  return new Set(Array.from({ length: Math.max(0, name.length - 1) }, (_, at) => name.slice(at, at + 2)));
}

export interface Place {
  readonly path: string;
  /** From the root where it lies inside, else absolute. */
  readonly shown: string;
  /** Where it must lead, every link followed; unless said, wherever it leads. */
  readonly real?: string | undefined;
}

export interface Whence extends PrivateTemporary {
  /** Where relative paths start; absolute. */
  readonly root: string;
  /** What `~` stands for. */
  readonly home: string;
}

export interface PrivateTemporary {
  /** The folder that sandboxed commands see as `/tmp` and `/var/tmp`; absent where there is no sandbox. */
  readonly temporary?: string | undefined;
  /** Folders that commands see where they are, though they may lie in `/tmp`; the root always is one. */
  readonly shown?: readonly string[] | undefined;
}

export function placeOf(path: string, whence: Whence): Place {
  const { root, home } = whence;
  const absolute = resolve(root, withoutTilde(path, home));
  return { path: inPrivateTemporary(absolute, whence), shown: shownFrom(root, asCommandsSee(absolute, whence)) };
}

/** Tools resolve a path before they open it; a message names it as the model did. */
function asCommandsSee(path: string, { root, temporary }: Whence): string {
  if (temporary === undefined || !isWithin(temporary, path) || isWithin(root, path)) return path;
  return join("/tmp", relative(temporary, path));
}

function withoutTilde(path: string, home: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? join(home, path.slice(2)) : path;
}

/** What commands see at `/tmp/x` comes first, then what the user has there; a new file becomes one that commands see. */
function inPrivateTemporary(path: string, { root, temporary, shown = [] }: Whence): string {
  const folder = temporary === undefined ? undefined : TEMPORARY.find((each) => isWithin(each, path));
  if (temporary === undefined || folder === undefined) return path;
  const isElsewhere = [root, temporary, ...shown].some((each) => isWithin(each, path) || isWithin(path, each));
  if (isElsewhere && path !== folder) return path;
  const own = join(temporary, relative(folder, path));
  return !existsSync(own) && existsSync(path) ? path : own;
}
