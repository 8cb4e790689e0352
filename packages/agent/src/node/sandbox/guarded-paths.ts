/** Protects paths that lie where commands may write: existing ones are read-only, and missing ones are reserved or caught. */

import { closeSync, type Dirent, lstatSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  GUARDED_FILES,
  GUARDED_FOLDERS,
  MERCURIAL_NAMES,
  OPEN_FOLDERS,
  STARTUP_NAMES,
} from "../../permissions/protected-paths.ts";
import { isWithin } from "../../text.ts";
import { type AbsentNames, listAbsentNames } from "./absent-names.ts";
import { type Mount, openFolderNoFollow } from "./mounts.ts";
import { readFolderEntries, resolveExistingPath, resolveExistingPaths, type SandboxOptions } from "./options.ts";
import {
  marksFolder,
  type NameReservation,
  type PlaceholderJournal,
  reserveFileName,
  reserveFolderName,
  withWritableFolder,
} from "./path-placeholders.ts";

/**
 * A link cannot be mounted over, so a command can replace it; it is restored when the command has ended. Its folder is kept open, because a
 * command may replace the folder by a link to another one, in which nothing must be removed.
 */
function guardLink(path: string): NameReservation {
  const target = readLinkTarget(path);
  const realFolder = resolveExistingPath(dirname(path));
  if (target === null || realFolder === null) return { type: "not-reserved" };
  const folder = openFolderNoFollow(realFolder);
  return {
    type: "reserved",
    release: () => {
      const linkPath = `/proc/self/fd/${folder}/${basename(path)}`;
      if (readLinkTarget(linkPath) !== target) restoreLink(linkPath, target);
      closeSync(folder);
    },
  };
}

function readLinkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    // Not a link, or missing.
    return null;
  }
}

/** Removes what the command put in its place. */
function restoreLink(path: string, target: string): void {
  withWritableFolder(dirname(path), () => {
    rmSync(path, { recursive: true, force: true });
    symlinkSync(target, path);
  });
}

export interface GuardedPath {
  readonly path: string;
  /** The content of the placeholder file where the path is missing; without it the placeholder is an empty folder. */
  readonly text?: string;
  /** A folder in it that a tool generates again at each installation. Commands write to a copy. */
  readonly generated?: string;
}

export interface Guard {
  readonly mounts: readonly Mount[];
  readonly reservation: NameReservation;
}

export interface Guards {
  readonly guards: readonly Guard[];
  /** What did not exist and is caught if a command makes it. */
  readonly absent: AbsentNames;
}

export interface GuardOptions extends Pick<SandboxOptions, "guarded"> {
  /** The workspace, and other writable folders that are repositories. */
  readonly roots: readonly string[];
  /** Records placeholders before they are created. */
  readonly journal: PlaceholderJournal;
}

/** Only paths in a `writable` folder need a guard. */
export function createGuards(
  options: GuardOptions,
  guarded: readonly GuardedPath[],
  writable: readonly string[],
): Guards {
  const { roots, journal } = options;
  const named = [...roots.flatMap(findGuardedNames), ...(options.guarded ?? [])];
  const catchable = named.filter((path) => !hasGitFolder(path));
  const isInRoot = (path: string): boolean => roots.some((root) => isWithin(root, path));
  const absentPaths = [
    ...catchable,
    ...guarded.map(({ path }) => path).filter((path) => isInRoot(path) && !hasGitFolder(path)),
  ].filter((path) => !lstatExists(path));
  const isReserved = ({ path }: GuardedPath): boolean => !absentPaths.includes(path);
  const uniquePaths = new Map(
    [...named.map((path): GuardedPath => ({ path })), ...guarded].map((each) => [each.path, each]),
  );
  const isWritable = (path: string): boolean => writable.some((each) => isWithin(each, path));
  const openFolders = roots.flatMap((root) => OPEN_FOLDERS.map((name) => join(root, name)));
  return {
    guards: [...uniquePaths.values()].filter(isReserved).map((each) => createGuard(each, writable, journal)),
    absent: listAbsentNames([...new Set(absentPaths)].filter(isWritable), openFolders.filter(isWritable)),
  };
}

/** What git itself runs or reads there must not exist for a moment; elsewhere a missing name is caught when it appears. */
function hasGitFolder(path: string): boolean {
  return dirname(path).split("/").includes(".git");
}

function lstatExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A part of the path is no folder.
    return false;
  }
}

function findGuardedNames(root: string): readonly string[] {
  const inRoot = (name: string): string => join(root, name);
  return [
    ...[...GUARDED_FOLDERS, ...GUARDED_FILES, ...MERCURIAL_NAMES].map(inRoot),
    ...resolveExistingPaths(STARTUP_NAMES.map(inRoot)),
  ];
}

function createGuard(guarded: GuardedPath, writable: readonly string[], journal: PlaceholderJournal): Guard {
  const isWritable = (real: string | null): real is string => writable.some((each) => real && isWithin(each, real));
  const { path } = guarded;
  const real = resolveExistingPath(path);
  const readableMounts: readonly Mount[] = isWritable(real) ? [{ path: real, access: "readable" }] : [];
  if (!isWritable(resolveExistingPath(dirname(path))))
    return { mounts: readableMounts, reservation: { type: "not-reserved" } };
  const linkReservation = guardLink(path);
  return linkReservation.type === "reserved"
    ? { mounts: readableMounts, reservation: linkReservation }
    : reserveName(guarded, readableMounts, journal);
}

function reserveName(
  { path, text }: GuardedPath,
  readableMounts: readonly Mount[],
  journal: PlaceholderJournal,
): Guard {
  if (resolveExistingPath(path) === null) journal.record({ path, text });
  const reservation = text === undefined ? reserveFolderName(path) : reserveFileName(path, text);
  if (reservation.type !== "reserved") return { mounts: readableMounts, reservation };
  if (text === undefined) return { mounts: [{ path, access: "empty" }], reservation };
  const marksMount: Mount = { path: marksFolder(path), access: "readable" };
  return { mounts: [{ path, access: "readable" }, marksMount], reservation };
}

/** Limits of the search, which is synchronous and runs before the first command. */
const MAX_DEPTH = 3;
const MAX_FOLDERS = 400;
const MAX_NAMES = 24;
const GUARDED_NAMES: ReadonlySet<string> = new Set([".git", ...GUARDED_FOLDERS, ...GUARDED_FILES]);

/**
 * Finds guarded names in subfolders, the nearest first. Only names that exist at the start are guarded: what a command creates is its
 * own.
 */
export function findNestedNames(root: string): readonly string[] {
  const found: string[] = [];
  let folders = listOpenFolders(root);
  let scannedFolders = 0;
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) {
    const nextFolders: string[] = [];
    for (const folder of folders.slice(0, MAX_FOLDERS - scannedFolders)) {
      scannedFolders += 1;
      const names = readFolderEntries(folder).filter(
        (entry) => GUARDED_NAMES.has(entry.name) && !entry.isSymbolicLink(),
      );
      found.push(...names.map(({ name }) => join(folder, name)));
      nextFolders.push(...listOpenFolders(folder));
    }
    folders = nextFolders;
  }
  return found.slice(0, MAX_NAMES);
}

function listOpenFolders(folder: string): readonly string[] {
  const isOpen = ({ name }: Dirent): boolean => name !== "node_modules" && !GUARDED_NAMES.has(name);
  return readFolderEntries(folder)
    .filter((entry) => entry.isDirectory() && isOpen(entry))
    .map(({ name }) => join(folder, name));
}
