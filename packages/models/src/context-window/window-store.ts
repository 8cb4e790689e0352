/** Stores learned context windows between sessions: the `WindowStore` port, in memory and as a locked file. */

import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isRecord, tryParseJson } from "../json.ts";
import type { LearnedWindow, TokenCounts } from "./learn-window.ts";

export interface WindowStore {
  read(): Promise<StoredWindows>;
  /** Sets one entry; null removes it. */
  write(key: string, learned: LearnedWindow | null): Promise<void>;
}

/** By endpoint and model, see `endpointKey`. */
export type LearnedWindowMap = Readonly<Record<string, LearnedWindow>>;

export interface StoredWindows {
  readonly windows: LearnedWindowMap;
  /** Why the windows could not be read; null if they could. */
  readonly error: string | null;
}

export function createMemoryWindowStore(windows: LearnedWindowMap = {}): WindowStore {
  let current = windows;
  return {
    read: async () => ({ windows: current, error: null }),
    async write(key, learned) {
      current = setEntry(current, { key, learned });
    },
  };
}

export function setEntry(
  windows: LearnedWindowMap,
  { key, learned }: { readonly key: string; readonly learned: LearnedWindow | null },
): LearnedWindowMap {
  const others = Object.entries(windows).filter(([entryKey]) => entryKey !== key);
  const entries = learned ? [...others, [key, learned] as const] : others;
  return Object.fromEntries(entries.slice(-MAX_ENTRIES));
}

/** The entries that were not written for the longest time are removed first. */
const MAX_ENTRIES = 500;

/** The file is replaced as a whole, never partly written, and readable by its owner only. */
export function createFileWindowStore(path: string): WindowStore {
  let lastWrite: Promise<unknown> = Promise.resolve();
  return {
    read: () => readStore(path),
    write(key, learned) {
      const pendingWrite = lastWrite.then(() => updateEntry(path, { key, learned }));
      lastWrite = pendingWrite.catch(() => undefined); // The caller of that write gets the error; the next write is independent.
      return pendingWrite;
    },
  };
}

async function readStore(path: string): Promise<StoredWindows> {
  try {
    const windows = await readWindowFile(path);
    return windows
      ? { windows, error: null }
      : emptyStore(`${path} is damaged; the context windows in it will be learned again`);
  } catch (cause) {
    return emptyStore(
      `${path} cannot be read (${(cause as Error).message}); the context windows in it will be learned again`,
    );
  }
}

function emptyStore(error: string | null): StoredWindows {
  return { windows: {}, error };
}

/** Null for a damaged file. Throws for a file that exists and cannot be read, so that it is never overwritten. */
async function readWindowFile(path: string): Promise<LearnedWindowMap | null> {
  try {
    return parseWindows(await readFile(path, "utf8"));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw cause;
  }
}

// Reads the file again, since other programs write to it too.
async function updateEntry(
  path: string,
  entry: { readonly key: string; readonly learned: LearnedWindow | null },
): Promise<void> {
  await makeDirectory(dirname(path));
  await withLock(path, async () => replaceFile(path, setEntry((await readWindowFile(path)) ?? {}, entry)));
}

// Node's recursive mkdir never ends below /proc, where a folder can neither be found nor created.
async function makeDirectory(path: string): Promise<void> {
  const code = await mkdir(path, { mode: 0o700 }).then(
    () => null,
    (cause: NodeJS.ErrnoException) => cause.code,
  );
  if (code !== "ENOENT" || dirname(path) === path) return; // If the path is not a folder, the write fails with a clear error.
  await makeDirectory(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EEXIST") throw cause;
  });
}

async function replaceFile(path: string, windows: object): Promise<void> {
  const temporaryPath = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporaryPath, `${JSON.stringify(windows, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    await rename(temporaryPath, path);
  } catch (cause) {
    await rm(temporaryPath, { force: true });
    throw cause;
  }
}

/** Allows one writer at a time, across processes: a lock file beside the file, removed after a while if its owner died. */
async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lockPath = `${path}.lock`;
  await acquireLock(lockPath);
  try {
    return await work();
  } finally {
    await rm(lockPath, { force: true });
  }
}

const LOCK_RETRY_MS = 20;
/** About three seconds; a writer needs milliseconds. */
const STALE_AFTER_RETRIES = 150;
const MAX_LOCK_RETRIES = 500;

async function acquireLock(lockPath: string): Promise<void> {
  let owner: string | null = null;
  let unchangedCount = 0;
  for (let retry = 0; retry < MAX_LOCK_RETRIES; retry++) {
    if (await tryCreateLock(lockPath)) return;
    const currentOwner = await lockIdentity(lockPath);
    unchangedCount = currentOwner === owner ? unchangedCount + 1 : 0;
    owner = currentOwner;
    // The age is measured by watching the lock, since the clocks of file systems differ. Two programs that remove it at
    // once may both continue; then one entry is lost and learned again, and the file stays valid.
    if (owner !== null && unchangedCount >= STALE_AFTER_RETRIES) await rm(lockPath, { force: true });
    else await setTimeout(LOCK_RETRY_MS);
  }
  throw new Error(`${lockPath} is locked by another process`);
}

async function tryCreateLock(lockPath: string): Promise<boolean> {
  try {
    await writeFile(lockPath, `${process.pid}\n`, { mode: 0o600, flag: "wx" });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cause;
  }
}

async function lockIdentity(lockPath: string): Promise<string | null> {
  try {
    const { ino, mtimeMs } = await stat(lockPath);
    return `${ino} ${mtimeMs}`;
  } catch {
    return null; // The lock was released in this moment.
  }
}

/** Null if the text is not a JSON object. Invalid entries and fields are dropped, since they can be learned again. */
function parseWindows(text: string): LearnedWindowMap | null {
  const value = tryParseJson(text);
  if (!isRecord(value)) return null;
  const entries = Object.entries(value).flatMap(([key, entry]) => {
    const learned = parseLearnedWindow(entry);
    return learned ? [[key, learned] as const] : [];
  });
  return Object.fromEntries(entries);
}

const NUMBER_FIELDS = ["most", "at", "named", "doubted", "cuts", "served"] as const;

function parseLearnedWindow(value: unknown): LearnedWindow | null {
  if (!isRecord(value) || !isPositive(value.ratio)) return null;
  const { ratio, window, from, cut } = value;
  const source = from === "overflow" || from === "truncation" ? from : null;
  return {
    ratio,
    ...(isPositive(window) && source ? { window, from: source } : {}),
    ...(isTokenCounts(cut) ? { cut: { estimate: cut.estimate, reported: cut.reported } } : {}),
    ...Object.fromEntries(NUMBER_FIELDS.flatMap((name) => (isPositive(value[name]) ? [[name, value[name]]] : []))),
  };
}

function isTokenCounts(value: unknown): value is TokenCounts {
  return isRecord(value) && isPositive(value.estimate) && isPositive(value.reported);
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}
