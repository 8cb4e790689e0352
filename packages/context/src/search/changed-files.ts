/** Finds session files that changed since the last index update, without reading them, and runs long work in short steps. */

import { type FileStat, type Files, ignoreDiskErrors, isSessionFileName } from "../node/files.ts";
import { yieldToEventLoop } from "../node/runtime.ts";
import type { Checksum } from "../runtime.ts";
import type { Database } from "./database.ts";
import { type FileLocation, type FileRecord, findFileRecord, readFolderFiles, readFolders } from "./tables.ts";

export interface SessionFileChange {
  readonly folder: string;
  readonly name: string;
  readonly stat: FileStat;
  readonly known: FileRecord | null;
}

export interface IndexChanges {
  /** New and modified files, the last modified last. */
  readonly files: readonly SessionFileChange[];
  /** Indexed files that were removed or must be indexed again. */
  readonly gone: readonly FileRecord[];
  /** The new state of each changed folder, by path. */
  readonly states: ReadonlyMap<string, string>;
  /** The maximum number of bytes to read. */
  readonly bytes: number;
}

export interface ChangeScanOptions extends FolderScanOptions {
  readonly folderPaths: readonly string[];
  readonly checksum: Checksum;
}

/** Finds the files that differ from the index. */
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
    changes.push(diffFolder(path, snapshot, folder ? readFolderFiles(database, folder.id) : []));
  }
  const changedFiles = changes
    .flatMap((each) => each.files)
    .sort((one, other) => one.stat.modified - other.stat.modified);
  const bytes = changedFiles.reduce((sum, { stat, known }) => sum + stat.size - (known?.covered ?? 0), 0);
  return { files: changedFiles, gone: changes.flatMap(({ gone }) => gone), states, bytes };
}

/** Finds what differs from the index in one file. The folder is not read, so its state stays as it is. */
export function findFileChange(
  database: Database,
  { folder, name }: FileLocation,
  files: Pick<Files, "stat">,
): IndexChanges {
  const stat = files.stat(`${folder}/${name}`);
  const snapshot: FolderSnapshot = new Map(stat?.kind === "file" ? [[name, stat]] : []);
  const known = findFileRecord(database, { folder, name });
  const changes = diffFolder(folder, snapshot, known ? [known] : []);
  const bytes = changes.files.reduce((sum, change) => sum + change.stat.size - (change.known?.covered ?? 0), 0);
  return { ...changes, states: new Map(), bytes };
}

function folderState(snapshot: FolderSnapshot, checksum: Checksum): string {
  const state = FOLDER_STATE_CACHE.get(snapshot) ?? computeFolderState(snapshot, checksum);
  FOLDER_STATE_CACHE.set(snapshot, state);
  return state;
}

// Files only grow, so the sum of their sizes changes if one of them does. Summed as numbers: there are thousands of files.
function computeFolderState(snapshot: FolderSnapshot, checksum: Checksum): string {
  if (snapshot.size === 0) return EMPTY_FOLDER_STATE;
  let [size, times] = [0, 0];
  for (const { size: fileSize, modified } of snapshot.values()) {
    size += fileSize;
    times = (Math.imul(times, 31) + Math.floor(modified * 1000 + fileSize)) | 0;
  }
  return `${snapshot.size} ${size} ${times} ${checksum(Buffer.from([...snapshot.keys()].join("\n")))}`;
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

/** An unchanged snapshot is not summed again. */
const FOLDER_STATE_CACHE = new WeakMap<FolderSnapshot, string>();

/** The state of each session file of a folder by name, without links. The same object is reused while nothing changes. */
export type FolderSnapshot = ReadonlyMap<string, FileStat>;

export interface FolderScanOptions {
  readonly files: Files;
  readonly now: () => number;
}

/**
 * Reads the state of all session files in a folder. Files that were not modified for a day are checked at most twice a second, others each
 * time. Null if the folder cannot be read, which is not the same as an empty folder.
 */
export function scanFolder(folder: string, { files, now }: FolderScanOptions): FolderSnapshot | null {
  const time = now();
  const previous = folderScans(files).get(folder);
  const recent = previous && time >= previous.time && time - previous.time < SCAN_MAX_AGE_MS ? previous : null;
  return ignoreDiskErrors(() => {
    // The folder's modification time changes when names are added or removed.
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
  /** When all files were last checked. */
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

// Saves thousands of `stat` calls per search; the results are the same without it.
const SCAN_CACHE = new WeakMap<Files, Map<string, FolderScan>>();

/** New text must be found within a second; this is half of it. */
const SCAN_MAX_AGE_MS = 500;

const IDLE_AFTER_MS = 86_400_000;

export interface IndexStep {
  /** The number of session bytes read. */
  readonly bytes: number;
  /** The number of characters to write. */
  readonly chars: number;
}

/** A step that reads nothing and writes a little. */
export const WRITE_ONLY_STEP: IndexStep = { bytes: 0, chars: 64 * 1024 };

/** The progress of an index update, in bytes. */
export interface IndexProgress {
  readonly done: number;
  readonly total: number;
}

export interface IndexProgressOptions {
  /** Called with the bytes read so far and the total. */
  readonly onProgress?: (progress: IndexProgress) => void;
  readonly signal?: AbortSignal;
}

/** Runs the steps of an index update. After an abort the finished steps stay, and the next update continues from there. */
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

/** About as much as SQLite buffers before it writes on its own. */
const COMMIT_CHARS = 1_000_000;
