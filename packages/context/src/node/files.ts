/**
 * Defines the `Files` port, implements it on the real disk, turns disk errors into results, and names the files of a session. Tests can make
 * each operation fail.
 */

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
import { basename, dirname, isAbsolute, join } from "node:path";
import { isObject, type JsonObject } from "../json.ts";
import { refusalNotes } from "../session/store.ts";

/** The file operations that stores need, as a port. */
export interface Files {
  /** Opens an existing file; rejects a symbolic link. */
  open(path: string, mode: "read" | "append"): OpenFile;
  /** Creates a file that only its owner may read, open for appending; fails with `EEXIST` if the name is taken. */
  create(path: string): OpenFile;
  /** Does not follow links; null if nothing is there. */
  stat(path: string): FileStat | null;
  /** The names in a folder; empty if the folder does not exist. */
  list(folder: string): readonly string[];
  /** Creates the folder and its parents for the owner only; existing folders stay unchanged. */
  makeFolder(path: string): void;
  /** Replaces the file at the new path. */
  rename(from: string, to: string): void;
  /** Creates a hard link; fails with `EEXIST` if the name is taken. */
  link(from: string, to: string): void;
  remove(path: string): void;
  /** Makes file creations, renames and removals in a folder survive a power cut. */
  syncFolder(path: string): void;
}

/** An open file of the `Files` port. */
export interface OpenFile {
  /** Returns the number of bytes read; less than the buffer's length only at the end of the file. */
  read(buffer: Uint8Array, position: number): number;
  /** Writes at the current end of the file; returns the number of bytes written. */
  append(bytes: Uint8Array): number;
  truncate(size: number): void;
  /** Returns once everything written survives a power cut. */
  sync(): void;
  stat(): FileStat;
  close(): void;
}

/** What the disk knows about a path. */
export interface FileStat {
  readonly kind: "file" | "folder" | "other";
  /** The same for two hard links to one file; different for a file that replaced another. */
  readonly identity: string;
  readonly size: number;
  /** Milliseconds since 1970; for display and caches, never for ordering entries. */
  readonly modified: number;
  /** Whether the owner lacks write permission. */
  readonly readOnly?: boolean;
}

/** Writes all bytes, in several writes if needed. */
export function appendAll(file: OpenFile, bytes: Uint8Array): void {
  for (let bytesWritten = 0; bytesWritten < bytes.length; )
    bytesWritten += file.append(bytesWritten === 0 ? bytes : bytes.subarray(bytesWritten));
}

/** Runs the operation; null if the path does not exist. */
export function ignoreMissing<Value>(operation: () => Value): Value | null {
  try {
    return operation();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(diskErrorCode(error))) return null;
    throw error;
  }
}

/** The system's error code (`ENOSPC`, `EIO` …); empty if the error does not come from the disk. */
export function diskErrorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : "";
}

/** The real disk. All calls are synchronous, so that nothing runs between the write and the sync of an append. */
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
// Rejects links, and does not block on a pipe that nothing writes to.
const PLAIN_FILE_FLAGS = constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** A descriptor that no file has, so that every operation on it fails. */
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
      // The system reuses the number for the next file; a late write must not reach that file.
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

/** Returns a no-op on Windows, which does not allow syncing a folder (EPERM); its file system journals names itself. */
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

/** A disk error as a result: the system's code, and what the user can do. */
export interface UnavailableResult {
  readonly type: "unavailable";
  /** The system's error code, such as `ENOSPC`. */
  readonly code: string;
  readonly why: string;
}

/** Converts a disk error to a result; throws any other error again. */
export function toUnavailableResult(problem: string, error: unknown): UnavailableResult {
  const code = diskErrorCode(error);
  if (code === "") throw error;
  return {
    type: "unavailable",
    code,
    why: `${problem}: ${diskErrorAdvice[code] ?? `the disk reported ${code}; try again`}`,
  };
}

/** Runs the operation and returns a disk error as a result; `problem` begins its message. */
export async function catchDiskErrors<Value>(
  problem: string,
  operation: () => Value | Promise<Value>,
): Promise<Value | UnavailableResult> {
  try {
    return await operation();
  } catch (error) {
    return toUnavailableResult(problem, error);
  }
}

/** Runs an operation that may fail without harm; null after a disk error. */
export function ignoreDiskErrors<Value>(operation: () => Value): Value | null {
  try {
    return operation();
  } catch (error) {
    if (diskErrorCode(error) === "") throw error;
    return null;
  }
}

const diskFullAdvice = refusalNotes["disk-full"];
const permissionAdvice = "permission denied; check the permissions on the file and its folder";
const diskErrorAdvice: Readonly<Record<string, string>> = {
  ENOSPC: diskFullAdvice,
  EDQUOT: diskFullAdvice,
  EFBIG: diskFullAdvice,
  EACCES: permissionAdvice,
  EPERM: permissionAdvice,
  EROFS: "the disk is read-only; choose a path on another disk",
  ENOENT: "the path does not exist; check it, or find the session by its id",
  EEXIST: "the path already exists; choose another",
  EXDEV: "the two paths are on different disks; clone the session to the other disk, then move this one to the trash",
  ELOOP: "the path is a symbolic link; give the path of the file itself",
  EISDIR: "the path is a folder; give the path of a file",
  ENOTDIR: "part of the path is not a folder; check the path",
  EIO: refusalNotes["disk-error"],
  EMFILE: "too many files are open; close some and try again",
};

/** Reads a small JSON file. The result is empty if the file is missing, torn or not a JSON object. */
export function readJsonObject(path: string, files: Files): JsonObject {
  const text = ignoreDiskErrors(() => readSmallFile(path, files));
  if (text === null) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Reads the text of a file that should be small, at most 64 MB of it. Null if there is no such file. */
export function readSmallFile(path: string, files: Files): string | null {
  if (files.stat(path)?.kind !== "file") return null;
  const file = files.open(path, "read");
  try {
    const buffer = Buffer.allocUnsafe(Math.min(file.stat().size, MAX_JSON_BYTES));
    return buffer.subarray(0, file.read(buffer, 0)).toString("utf8");
  } finally {
    file.close();
  }
}

const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** The folder `.pith/<session file name>` beside a session file: lease, index, prepared summary and blobs. */
export function sidecarFolder(sessionPath: string): string {
  return join(dirname(sessionPath), ".pith", basename(sessionPath));
}

export const leasePath = (sessionPath: string): string => join(sidecarFolder(sessionPath), "writer");
export const indexPath = (sessionPath: string): string => join(sidecarFolder(sessionPath), "index");
export const preparedSummaryPath = (sessionPath: string): string => join(sidecarFolder(sessionPath), "summary.json");
export const blobFolder = (sessionPath: string): string => join(sidecarFolder(sessionPath), "blobs");

/** Formats the file name as pi does: the start time and the id. */
export function sessionFileName(id: string, startTime: number): string {
  return `${formatFileTime(startTime)}_${id}.jsonl`;
}

/** Formats a time as a part of a file name that is valid on every file system. */
export function formatFileTime(time: number): string {
  return new Date(time).toISOString().replace(/[:.]/g, "-");
}

export function isSessionFileName(name: string): boolean {
  return name.endsWith(".jsonl") && name !== ".jsonl";
}

/** The session id in a file name; null if the name has another format. */
export function sessionIdFromFileName(name: string): string | null {
  return SESSION_FILE_NAME_PATTERN.exec(name)?.[1] ?? null;
}

/** The ISO start time in a file name; null if the name has another format. */
export function sessionTimeFromFileName(name: string): string | null {
  const [, day, hour, minute, second, milliseconds] = SESSION_FILE_TIME_PATTERN.exec(name) ?? [];
  return day === undefined ? null : `${day}T${hour}:${minute}:${second}.${milliseconds}Z`;
}

const SESSION_FILE_NAME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_(.+)\.jsonl$/s;
const SESSION_FILE_TIME_PATTERN = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z_/;

/** The working directory that a session folder belongs to; null if the folder has no note, as with pi's folders. */
export function readFolderCwd(folder: string, files: Files): string | null {
  const { cwd } = readJsonObject(folderNotePath(folder), files);
  return typeof cwd === "string" && isAbsolute(cwd) ? cwd : null;
}

/** The path of the note in a session folder that names the working directory. */
export const folderNotePath = (folder: string): string => join(folder, "folder.json");
