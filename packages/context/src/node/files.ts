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
import { isObject, type JsonObject } from "../json.ts";
import { refusalNotes } from "../session/store.ts";

export interface Files {
  /** An existing file; a symbolic link is refused. */
  open(path: string, mode: "read" | "append"): OpenFile;
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
  read(buffer: Uint8Array, position: number): number;
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
  for (let bytesWritten = 0; bytesWritten < bytes.length; )
    bytesWritten += file.append(bytesWritten === 0 ? bytes : bytes.subarray(bytesWritten));
}

/** What a look finds; null where nothing is. */
export function ignoreMissing<Found>(operation: () => Found): Found | null {
  try {
    return operation();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(diskErrorCode(error))) return null;
    throw error;
  }
}

/** The system's name for what went wrong (`ENOSPC`, `EIO` …); empty if it was not the disk. */
export function diskErrorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : "";
}

/** Synchronous calls only: nothing comes between the write and the sync of an append. */
export const realFiles: Files = {
  open: (path, mode) =>
    toOpenFile(openSync(path, (mode === "append" ? APPEND_FLAGS : constants.O_RDONLY) | PLAIN_FILE_FLAGS)),
  create: (path) =>
    toOpenFile(openSync(path, APPEND_FLAGS | PLAIN_FILE_FLAGS | constants.O_CREAT | constants.O_EXCL, OWNER_FILE_MODE)),
  stat: (path) => ignoreMissing(() => toFileStat(lstatSync(path))),
  list: (folder) => ignoreMissing(() => readdirSync(folder)) ?? [],
  makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: OWNER_FOLDER_MODE }),
  rename: renameSync,
  link: linkSync,
  remove: unlinkSync,
  syncFolder: createFolderSync(process.platform),
};

const APPEND_FLAGS = constants.O_RDWR | constants.O_APPEND;
// Neither links nor pipes: opening a pipe would wait for its other end.
const PLAIN_FILE_FLAGS = constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** A number that no file has, so that every act on it is refused. */
const INVALID_DESCRIPTOR = 2 ** 31 - 1;
const OWNER_FILE_MODE = 0o600;
const OWNER_FOLDER_MODE = 0o700;
const OWNER_WRITE_BIT = 0o200;

function toOpenFile(initialDescriptor: number): OpenFile {
  let descriptor = initialDescriptor;
  return {
    read: (buffer, position) => readFully(descriptor, buffer, position),
    append: (bytes) => writeSync(descriptor, bytes),
    truncate: (size) => ftruncateSync(descriptor, size),
    sync: () => fdatasyncSync(descriptor),
    stat: () => toFileStat(fstatSync(descriptor)),
    close() {
      closeSync(descriptor);
      // The system gives the number to the next file that is opened; a late write must not reach that one.
      descriptor = INVALID_DESCRIPTOR;
    },
  };
}

function readFully(descriptor: number, buffer: Uint8Array, position: number): number {
  let bytesRead = 0;
  while (bytesRead < buffer.length) {
    const count = readSync(descriptor, buffer, bytesRead, buffer.length - bytesRead, position + bytesRead);
    if (count === 0) break;
    bytesRead += count;
  }
  return bytesRead;
}

function toFileStat(stats: Stats): FileStat {
  const kind = stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
  const readOnly = (stats.mode & OWNER_WRITE_BIT) === 0;
  return { kind, identity: `${stats.dev}:${stats.ino}`, size: stats.size, modified: stats.mtimeMs, readOnly };
}

/** Windows lets nobody flush a folder (EPERM); its file system keeps names in a journal of its own. */
export function createFolderSync(platform: NodeJS.Platform): (path: string) => void {
  return platform === "win32" ? () => {} : withFolderDescriptor(fsyncSync);
}

function withFolderDescriptor(operation: (descriptor: number) => void): (path: string) => void {
  return (path) => {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      operation(descriptor);
    } finally {
      closeSync(descriptor);
    }
  };
}

export interface UnavailableResult {
  readonly type: "unavailable";
  /** The system's name for it, such as `ENOSPC`. */
  readonly code: string;
  readonly why: string;
}

/** Throws what the disk did not say. */
export function toUnavailableResult(problem: string, error: unknown): UnavailableResult {
  const code = diskErrorCode(error);
  if (code === "") throw error;
  return {
    type: "unavailable",
    code,
    why: `${problem}: ${diskErrorAdvice[code] ?? `the disk gave ${code}; try again`}`,
  };
}

/** Does it, or says what the disk had against it; `what` begins the sentence. */
export async function catchDiskErrors<Outcome>(
  problem: string,
  operation: () => Outcome | Promise<Outcome>,
): Promise<Outcome | UnavailableResult> {
  try {
    return await operation();
  } catch (error) {
    return toUnavailableResult(problem, error);
  }
}

/** For what is only a convenience: null where the disk will not have it. */
export function ignoreDiskErrors<Made>(operation: () => Made): Made | null {
  try {
    return operation();
  } catch (error) {
    if (diskErrorCode(error) === "") throw error;
    return null;
  }
}

const diskFullAdvice = refusalNotes["disk-full"];
const permissionAdvice = "that is not allowed; check the permissions of the file and of its folder";
const diskErrorAdvice: Readonly<Record<string, string>> = {
  ENOSPC: diskFullAdvice,
  EDQUOT: diskFullAdvice,
  EFBIG: diskFullAdvice,
  EACCES: permissionAdvice,
  EPERM: permissionAdvice,
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

/** Reads a small JSON file. The result is empty if the file is missing, torn or no JSON object. */
export function readJsonObject(path: string, files: Files): JsonObject {
  const bytes = ignoreDiskErrors(() => readFileStart(path, files));
  if (bytes === null) return {};
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return isObject(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function readFileStart(path: string, files: Files): Buffer | null {
  if (files.stat(path)?.kind !== "file") return null;
  const file = files.open(path, "read");
  try {
    const buffer = Buffer.allocUnsafe(Math.min(file.stat().size, MAX_JSON_BYTES));
    return buffer.subarray(0, file.read(buffer, 0));
  } finally {
    file.close();
  }
}

const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** `…/.pith/<name of the session's file>` beside the file. */
export function sidecarFolder(sessionPath: string): string {
  return join(dirname(sessionPath), ".pith", basename(sessionPath));
}

export const leasePath = (sessionPath: string): string => join(sidecarFolder(sessionPath), "writer");
export const indexPath = (sessionPath: string): string => join(sidecarFolder(sessionPath), "index");
export const blobFolder = (sessionPath: string): string => join(sidecarFolder(sessionPath), "blobs");
