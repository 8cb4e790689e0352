/** Stores learnt context windows between sessions: the `WindowMemory` port, in memory and as a locked file. */

import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Counted, Learnt } from "./learn.ts";

/** By endpoint and model, see `endpointKey`. */
export type LearntWindows = Readonly<Record<string, Learnt>>;

export interface WindowMemory {
  read(): Promise<Remembered>;
  /** Keeps one entry and leaves the others as they are; null forgets it. */
  write(key: string, learnt: Learnt | null): Promise<void>;
}

export interface Remembered {
  readonly windows: LearntWindows;
  /** What is wrong with the place they were kept in, when something is. */
  readonly fault: string | null;
}

/** As many endpoints as anyone has; the ones longest untouched are forgotten first. */
const MOST_ENTRIES = 500;

export function windowsInMemory(windows: LearntWindows = {}): WindowMemory {
  let kept = windows;
  return {
    read: async () => ({ windows: kept, fault: null }),
    async write(key, learnt) {
      kept = withEntry(kept, { key, learnt });
    },
  };
}

export function withEntry(
  windows: LearntWindows,
  { key, learnt }: { readonly key: string; readonly learnt: Learnt | null },
): LearntWindows {
  const others = Object.entries(windows).filter(([own]) => own !== key);
  const entries = learnt ? [...others, [key, learnt] as const] : others;
  return Object.fromEntries(entries.slice(-MOST_ENTRIES));
}

const FIGURES = ["most", "at", "named", "doubted", "cuts", "served"] as const;

/** Null when the text is no such file at all. Invalid entries and fields are left out, since they can be learnt again. */
export function readWindows(text: string): LearntWindows | null {
  const value = parsed(text);
  if (!isRecord(value)) return null;
  const entries = Object.entries(value).flatMap(([key, entry]) => {
    const learnt = readLearnt(entry);
    return learnt ? [[key, learnt] as const] : [];
  });
  return Object.fromEntries(entries);
}

function readLearnt(value: unknown): Learnt | null {
  if (!isRecord(value) || !isPositive(value.ratio)) return null;
  const { ratio, window, from, cut } = value;
  const source = from === "overflow" || from === "truncation" ? from : null;
  return {
    ratio,
    ...(isPositive(window) && source ? { window, from: source } : {}),
    ...(isCounted(cut) ? { cut: { estimate: cut.estimate, reported: cut.reported } } : {}),
    ...Object.fromEntries(FIGURES.flatMap((name) => (isPositive(value[name]) ? [[name, value[name]]] : []))),
  };
}

function isCounted(value: unknown): value is Counted {
  return isRecord(value) && isPositive(value.estimate) && isPositive(value.reported);
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // The caller says that the file is damaged.
  }
}

const PAUSE = 20;
/** As many pauses as one writer may take, who needs milliseconds: about three seconds. */
const STALE_AFTER = 150;
const MOST_PAUSES = 500;

/** One writer at a time, across processes: a lock file beside the file, broken after a while if its owner died. */
export async function locked<T>(path: string, act: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  await take(lock);
  try {
    return await act();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<void> {
  let owner: string | null = null;
  let seen = 0;
  for (let pause = 0; pause < MOST_PAUSES; pause++) {
    if (await isTaken(lock)) return;
    const now = await identity(lock);
    seen = now === owner ? seen + 1 : 0;
    owner = now;
    // Whether it is old is told by watching it: clocks of file systems differ. Two who break it at once may both go on;
    // then one entry is lost and learnt again, and the file stays whole.
    if (owner !== null && seen >= STALE_AFTER) await rm(lock, { force: true });
    else await setTimeout(PAUSE);
  }
  throw new Error(`${lock} is held by other programs all the time`);
}

async function isTaken(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, `${process.pid}\n`, { mode: 0o600, flag: "wx" });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cause;
  }
}

async function identity(lock: string): Promise<string | null> {
  try {
    const { ino, mtimeMs } = await stat(lock);
    return `${ino} ${mtimeMs}`;
  } catch {
    return null; // Given back in this moment.
  }
}

/** The file is replaced whole, never half written, and readable by its owner only. */
export function windowFile(path: string): WindowMemory {
  let last: Promise<unknown> = Promise.resolve();
  return {
    read: () => read(path),
    write(key, learnt) {
      const done = last.then(() => change(path, { key, learnt }));
      last = done.catch(() => undefined); // Told to whoever asked for that write; the next one starts afresh.
      return done;
    },
  };
}

async function read(path: string): Promise<Remembered> {
  try {
    const windows = await content(path);
    return windows ? { windows, fault: null } : empty(`${path} is damaged; the windows in it will be learnt again`);
  } catch (cause) {
    return empty(`${path} cannot be read (${(cause as Error).message}); the windows in it will be learnt again`);
  }
}

function empty(fault: string | null): Remembered {
  return { windows: {}, fault };
}

/** Null when it is damaged. One that is there and cannot be read throws, so that it is never written over. */
async function content(path: string): Promise<LearntWindows | null> {
  try {
    return readWindows(await readFile(path, "utf8"));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw cause;
  }
}

// On what is there now: other programs write to the same file.
async function change(path: string, entry: { readonly key: string; readonly learnt: Learnt | null }): Promise<void> {
  await makeFolder(dirname(path));
  await locked(path, async () => replace(path, withEntry((await content(path)) ?? {}, entry)));
}

// Node's own recursive mkdir never ends below /proc, where a folder can neither be found nor made.
async function makeFolder(path: string): Promise<void> {
  const code = await mkdir(path, { mode: 0o700 }).then(
    () => null,
    (cause: NodeJS.ErrnoException) => cause.code,
  );
  if (code !== "ENOENT" || dirname(path) === path) return; // Where it is no folder, the write says so.
  await makeFolder(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EEXIST") throw cause;
  });
}

async function replace(path: string, windows: object): Promise<void> {
  const fresh = `${path}.${randomUUID()}`;
  try {
    await writeFile(fresh, `${JSON.stringify(windows, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    await rename(fresh, path);
  } catch (cause) {
    await rm(fresh, { force: true });
    throw cause;
  }
}
