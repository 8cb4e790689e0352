/** Finds session files that changed since the last index update, without reading them, and runs long work in short steps. */

import { type FileStat, type Files, orNull } from "../node/files.ts";
import { isSessionName } from "../node/sessions/paths.ts";
import type { Checksum } from "../runtime.ts";
import type { Database } from "./database.ts";
import { filesIn, folders, type KnownFile, type KnownFolder } from "./tables.ts";

/** By the names of the files; links are none. The same one again where nothing has changed. */
export type Seen = ReadonlyMap<string, FileStat>;

export interface Looking {
  readonly files: Files;
  readonly now: () => number;
}

/**
 * Files untouched for a day are checked twice a second at most, the others each time. Null for a folder that cannot be read now: that is
 * not an empty one.
 */
export function look(folder: string, { files, now }: Looking): Seen | null {
  const time = now();
  const last = looks(files).get(folder);
  const recent = last && time >= last.time && time - last.time < FRESH ? last : null;
  return orNull(() => {
    // A folder's own time tells whether names came or went.
    const modified = files.stat(folder)?.modified ?? 0;
    const names = recent?.modified === modified ? recent.seen.keys() : files.list(folder).filter(isSessionName);
    const seen = new Map<string, FileStat>();
    for (const name of names) {
      const before = recent?.seen.get(name);
      const stat = before && isQuiet(before, time) ? before : files.stat(`${folder}/${name}`);
      if (stat?.kind === "file") seen.set(name, before && isSame(before, stat) ? before : stat);
    }
    const found = recent && isAlike(recent.seen, seen) ? recent.seen : seen;
    looks(files).set(folder, { time: recent?.time ?? time, modified, seen: found });
    return found;
  });
}

interface Look {
  /** Of the last look at all files. */
  readonly time: number;
  readonly modified: number;
  readonly seen: Seen;
}

const isQuiet = ({ modified }: FileStat, time: number): boolean => time - modified > QUIET_FOR;

function isSame(one: Pick<FileStat, "identity" | "size" | "modified">, other: FileStat): boolean {
  return one.identity === other.identity && one.size === other.size && one.modified === other.modified;
}

function isAlike(one: Seen, other: Seen): boolean {
  if (one.size !== other.size) return false;
  for (const [name, stat] of other) if (one.get(name) !== stat) return false;
  return true;
}

function looks(files: Files): Map<string, Look> {
  const kept = LOOKS.get(files) ?? new Map<string, Look>();
  LOOKS.set(files, kept);
  return kept;
}

// Of no session, and only a shortcut: without it everything is found all the same, thousands of looks later.
const LOOKS = new WeakMap<Files, Map<string, Look>>();
/** Half of the second within which whatever was written must be found. */
const FRESH = 500;
const QUIET_FOR = 86_400_000;

export interface Step {
  /** Bytes of sessions that were read. */
  readonly bytes: number;
  /** How much there is to be written. */
  readonly letters: number;
}

/** One that reads nothing, and writes a little. */
export const QUIET: Step = { bytes: 0, letters: 64 * 1024 };

export interface Progress {
  readonly done: number;
  readonly all: number;
}

export interface Pace {
  /** Is told of bytes that were read, and how many there are in all. */
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** A turn for whoever waits for something else. */
export const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What was done before it was aborted is kept, and the next one goes on from there. */
export async function inSteps(
  database: Database,
  steps: Generator<Step>,
  { bytes: all, signal, onProgress }: Pace & { readonly bytes: number },
): Promise<"done" | "aborted"> {
  let [done, letters] = [0, 0];
  try {
    for (;;) {
      if (signal?.aborted) return "aborted";
      if (!database.isTransaction) database.exec("BEGIN IMMEDIATE");
      const step = steps.next();
      if (step.done) return "done";
      done += step.value.bytes;
      letters += step.value.letters;
      if (letters >= COMMIT_LETTERS) {
        database.exec("COMMIT");
        letters = 0;
      }
      onProgress?.({ done: Math.min(done, all), all });
      await breath();
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
const COMMIT_LETTERS = 1_000_000;

export interface ChangedFile {
  readonly folder: string;
  readonly name: string;
  readonly stat: FileStat;
  readonly known: KnownFile | null;
}

export interface Changes {
  /** New or written since; those last written come last. */
  readonly files: readonly ChangedFile[];
  /** No longer there, or in doubt. */
  readonly gone: readonly KnownFile[];
  /** What the changed folders look like now. */
  readonly states: ReadonlyMap<string, string>;
  /** At most so much is to be read. */
  readonly bytes: number;
}

export interface ChangeParts extends Looking {
  readonly places: readonly string[];
  readonly checksum: Checksum;
}

export async function changesIn(database: Database, { places, checksum, ...looking }: ChangeParts): Promise<Changes> {
  const known = folders(database);
  const states = new Map<string, string>();
  const changes: Pick<Changes, "files" | "gone">[] = [];
  for (const path of places) {
    const seen = look(path, looking);
    await breath();
    const state = seen && stateOf(seen, checksum);
    const folder = known.get(path);
    if (!seen || state === null || state === (folder?.state ?? NO_FILES)) continue;
    states.set(path, state);
    changes.push(changesOf(path, seen, knownFiles(database, folder)));
  }
  const changed = changes.flatMap((each) => each.files).sort((one, other) => one.stat.modified - other.stat.modified);
  const bytes = changed.reduce((sum, { stat, known }) => sum + stat.size - (known?.covered ?? 0), 0);
  return { files: changed, gone: changes.flatMap(({ gone }) => gone), states, bytes };
}

function stateOf(seen: Seen, checksum: Checksum): string {
  const state = STATES.get(seen) ?? summedUp(seen, checksum);
  STATES.set(seen, state);
  return state;
}

// Files only grow, so a sum of their sizes cannot stay the same by chance when one of them did. No text is made of each: there are thousands.
function summedUp(seen: Seen, checksum: Checksum): string {
  if (seen.size === 0) return NO_FILES;
  let [size, times] = [0, 0];
  for (const { size: own, modified } of seen.values()) {
    size += own;
    times = (Math.imul(times, 31) + Math.floor(modified * 1000 + own)) | 0;
  }
  return `${seen.size} ${size} ${times} ${checksum(Buffer.from([...seen.keys()].join("\n")))}`;
}

function knownFiles(database: Database, folder: KnownFolder | undefined): readonly KnownFile[] {
  return folder ? filesIn(database, folder.id) : [];
}

function changesOf(folder: string, seen: Seen, before: readonly KnownFile[]): Pick<Changes, "files" | "gone"> {
  const known = new Map(before.map((file) => [file.name, file]));
  const isSound = (file: KnownFile): boolean => file.covered >= 0 && seen.has(file.name);
  const changed = [...seen].flatMap(([name, stat]): ChangedFile[] => {
    const file = known.get(name);
    if (!file || !isSound(file)) return [{ folder, name, stat, known: null }];
    return isSame(file, stat) ? [] : [{ folder, name, stat, known: file }];
  });
  return { files: changed, gone: before.filter((file) => !isSound(file)) };
}

const NO_FILES = "0";
/** Where nothing has changed, nobody needs to sum it up again. */
const STATES = new WeakMap<Seen, string>();
