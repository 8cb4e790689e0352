/** Resolves paths as a model writes them, and suggests names where a path does not exist or is a folder. */

import { constants, existsSync } from "node:fs";
import { opendir } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isWithin, shortenPath } from "../text.ts";
import { openNoFollow } from "./safe-files.ts";
import { TEMPORARY_FOLDERS } from "./sandbox/options.ts";

/** The end of an error message; empty where no name is similar. */
export async function formatSimilarNames({ path, realPath }: Omit<FileLocation, "displayPath">): Promise<string> {
  const wantedName = basename(path);
  const similarNames = (
    await (realPath === undefined ? readFolderNames(dirname(path)) : readFolderNamesNoFollow(dirname(realPath)))
  )
    .map((name) => ({ name, likeness: likeness(normalizeName(name), normalizeName(wantedName)) }))
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .sort((one, other) => other.likeness - one.likeness || (one.name < other.name ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS);
  return similarNames.length === 0 ? "" : `; the folder contains ${similarNames.map(({ name }) => name).join(", ")}`;
}

/** The content of a folder as the end of an error message. */
export async function formatFolderNames(path: string): Promise<string> {
  const names = (await readFolderNames(path)).sort();
  if (names.length === 0) return "";
  const remainder = names.length > MAX_LISTED_NAMES ? `, and ${names.length - MAX_LISTED_NAMES} more` : "";
  return `; it contains ${names.slice(0, MAX_LISTED_NAMES).join(", ")}${remainder}`;
}

const MIN_LIKENESS = 0.5;
const MAX_SUGGESTIONS = 5;
const MAX_LISTED_NAMES = 20;
/** Some folders have millions of names. */
const MAX_SCANNED_NAMES = 5_000;

async function readFolderNames(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      names.push(entry.isDirectory() ? `${entry.name}/` : entry.name);
      if (names.length >= MAX_SCANNED_NAMES) break;
    }
  } catch {
    // The names are only a hint, so a folder that cannot be read gives none.
  }
  return names;
}

async function readFolderNamesNoFollow(realPath: string): Promise<string[]> {
  const folder = await openNoFollow({ realPath, flags: constants.O_DIRECTORY }).catch(() => null);
  return folder === null ? [] : await readFolderNames(folder.path).finally(() => folder.file.close());
}

/** Removes what people and models get wrong: case, extension, the encoding of accents, kinds of spaces. */
function normalizeName(name: string): string {
  const stem = name.replace(/(?<=.)\.[^.]*$|\/$/, "");
  return stem.normalize("NFKD").toLowerCase().replace(/\s+/g, " ");
}

/** Dice coefficient of letter pairs: 1 for equal names, 0 for nothing in common. */
function likeness(one: string, other: string): number {
  if (one === other) return 1;
  const pairs = letterPairs(one);
  const otherPairs = letterPairs(other);
  const sharedCount = [...pairs].filter((pair) => otherPairs.has(pair)).length;
  return (2 * sharedCount) / (pairs.size + otherPairs.size || 1);
}

function letterPairs(name: string): Set<string> {
  return new Set(Array.from({ length: Math.max(0, name.length - 1) }, (_, index) => name.slice(index, index + 2)));
}

export interface FileLocation {
  readonly path: string;
  /** Relative to the root if inside it, else absolute. */
  readonly displayPath: string;
  /** The real path it must resolve to; absent if any is fine. */
  readonly realPath?: string | undefined;
}

export interface LocationOptions extends PrivateTemporaryOptions {
  /** Where relative paths start; absolute. */
  readonly root: string;
  /** What `~` stands for. */
  readonly home: string;
}

export interface PrivateTemporaryOptions {
  /** The folder that sandboxed commands see as `/tmp` and `/var/tmp`; absent without a sandbox. */
  readonly temporary?: string | undefined;
  /** Folders in `/tmp` that commands see at their own path; the root always is one. */
  readonly shown?: readonly string[] | undefined;
}

export function resolveLocation(path: string, options: LocationOptions): FileLocation {
  const { root, home } = options;
  const absolute = resolve(root, expandTildeTo(path, home));
  return {
    path: toPrivateTemporary(absolute, options),
    displayPath: shortenPath(root, toSandboxPath(absolute, options)),
  };
}

/** Tools resolve a path before they open it; messages show the path as the model wrote it. */
function toSandboxPath(path: string, { root, temporary }: LocationOptions): string {
  if (temporary === undefined || !isWithin(temporary, path) || isWithin(root, path)) return path;
  return join("/tmp", relative(temporary, path));
}

function expandTildeTo(path: string, home: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? join(home, path.slice(2)) : path;
}

/** `/tmp/x` means the file that commands see there, else the user's own; a new file is created where commands see it. */
function toPrivateTemporary(path: string, { root, temporary, shown = [] }: LocationOptions): string {
  const folder = temporary === undefined ? undefined : TEMPORARY_FOLDERS.find((each) => isWithin(each, path));
  if (temporary === undefined || folder === undefined) return path;
  const isSharedPath = [root, temporary, ...shown].some((each) => isWithin(each, path) || isWithin(path, each));
  if (isSharedPath && path !== folder) return path;
  const privatePath = join(temporary, relative(folder, path));
  return !existsSync(privatePath) && existsSync(path) ? path : privatePath;
}
