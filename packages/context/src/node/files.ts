/** Defines the `Files` port, implements it on disk, and turns disk errors into values. Each operation is a step that tests can fail. */

import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { refusalNotes } from "../session/store.ts";

export interface Files {
  /** An existing file; a symbolic link is refused. */
  open(path: string, how: "read" | "append"): OpenFile;
  /** A new file for its owner alone, open for appending; refused where anything has that name. */
  create(path: string): OpenFile;
  /** Of the path itself, links not followed; null where nothing is. */
  stat(path: string): FileStat | null;
  /** The names in a folder; none where there is no folder. */
  list(folder: string): readonly string[];
  /** With the folders above it, each for its owner alone; one that is there stays as it is. */
  makeFolder(path: string): void;
  /** Replaces what has the new name. */
  rename(from: string, to: string): void;
  /** A second name for a file; refused where anything has that name. */
  link(from: string, to: string): void;
  remove(path: string): void;
  /** Makes names in a folder survive a power cut: what was created, renamed and removed there. */
  syncFolder(path: string): void;
}

export interface OpenFile {
  /** How many bytes were read; fewer only at the end. */
  read(into: Uint8Array, position: number): number;
  /** Writes at the end, wherever that is by now; how many bytes arrived. */
  append(bytes: Uint8Array): number;
  truncate(size: number): void;
  /** Returns when all that was written would survive a power cut. */
  sync(): void;
  stat(): FileStat;
  close(): void;
}

export interface FileStat {
  readonly kind: "file" | "folder" | "other";
  /** Two names of one file have the same; a file that took another's place has another. */
  readonly identity: string;
  readonly size: number;
  /** Milliseconds since 1970; for people and caches, never for order. */
  readonly modified: number;
  /** Its owner may not write it. */
  readonly readOnly?: boolean;
}

/** Writes all of it, however little arrives at a time. */
export function appendAll(file: OpenFile, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += file.append(done === 0 ? bytes : bytes.subarray(done));
}

/** What a look finds; null where nothing is. */
export function orNothing<Found>(look: () => Found): Found | null {
  try {
    return look();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(diskError(error))) return null;
    throw error;
  }
}

/** The system's name for what went wrong (`ENOSPC`, `EIO` …); empty if it was not the disk. */
export function diskError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : "";
}

/** Synchronous calls only: nothing comes between the write and the sync of an append. */
export const realFiles: Files = {
  open: (path, how) => opened(openSync(path, (how === "append" ? APPEND : constants.O_RDONLY) | PLAIN)),
  create: (path) => opened(openSync(path, APPEND | PLAIN | constants.O_CREAT | constants.O_EXCL, OWNER_FILE)),
  stat: (path) => orNothing(() => statOf(lstatSync(path))),
  list: (folder) => orNothing(() => readdirSync(folder)) ?? [],
  makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: OWNER_FOLDER }),
  rename: renameSync,
  link: linkSync,
  remove: unlinkSync,
  syncFolder: folderSync(process.platform),
};

const APPEND = constants.O_RDWR | constants.O_APPEND;
// Neither links nor pipes: opening a pipe would wait for its other end.
const PLAIN = constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** A number that no file has, so that every act on it is refused. */
const CLOSED = 2 ** 31 - 1;
const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;
const OWNER_WRITES = 0o200;

function opened(number: number): OpenFile {
  let descriptor = number;
  return {
    read: (into, position) => readAll(descriptor, into, position),
    append: (bytes) => writeSync(descriptor, bytes),
    truncate: (size) => ftruncateSync(descriptor, size),
    sync: () => fdatasyncSync(descriptor),
    stat: () => statOf(fstatSync(descriptor)),
    close() {
      closeSync(descriptor);
      // The system gives the number to the next file that is opened; a late write must not reach that one.
      descriptor = CLOSED;
    },
  };
}

function readAll(descriptor: number, into: Uint8Array, position: number): number {
  let done = 0;
  while (done < into.length) {
    const count = readSync(descriptor, into, done, into.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

function statOf(stats: Stats): FileStat {
  const kind = stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
  const readOnly = (stats.mode & OWNER_WRITES) === 0;
  return { kind, identity: `${stats.dev}:${stats.ino}`, size: stats.size, modified: stats.mtimeMs, readOnly };
}

/** Windows lets nobody flush a folder (EPERM); its file system keeps names in a journal of its own. */
export function folderSync(platform: NodeJS.Platform): (path: string) => void {
  return platform === "win32" ? () => {} : withFolder(fsyncSync);
}

function withFolder(act: (descriptor: number) => void): (path: string) => void {
  return (path) => {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      act(descriptor);
    } finally {
      closeSync(descriptor);
    }
  };
}

export interface Unavailable {
  readonly type: "unavailable";
  /** The system's name for it, such as `ENOSPC`. */
  readonly code: string;
  readonly why: string;
}

/** Throws what the disk did not say. */
export function unavailable(what: string, error: unknown): Unavailable {
  const code = diskError(error);
  if (code === "") throw error;
  return { type: "unavailable", code, why: `${what}: ${advice[code] ?? `the disk gave ${code}; try again`}` };
}

/** Does it, or says what the disk had against it; `what` begins the sentence. */
export async function orUnavailable<Outcome>(
  what: string,
  act: () => Outcome | Promise<Outcome>,
): Promise<Outcome | Unavailable> {
  try {
    return await act();
  } catch (error) {
    return unavailable(what, error);
  }
}

/** For what is only a convenience: null where the disk will not have it. */
export function orNull<Made>(make: () => Made): Made | null {
  try {
    return make();
  } catch (error) {
    if (diskError(error) === "") throw error;
    return null;
  }
}

const full = refusalNotes["disk-full"];
const forbidden = "that is not allowed; check the permissions of the file and of its folder";
const advice: Readonly<Record<string, string>> = {
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: full,
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: "the disk is read-only; choose a place on another",
  ENOENT: "it is not there; check the path, or look for the session by its id",
  EEXIST: "something has that name already; choose another",
  EXDEV: "the two places lie on different disks; clone the session to the other, then put this one into the trash",
  ELOOP: "a symbolic link stands there; name the file itself",
  EISDIR: "a folder stands there; name a file",
  ENOTDIR: "a part of the path is no folder; check the path",
  EIO: refusalNotes["disk-error"],
  EMFILE: "too many files are open; close some and try again",
};

/** `…/.pith/<name of the session's file>` beside the file. */
export function sideFolder(path: string): string {
  return join(dirname(path), ".pith", basename(path));
}

export const leasePath = (path: string): string => join(sideFolder(path), "writer");
export const indexPath = (path: string): string => join(sideFolder(path), "index");
export const blobFolder = (path: string): string => join(sideFolder(path), "blobs");
