/** Updates the index: adds new lines and removes deleted files. One process at a time does it, under a lease. */

import { join } from "node:path";
import { diskErrorCode, type Files, type OpenFile } from "../node/files.ts";
import { acquireLease, type Lease } from "../node/lease.ts";
import type { SessionFileOptions } from "../node/sessions/paths.ts";
import type { Runtime } from "../runtime.ts";
import type { Redaction } from "../session/session.ts";
import type { FormatLimits } from "../settings.ts";
import {
  findChanges,
  findFileChange,
  type IndexChanges,
  type IndexProgressOptions,
  type IndexStep,
  runInSteps,
  type SessionFileChange,
  WRITE_ONLY_STEP,
} from "./changed-files.ts";
import type { Database } from "./database.ts";
import { readNewEntries, readSessionFileHead } from "./read-sessions.ts";
import { createOutputReader } from "./stored-output.ts";
import {
  addIndexEntries,
  beginFolderUpdate,
  deleteEntries,
  dropEmptySegments,
  type FileLocation,
  type FileRecord,
  finishFolderUpdate,
  insertFile,
  markForReindex,
  mergeFullSegments,
  mergeLastSegment,
  updateFile,
} from "./tables.ts";

export interface UpdateIndexOptions extends Required<SessionFileOptions>, IndexSessionOptions, IndexProgressOptions {
  /** The path of the index. */
  readonly path: string;
  /** The session folders. */
  readonly folderPaths: readonly string[];
  /** Only this file is added to the index. */
  readonly sessionFile?: FileLocation | undefined;
}

export type UpdateIndexResult =
  | { readonly type: "up-to-date" }
  /** Another process is updating the index; `bytes` were not in the index at the start. */
  | { readonly type: "held"; readonly bytes: number }
  /** `bytes` could not be read. */
  | { readonly type: "unread"; readonly bytes: number }
  | { readonly type: "aborted" };

/** Adds all changes of the session folders to the index. */
export async function updateIndex(database: Database, options: UpdateIndexOptions): Promise<UpdateIndexResult> {
  const { checksum, now } = options.runtime;
  const { folderPaths, files, sessionFile } = options;
  const findNew = async (): Promise<IndexChanges> =>
    sessionFile
      ? findFileChange(database, sessionFile, files)
      : await findChanges(database, { folderPaths, files, checksum, now });
  const { bytes, ...found } = await findNew();
  if (found.states.size + found.files.length + found.gone.length === 0) return { type: "up-to-date" };
  const lease = await waitForLease(options);
  if (!lease) return options.signal?.aborted ? { type: "aborted" } : { type: "held", bytes };
  try {
    // The previous holder of the lease may have indexed everything.
    const changes = await findNew();
    const unread = new Map<string, number>();
    const outcome = await runInSteps(database, indexSteps(database, changes, { ...options, unread }), {
      ...options,
      bytes: changes.bytes,
    });
    if (outcome === "aborted") return { type: "aborted" };
    const unreadBytes = [...unread.values()].reduce((sum, count) => sum + count, 0);
    return unread.size > 0 ? { type: "unread", bytes: unreadBytes } : { type: "up-to-date" };
  } finally {
    lease.release();
  }
}

// Waits for a short update of another process, so that its entries are searched, too.
async function waitForLease({ path, files, processes, runtime, signal }: UpdateIndexOptions): Promise<Lease | null> {
  for (let attempt = 0; ; attempt++) {
    const leaseResult = acquireLease(path, { files, processes, now: runtime.now, nonce: runtime.nonce });
    if (leaseResult.type === "leased") return leaseResult.lease;
    if (attempt === MAX_LEASE_WAITS) return null;
    await runtime.sleep(LEASE_RETRY_MS, signal ? { signal } : {});
  }
}

interface IndexStepOptions extends UpdateIndexOptions {
  /** The number of unreadable bytes by folder. */
  readonly unread: Map<string, number>;
}

function* indexSteps(
  database: Database,
  { files, gone, states }: IndexChanges,
  options: IndexStepOptions,
): Generator<IndexStep> {
  for (const { id } of gone) yield* removeFileFromIndex(database, id);
  for (const change of files) {
    const { folder, stat, known } = change;
    if (!(yield* indexFile(database, change, options)))
      options.unread.set(folder, (options.unread.get(folder) ?? 0) + stat.size - (known?.covered ?? 0));
    for (const _ of mergeFullSegments(database, options.segmentChars)) yield WRITE_ONLY_STEP;
  }
  dropEmptySegments(database);
  for (const [path, state] of states) if (!options.unread.has(path)) finishFolderUpdate(database, path, state);
  for (const _ of mergeLastSegment(database)) yield WRITE_ONLY_STEP;
}

const MAX_LEASE_WAITS = 10;
const LEASE_RETRY_MS = 25;

export interface IndexSessionOptions {
  readonly files: Files;
  readonly runtime: Runtime;
  readonly limits: FormatLimits;
  readonly redaction: Redaction;
  /** The number of characters per segment of the index. */
  readonly segmentChars: number;
}

/** Indexes what was appended to a file, or all of it if the file was replaced. Returns false if the file cannot be read. */
function* indexFile(
  database: Database,
  change: SessionFileChange,
  options: IndexSessionOptions,
): Generator<IndexStep, boolean> {
  let file: OpenFile | null = null;
  try {
    file = options.files.open(join(change.folder, change.name), "read");
    yield* indexNewEntries(database, file, { ...options, ...change });
    return true;
  } catch (error) {
    // One unreadable file must not stop the update.
    if (diskErrorCode(error) === "") throw error;
    return false;
  } finally {
    file?.close();
  }
}

/** Removes a file from the index in small steps. */
function* removeFileFromIndex(database: Database, file: number): Generator<IndexStep> {
  // If the update stops early, the next one removes the rest.
  markForReindex(database, file);
  while (deleteEntries(database, file, DELETE_BATCH_SIZE)) yield WRITE_ONLY_STEP;
}

function* indexNewEntries(
  database: Database,
  file: OpenFile,
  options: IndexSessionOptions & SessionFileChange,
): Generator<IndexStep> {
  const { known, stat, runtime, limits, redaction } = options;
  const isAppend = known !== null && hasGrown(file, known, options);
  if (known && !isAppend) yield* removeFileFromIndex(database, known.id);
  const folder = beginFolderUpdate(database, options.folder);
  const fileHead = readSessionFileHead(file, { checksum: runtime.checksum, limits });
  const id = isAppend ? known.id : insertFile(database, { folder, name: options.name });
  const { identity, modified, size: end } = stat;
  let [covered, entries] = isAppend ? [known.covered, known.entries] : [0, 0];
  const saveProgress = (size: number): void =>
    updateFile(database, { id, identity, size, modified, covered, entries, ...edgeChecksums(file, covered, runtime) });
  for (const batch of readNewEntries({
    file,
    fileId: id,
    fileHead,
    start: covered,
    end,
    modified,
    folder,
    redaction,
    readOutput: createOutputReader(join(options.folder, options.name), options.files),
  })) {
    const bytes = batch.covered - covered;
    covered = batch.covered;
    entries += batch.entries.length;
    // An impossible size until the whole file is indexed, so that the next update continues.
    saveProgress(-1);
    addIndexEntries(database, batch.entries, { file: id, maxChars: options.segmentChars });
    yield { bytes, chars: batch.entries.reduce((sum, { chars }) => sum + chars, 0) };
  }
  saveProgress(end);
}

/** Whether lines were only appended. A rewritten file has another identity, even if its start and end are the same: its middle may be purged. */
function hasGrown(
  file: OpenFile,
  known: FileRecord,
  { stat, runtime }: IndexSessionOptions & SessionFileChange,
): boolean {
  if (stat.identity !== known.identity || stat.size <= known.size || stat.size < known.covered) return false;
  const { head, tail } = edgeChecksums(file, known.covered, runtime);
  return head === known.head && tail === known.tail;
}

function edgeChecksums(file: OpenFile, covered: number, { checksum }: Runtime): Pick<FileRecord, "head" | "tail"> {
  const bytes = Buffer.alloc(Math.min(covered, EDGE_BYTES));
  const sum = (offset: number): number => checksum(bytes.subarray(0, file.read(bytes, offset)));
  return { head: sum(0), tail: sum(covered - bytes.length) };
}

const EDGE_BYTES = 1024;
const DELETE_BATCH_SIZE = 500;
