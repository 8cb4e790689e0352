/** Finds session files that changed since the last index update, without reading them, and runs long work in short steps. */

import { type FileStat, type Files, ignoreDiskErrors } from "../node/files.ts";
import { yieldToEventLoop } from "../node/runtime.ts";
import { isSessionFileName } from "../node/session-file-name.ts";
import type { Checksum } from "../runtime.ts";
import type { Database } from "./database.ts";
import { type FileRecord, type FolderRecord, readFolderFiles, readFolders } from "./tables.ts";

/** By the names of the files; links are none. The same one again where nothing has changed. */
export type FolderSnapshot = ReadonlyMap<string, FileStat>;

export interface FolderScanOptions {
  readonly files: Files;
  readonly now: () => number;
}

/**
 * Files untouched for a day are checked twice a second at most, the others each time. Null for a folder that cannot be read now: that is
 * not an empty one.
 */
export function scanFolder(folder: string, { files, now }: FolderScanOptions): FolderSnapshot | null {
  const time = now();
  const previous = folderScans(files).get(folder);
  const recent = previous && time >= previous.time && time - previous.time < SCAN_MAX_AGE_MS ? previous : null;
  return ignoreDiskErrors(() => {
    // A folder's own time tells whether names came or went.
    const modified = files.stat(folder)?.modified ?? 0;
    const names = recent?.modified === modified ? recent.snapshot.keys() : files.list(folder).filter(isSessionFileName);
    const snapshot = new Map<string, FileStat>();
    for (const name of names) {
      const previousStat = recent?.snapshot.get(name);
      const stat = previousStat && isIdleFile(previousStat, time) ? previousStat : files.stat(`${folder}/${name}`);
      if (stat?.kind === "file")
        snapshot.set(name, previousStat && isSameStat(previousStat, stat) ? previousStat : stat);
    }
    const current = recent && isSameSnapshot(recent.snapshot, snapshot) ? recent.snapshot : snapshot;
    folderScans(files).set(folder, { time: recent?.time ?? time, modified, snapshot: current });
    return current;
  });
}

interface FolderScan {
  /** Of the last look at all files. */
  readonly time: number;
  readonly modified: number;
  readonly snapshot: FolderSnapshot;
}

const isIdleFile = ({ modified }: FileStat, time: number): boolean => time - modified > IDLE_AFTER_MS;

function isSameStat(one: Pick<FileStat, "identity" | "size" | "modified">, other: FileStat): boolean {
  return one.identity === other.identity && one.size === other.size && one.modified === other.modified;
}

function isSameSnapshot(one: FolderSnapshot, other: FolderSnapshot): boolean {
  if (one.size !== other.size) return false;
  for (const [name, stat] of other) if (one.get(name) !== stat) return false;
  return true;
}

function folderScans(files: Files): Map<string, FolderScan> {
  const scans = SCAN_CACHE.get(files) ?? new Map<string, FolderScan>();
  SCAN_CACHE.set(files, scans);
  return scans;
}

// Of no session, and only a shortcut: without it everything is found all the same, thousands of looks later.
const SCAN_CACHE = new WeakMap<Files, Map<string, FolderScan>>();
/** Half of the second within which whatever was written must be found. */
const SCAN_MAX_AGE_MS = 500;
const IDLE_AFTER_MS = 86_400_000;

export interface IndexStep {
  /** Bytes of sessions that were read. */
  readonly bytes: number;
  /** How much there is to be written. */
  readonly chars: number;
}

/** One that reads nothing, and writes a little. */
export const WRITE_ONLY_STEP: IndexStep = { bytes: 0, chars: 64 * 1024 };

export interface IndexProgress {
  readonly done: number;
  readonly total: number;
}

export interface IndexProgressOptions {
  /** Is told of bytes that were read, and how many there are in all. */
  readonly onProgress?: (progress: IndexProgress) => void;
  readonly signal?: AbortSignal;
}

/** What was done before it was aborted is kept, and the next one goes on from there. */
export async function runInSteps(
  database: Database,
  steps: Generator<IndexStep>,
  { bytes: totalBytes, signal, onProgress }: IndexProgressOptions & { readonly bytes: number },
): Promise<"done" | "aborted"> {
  let [done, chars] = [0, 0];
  try {
    for (;;) {
      if (signal?.aborted) return "aborted";
      if (!database.isTransaction) database.exec("BEGIN IMMEDIATE");
      const step = steps.next();
      if (step.done) return "done";
      done += step.value.bytes;
      chars += step.value.chars;
      if (chars >= COMMIT_CHARS) {
        database.exec("COMMIT");
        chars = 0;
      }
      onProgress?.({ done: Math.min(done, totalBytes), total: totalBytes });
      await yieldToEventLoop();
    }
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  } finally {
    steps.return(undefined);
    if (database.isTransaction) database.exec("COMMIT");
  }
}

/** About as much as SQLite gathers before it writes a piece by itself. */
const COMMIT_CHARS = 1_000_000;

export interface SessionFileChange {
  readonly folder: string;
  readonly name: string;
  readonly stat: FileStat;
  readonly known: FileRecord | null;
}

export interface IndexChanges {
  /** New or written since; those last written come last. */
  readonly files: readonly SessionFileChange[];
  /** No longer there, or in doubt. */
  readonly gone: readonly FileRecord[];
  /** What the changed folders look like now. */
  readonly states: ReadonlyMap<string, string>;
  /** At most so much is to be read. */
  readonly bytes: number;
}

export interface ChangeScanOptions extends FolderScanOptions {
  readonly folderPaths: readonly string[];
  readonly checksum: Checksum;
}

export async function findChanges(
  database: Database,
  { folderPaths, checksum, ...scanOptions }: ChangeScanOptions,
): Promise<IndexChanges> {
  const known = readFolders(database);
  const states = new Map<string, string>();
  const changes: Pick<IndexChanges, "files" | "gone">[] = [];
  for (const path of folderPaths) {
    const snapshot = scanFolder(path, scanOptions);
    await yieldToEventLoop();
    const state = snapshot && folderState(snapshot, checksum);
    const folder = known.get(path);
    if (!snapshot || state === null || state === (folder?.state ?? EMPTY_FOLDER_STATE)) continue;
    states.set(path, state);
    changes.push(diffFolder(path, snapshot, readKnownFiles(database, folder)));
  }
  const changedFiles = changes
    .flatMap((each) => each.files)
    .sort((one, other) => one.stat.modified - other.stat.modified);
  const bytes = changedFiles.reduce((sum, { stat, known }) => sum + stat.size - (known?.covered ?? 0), 0);
  return { files: changedFiles, gone: changes.flatMap(({ gone }) => gone), states, bytes };
}

function folderState(snapshot: FolderSnapshot, checksum: Checksum): string {
  const state = FOLDER_STATE_CACHE.get(snapshot) ?? computeFolderState(snapshot, checksum);
  FOLDER_STATE_CACHE.set(snapshot, state);
  return state;
}

// Files only grow, so a sum of their sizes cannot stay the same by chance when one of them did. No text is made of each: there are thousands.
function computeFolderState(snapshot: FolderSnapshot, checksum: Checksum): string {
  if (snapshot.size === 0) return EMPTY_FOLDER_STATE;
  let [size, times] = [0, 0];
  for (const { size: fileSize, modified } of snapshot.values()) {
    size += fileSize;
    times = (Math.imul(times, 31) + Math.floor(modified * 1000 + fileSize)) | 0;
  }
  return `${snapshot.size} ${size} ${times} ${checksum(Buffer.from([...snapshot.keys()].join("\n")))}`;
}

function readKnownFiles(database: Database, folder: FolderRecord | undefined): readonly FileRecord[] {
  return folder ? readFolderFiles(database, folder.id) : [];
}

function diffFolder(
  folder: string,
  snapshot: FolderSnapshot,
  indexedFiles: readonly FileRecord[],
): Pick<IndexChanges, "files" | "gone"> {
  const known = new Map(indexedFiles.map((file) => [file.name, file]));
  const isIndexed = (file: FileRecord): boolean => file.covered >= 0 && snapshot.has(file.name);
  const changed = [...snapshot].flatMap(([name, stat]): SessionFileChange[] => {
    const file = known.get(name);
    if (!file || !isIndexed(file)) return [{ folder, name, stat, known: null }];
    return isSameStat(file, stat) ? [] : [{ folder, name, stat, known: file }];
  });
  return { files: changed, gone: indexedFiles.filter((file) => !isIndexed(file)) };
}

const EMPTY_FOLDER_STATE = "0";
/** Where nothing has changed, nobody needs to sum it up again. */
const FOLDER_STATE_CACHE = new WeakMap<FolderSnapshot, string>();
