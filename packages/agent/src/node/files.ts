/** Implements workspace files on this machine: paths as models write them, bounded reads, and writes that happen whole or not at all. */

import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, unlink } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { FileReadResult, FileWriteResult, WorkspaceFiles } from "../ports.ts";
import {
  type FileLocation,
  formatFolderNames,
  formatSimilarNames,
  type PrivateTemporaryOptions,
  resolveLocation,
} from "./paths.ts";
import {
  errorCode,
  type OpenedFile,
  openNoFollow,
  openOrCreateFolder,
  pathChangedError,
  replaceFile,
  resolveRealPath,
} from "./safe-files.ts";

export interface FileErrorContext {
  readonly action: "read" | "written" | "removed";
  readonly displayPath: string;
}

export function describeFileError(error: unknown, { action, displayPath }: FileErrorContext): string {
  const code = errorCode(error);
  const reason = errorReasons[code] ?? (error instanceof Error ? error.message : String(error));
  return `${displayPath} cannot be ${action}: ${reason}`;
}

const errorReasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied (EACCES)",
  EPERM: "operation not permitted (EPERM)",
  EROFS: "the disk is read-only (EROFS)",
  ENOSPC: "the disk is full (ENOSPC)",
  EDQUOT: "the disk quota is exceeded (EDQUOT)",
  ELOOP: "its symbolic links form a loop (ELOOP)",
  ENAMETOOLONG: "the name is too long (ENAMETOOLONG)",
  ENOTDIR: "part of its path is a file, not a folder (ENOTDIR)",
  EEXIST: "part of its path is a file, not a folder (EEXIST)",
  EISDIR: "it is a folder (EISDIR)",
  EMOVED: "it now points to a different file than the one that was permitted",
  ERR_INVALID_ARG_VALUE: "the path contains a NUL character",
};

export interface BoundedReadOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** Never waits for the other end of a pipe, and never reads past the limit of an endless file. */
async function readBoundedFile(location: FileLocation, options: BoundedReadOptions): Promise<FileReadResult> {
  options.signal?.throwIfAborted();
  try {
    const { file, path } = await openForReading(location);
    try {
      return await readOpenFile(file, { ...location, path }, options);
    } finally {
      await file.close();
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    return readFailure(location, error);
  }
}

async function openForReading({ path, realPath }: FileLocation): Promise<OpenedFile> {
  if (realPath !== undefined) return await openNoFollow({ realPath });
  return { file: await open(path, constants.O_RDONLY | constants.O_NONBLOCK), path };
}

async function readOpenFile(
  file: FileHandle,
  location: FileLocation,
  { maxBytes, signal }: BoundedReadOptions,
): Promise<FileReadResult> {
  const stats = await file.stat();
  if (stats.isDirectory()) return await folderResult(location);
  if (!stats.isFile()) return { type: "refused", message: `${location.displayPath} is not a regular file` };
  if (stats.size > maxBytes) return tooLargeResult(location, maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Reads one byte past the limit, because a file can grow, and files under /proc report a size of 0.
  const highWaterMark = Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, stats.size + 1));
  const bounds = { start: 0, end: maxBytes, autoClose: false, highWaterMark };
  for await (const chunk of file.createReadStream(bounds)) {
    signal?.throwIfAborted();
    chunks.push(chunk);
    size += chunk.length;
  }
  return size > maxBytes ? tooLargeResult(location, maxBytes) : { type: "read", bytes: Buffer.concat(chunks, size) };
}

// A read allocates a whole chunk, so the chunk is no larger than the file.
const MIN_CHUNK_BYTES = 16 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;

function tooLargeResult({ displayPath }: FileLocation, maxBytes: number): FileReadResult {
  const limit = maxBytes >= MEGABYTE ? `${Math.floor(maxBytes / MEGABYTE)} MB` : `${maxBytes} bytes`;
  return { type: "too-large", message: `${displayPath} is larger than ${limit}; use the shell to read part of it` };
}

const MEGABYTE = 1024 * 1024;

async function readFailure(location: FileLocation, error: unknown): Promise<FileReadResult> {
  switch (errorCode(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return {
        type: "missing",
        message: `${location.displayPath} does not exist${await formatSimilarNames(location)}`,
      };
    case "EISDIR":
      return await folderResult(location);
    default:
      return {
        type: "refused",
        message: describeFileError(error, { action: "read", displayPath: location.displayPath }),
      };
  }
}

async function folderResult(location: FileLocation): Promise<FileReadResult> {
  return { type: "folder", message: `${location.displayPath} is a folder${await formatFolderNames(location.path)}` };
}

/** Removes a regular file; links and folders are refused. A missing file counts as removed. */
async function removeFile({ path, displayPath, realPath }: FileLocation): Promise<FileWriteResult> {
  try {
    const target = join((await resolveRealPath(dirname(path))) ?? dirname(path), basename(path));
    const folder = await openNoFollow({ realPath: dirname(target), flags: constants.O_DIRECTORY });
    try {
      const openPath = join(folder.path, basename(target));
      const stats = await lstat(openPath);
      if (!stats.isFile()) {
        const kind = stats.isDirectory() ? "a folder" : stats.isSymbolicLink() ? "a link" : "not a regular file";
        return { type: "refused", message: `${displayPath} cannot be removed: it is ${kind}` };
      }
      if (realPath !== undefined && realPath !== target) throw pathChangedError(realPath);
      await unlink(openPath);
      return WRITTEN;
    } finally {
      await folder.file.close();
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { type: "written" };
    return { type: "refused", message: describeFileError(error, { action: "removed", displayPath }) };
  }
}

/** Replaces a file, or creates it with its folders. Only the bytes change: a link, the owner and the permissions stay. */
async function writeWholeFile(
  { path, displayPath, realPath }: FileLocation,
  bytes: Uint8Array,
): Promise<FileWriteResult> {
  try {
    // A link stays a link. If it cannot be resolved, opening the folder reports why.
    const target = realPath ?? (await resolveRealPath(path)) ?? path;
    const folder = await openOrCreateFolder(dirname(target));
    try {
      const request = { realPath: target, openPath: join(folder.path, basename(target)), bytes };
      const obstacle = await writeInFolder(request);
      return obstacle ? { type: "refused", message: `${displayPath} cannot be written: it is ${obstacle}` } : WRITTEN;
    } finally {
      await folder.file.close();
    }
  } catch (error) {
    return { type: "refused", message: describeFileError(error, { action: "written", displayPath }) };
  }
}

const WRITTEN: FileWriteResult = { type: "written" };

interface WriteRequest {
  readonly realPath: string;
  /** Its path through the open folder. */
  readonly openPath: string;
  readonly bytes: Uint8Array;
}

/** Returns what is in the way if it is not a file. */
async function writeInFolder({ realPath, openPath, bytes }: WriteRequest): Promise<string | null> {
  const existing = await lstatIfExists(openPath);
  if (existing?.isDirectory()) return "a folder";
  if (existing && !existing.isFile() && !existing.isSymbolicLink()) return "not a regular file";
  // A rename needs only write access to the folder. Opening the file checks its own permissions, and fails on a link put in its place.
  if (existing) await (await openNoFollow({ realPath, openPath, flags: constants.O_RDWR })).file.close();
  await replaceFile(openPath, { bytes, ...(existing ? copyOwnerAndMode(existing) : { mode: NEW_FILE_MODE }) });
  return null;
}

const NEW_FILE_MODE = 0o666;
const OWNER_ONLY_MODE = 0o600;
const PERMISSION_BITS = 0o7777;

async function lstatIfExists(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** The new file is owner-only until it has the permissions of the old one. */
function copyOwnerAndMode({ mode, uid, gid }: Stats): { mode: number; prepare: (file: FileHandle) => Promise<void> } {
  const prepare = async (file: FileHandle): Promise<void> => {
    const stats = await file.stat();
    // Only root may change the owner; for other users the file keeps their own.
    if (stats.uid !== uid || stats.gid !== gid) await file.chown(uid, gid).catch(() => undefined);
    await file.chmod(mode & PERMISSION_BITS);
  };
  return { mode: OWNER_ONLY_MODE, prepare };
}

/** Options of `nodeFiles`. */
export interface NodeFilesOptions extends PrivateTemporaryOptions {
  /** The folder from which relative paths start; absolute. */
  readonly root: string;
  /** What `~` stands for; the user's home by default. */
  readonly home?: string;
  /** The limit for reading a file; 64 MB by default. */
  readonly maxBytes?: number;
}

/** Files of this machine; relative paths start at the root. */
export function nodeFiles({
  home = homedir(),
  maxBytes = MAX_BYTES,
  ...pathOptions
}: NodeFilesOptions): WorkspaceFiles {
  const locate = (path: string): FileLocation => resolveLocation(path, { ...pathOptions, home });
  return {
    resolve: (path) => locate(path).path,
    read: (path, { realPath, maxBytes: requestedBytes = maxBytes, ...readOptions } = {}) =>
      readBoundedFile({ ...locate(path), realPath }, { ...readOptions, maxBytes: Math.min(maxBytes, requestedBytes) }),
    write: (path, bytes, { realPath } = {}) => writeWholeFile({ ...locate(path), realPath }, bytes),
    remove: (path, { realPath } = {}) => removeFile({ ...locate(path), realPath }),
  };
}

const MAX_BYTES = 64 * 1024 * 1024;
