/** Defines the ledger that code keeps of the work, and merges ledgers within fixed limits. */

import type { CheckKind } from "./check-command.ts";

/** Every list has its newest item last. */
export interface Ledger {
  readonly files: readonly LedgerFile[];
  /** Files that are no longer listed one by one. */
  readonly folders: readonly LedgerFolder[];
  /** The last test, build and check command. */
  readonly checks: readonly LedgerCheck[];
  /** Errors that are still open. */
  readonly errors: readonly LedgerError[];
  readonly commits: readonly LedgerCommit[];
  readonly images: readonly LedgerImage[];
}

/** A file that was ever modified stays a modified one. */
export interface LedgerFile {
  readonly path: string;
  readonly did: "read" | "modified";
}

/** How many files of a folder were rolled up; "." for those of the top, and for folders that are no longer listed. */
export interface LedgerFolder {
  readonly folder: string;
  readonly read: number;
  readonly modified: number;
}

export interface LedgerCheck {
  readonly kind: CheckKind;
  readonly command: string;
  /** Null where it is not known how it ended. */
  readonly exitCode: number | null;
  /** What it counted, e.g. `12 passed, 1 failed`; null where it counted nothing. */
  readonly outcome: string | null;
}

export interface LedgerError {
  readonly kind: "command" | "file" | "tool";
  /** The command that failed, the file that was not changed, or the tool's name. */
  readonly source: string;
  readonly text: string;
}

export interface LedgerCommit {
  /** Null where git did not print it. */
  readonly hash: string | null;
  readonly subject: string;
}

export interface LedgerImage {
  /** What opens it with `read`: `#412`, `entry:<id>` or `blob:<hash>`. */
  readonly handle: string;
  /** E.g. `800x600`. */
  readonly size: string | null;
  readonly path: string | null;
  readonly caption: string | null;
  readonly entryId: string;
}

export const emptyLedger: Ledger = { files: [], folders: [], checks: [], errors: [], commits: [], images: [] };

/** How many items each list holds. */
export const MAX_LEDGER_ITEMS = { modified: 60, read: 100, folders: 60, errors: 6, commits: 10, images: 30 } as const;

/** How many letters of each foreign text are kept. */
export const MAX_LEDGER_CHARS = {
  path: 1000,
  command: 300,
  line: 240,
  outcome: 160,
  subject: 100,
  caption: 80,
  handle: 110,
  id: 100,
} as const;

export function mergeLedgerPair(older: Ledger, newer: Ledger): Ledger {
  return mergeLedgers([older, newer]);
}

/** From the oldest to the newest; each may hold more than the bounds. In however many steps, the same is kept. */
export function mergeLedgers(ledgers: readonly Ledger[]): Ledger {
  const files = splitNewestFiles(ledgers.flatMap((ledger) => ledger.files));
  return {
    files: files.listed,
    folders: rollUpFolders(
      ledgers.flatMap((ledger) => ledger.folders),
      files.tooOld,
    ),
    checks: newestChecks(ledgers.flatMap((ledger) => ledger.checks)),
    errors: newestErrors(ledgers.flatMap((ledger) => ledger.errors)),
    commits: newestCommits(ledgers.flatMap((ledger) => ledger.commits)),
    images: newestImages(ledgers.flatMap((ledger) => ledger.images)),
  };
}

/** One of each kind. */
export function newestChecks(checks: readonly LedgerCheck[]): readonly LedgerCheck[] {
  return newestByKey(checks, ({ kind }) => kind);
}

export function newestErrors(errors: readonly LedgerError[]): readonly LedgerError[] {
  return newestByKey(errors, ({ kind, source }) => `${kind} ${source}`).slice(-MAX_LEDGER_ITEMS.errors);
}

/** An amended commit takes the place of the one with the same subject. */
export function newestCommits(commits: readonly LedgerCommit[]): readonly LedgerCommit[] {
  return newestByKey(commits, ({ subject }) => subject).slice(-MAX_LEDGER_ITEMS.commits);
}

/** Several images may stand in one entry and have one handle. */
export function newestImages(images: readonly LedgerImage[]): readonly LedgerImage[] {
  const key = ({ handle, size, path, caption }: LedgerImage): string => JSON.stringify([handle, size, path, caption]);
  return newestByKey(images, key).slice(-MAX_LEDGER_ITEMS.images);
}

/** Each at the place of the newest with its key. */
function newestByKey<Item>(items: readonly Item[], key: (item: Item) => string): readonly Item[] {
  const byKey = new Map<string, Item>();
  for (const item of items) {
    byKey.delete(key(item));
    byKey.set(key(item), item);
  }
  return [...byKey.values()];
}

// LED3: what was read does not push out what was modified.
function splitNewestFiles(all: readonly LedgerFile[]): {
  listed: readonly LedgerFile[];
  tooOld: readonly LedgerFile[];
} {
  const files = mergeLedgerFiles(all);
  const listedFiles = new Set([
    ...files.filter(({ did }) => did === "modified").slice(-MAX_LEDGER_ITEMS.modified),
    ...files.filter(({ did }) => did === "read").slice(-MAX_LEDGER_ITEMS.read),
  ]);
  return {
    listed: files.filter((file) => listedFiles.has(file)),
    tooOld: files.filter((file) => !listedFiles.has(file)),
  };
}

/** Each path once, at its newest touch. */
function mergeLedgerFiles(files: readonly LedgerFile[]): readonly LedgerFile[] {
  const byPath = new Map<string, LedgerFile>();
  for (const file of files) {
    const previous = byPath.get(file.path);
    byPath.delete(file.path);
    byPath.set(file.path, previous?.did === "modified" ? previous : file);
  }
  return [...byPath.values()];
}

/** The folders with these files counted in; where they become too many, the oldest are counted under ".". */
export function rollUpFolders(folders: readonly LedgerFolder[], files: readonly LedgerFile[]): readonly LedgerFolder[] {
  return rollUpOldestFolders(mergeLedgerFolders([...folders, ...files.map(toLedgerFolder)]));
}

/** Each folder once, at the place of its newest mention. */
function mergeLedgerFolders(folders: readonly LedgerFolder[]): readonly LedgerFolder[] {
  const byName = new Map<string, LedgerFolder>();
  for (const { folder, read, modified } of folders) {
    const previous = byName.get(folder) ?? { read: 0, modified: 0 };
    byName.delete(folder);
    byName.set(folder, {
      folder,
      read: addFileCounts(previous.read, read),
      modified: addFileCounts(previous.modified, modified),
    });
  }
  return [...byName.values()];
}

// A ledger comes from a file, where any number may stand.
function addFileCounts(one: number, other: number): number {
  return Math.min(one + other, MAX_FILE_COUNT);
}

export const MAX_FILE_COUNT = 999_999_999;

function toLedgerFolder({ path, did }: LedgerFile): LedgerFolder {
  return { folder: parentFolder(path), read: did === "read" ? 1 : 0, modified: did === "modified" ? 1 : 0 };
}

/** `src/parts` of `src/parts/a.ts`; both kinds of slashes count. */
function parentFolder(path: string): string {
  const slash = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  if (slash < 0) return TOP_FOLDER;
  return path.slice(0, Math.max(slash, 1));
}

const TOP_FOLDER = ".";

function rollUpOldestFolders(folders: readonly LedgerFolder[]): readonly LedgerFolder[] {
  const excess = folders.length - MAX_LEDGER_ITEMS.folders;
  if (excess <= 0) return folders;
  const oldest = folders.slice(0, excess + 1).map((each) => ({ ...each, folder: TOP_FOLDER }));
  return mergeLedgerFolders([...oldest, ...folders.slice(excess + 1)]);
}
