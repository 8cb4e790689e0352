/** Remembers which names did not exist when a command started, and finds those that exist since. */

import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isWithin } from "../../text.ts";

/** Names that did not exist when a command started. */
export interface AbsentNames {
  readonly paths: readonly string[];
  /** Folders in which every new entry counts, with the names that they had. */
  readonly folders: ReadonlyMap<string, ReadonlySet<string>>;
}

/** `folders` are those in which every new entry counts. */
export function listAbsentNames(paths: readonly string[], folders: readonly string[]): AbsentNames {
  const absentFolders = folders.filter(isAbsent);
  const knownNames = folders
    .filter((folder) => !absentFolders.includes(folder))
    .map((folder) => [folder, new Set(listNames(folder))] as const);
  return { paths: [...paths.filter(isAbsent), ...absentFolders], folders: new Map(knownNames) };
}

export function findAppeared({ paths, folders }: AbsentNames): readonly string[] {
  const entries = [...folders].flatMap(([folder, names]) =>
    listNames(folder)
      .filter((name) => !names.has(name))
      .map((name) => join(folder, name)),
  );
  return [...paths.filter((path) => !isAbsent(path)), ...entries];
}

/** The existing folders in which one of the names could appear next. */
export function listFoldersToWatch({ paths, folders }: AbsentNames): readonly string[] {
  return [...new Set([...paths.map(nearestFolder), ...folders.keys()])];
}

function nearestFolder(path: string): string {
  const folder = dirname(path);
  return folder === path || existsSync(folder) ? folder : nearestFolder(folder);
}

/** The part of a path that is a link, or the path itself: what a link leads to may be anything. */
export function findLink(root: string, path: string): string {
  const names = relative(root, path).split("/");
  const parts = names.map((_, at) => join(root, ...names.slice(0, at + 1)));
  return parts.find((part) => lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink()) ?? path;
}

function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    // A part of the path is no folder, or not accessible.
    return true;
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

interface RunningCommand {
  readonly roots: readonly string[];
  readonly absent: AbsentNames;
}

interface RecordedNames {
  readonly roots: readonly string[];
  readonly paths: readonly string[];
  readonly folders: readonly (readonly [folder: string, names: readonly string[]])[];
}

/** Without a running command there is no record. */
export function recordAbsentNames(file: string, running: readonly RunningCommand[]): void {
  if (running.length === 0) {
    rmSync(file, { force: true });
    return;
  }
  const record: RecordedNames = {
    roots: running.flatMap(({ roots }) => roots),
    paths: [...new Set(running.flatMap(({ absent }) => absent.paths))],
    folders: running.flatMap(({ absent }) =>
      [...absent.folders].map(([folder, names]) => [folder, [...names]] as const),
    ),
  };
  writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
}

/** The names that commands of a killed process left, with the root of each. */
export function findLeftNames(file: string): readonly { readonly path: string; readonly root: string }[] {
  const record = readRecord(file);
  if (record === null) return [];
  const folders = new Map(record.folders.map(([folder, names]) => [folder, new Set(names)]));
  return findAppeared({ paths: record.paths, folders }).flatMap((path) => {
    const root = record.roots.find((each) => isWithin(each, path));
    return root === undefined ? [] : [{ path: findLink(root, path), root }];
  });
}

function readRecord(file: string): RecordedNames | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as RecordedNames;
  } catch {
    // No command was running, or the disk was full.
    return null;
  }
}
