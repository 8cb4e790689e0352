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
  EPERM: "the system does not allow it (EPERM)",
  EROFS: "the disk is read-only (EROFS)",
  ENOSPC: "the disk is full (ENOSPC)",
  EDQUOT: "the disk quota is used up (EDQUOT)",
  ELOOP: "its symbolic links lead in a circle (ELOOP)",
  ENAMETOOLONG: "the name is too long (ENAMETOOLONG)",
  ENOTDIR: "a part of its path is a file, not a folder (ENOTDIR)",
  EEXIST: "a part of its path is a file, not a folder (EEXIST)",
  EISDIR: "it is a folder (EISDIR)",
  EMOVED: "it leads elsewhere than when it was permitted",
  ERR_INVALID_ARG_VALUE: "the path has a NUL character",
};

export interface BoundedReadOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** Never waits for the other end of a pipe, and never reads beyond the limit of an endless file. */
export async function readBoundedFile(location: FileLocation, options: BoundedReadOptions): Promise<FileReadResult> {
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
  if (!stats.isFile()) return { type: "refused", message: `${location.displayPath} is no regular file` };
  if (stats.size > maxBytes) return tooLargeResult(location, maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // One byte beyond the bound is asked for, because a file can grow, and some (under /proc) say that they have no size.
  const highWaterMark = Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, stats.size + 1));
  const bounds = { start: 0, end: maxBytes, autoClose: false, highWaterMark };
  for await (const chunk of file.createReadStream(bounds)) {
    signal?.throwIfAborted();
    chunks.push(chunk);
    size += chunk.length;
  }
  return size > maxBytes ? tooLargeResult(location, maxBytes) : { type: "read", bytes: Buffer.concat(chunks, size) };
}

// Each read takes as much memory as it could bring.
const MIN_CHUNK_BYTES = 16 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;

function tooLargeResult({ displayPath }: FileLocation, maxBytes: number): FileReadResult {
  const limit = maxBytes >= MEGABYTE ? `${Math.floor(maxBytes / MEGABYTE)} MB` : `${maxBytes} bytes`;
  return { type: "too-large", message: `${displayPath} has more than ${limit}; look at a part of it with the shell` };
}

const MEGABYTE = 1024 * 1024;

async function readFailure(location: FileLocation, error: unknown): Promise<FileReadResult> {
  switch (errorCode(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return { type: "missing", message: `${location.displayPath} is not there${await formatSimilarNames(location)}` };
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

/** Removes a file by its name alone: the target of a link stays, and folders are refused. */
export async function removeFile({ path, displayPath, realPath: real }: FileLocation): Promise<FileWriteResult> {
  try {
    const target = join((await resolveRealPath(dirname(path))) ?? dirname(path), basename(path));
    const folder = await openNoFollow({ realPath: dirname(target), flags: constants.O_DIRECTORY });
    try {
      const openPath = join(folder.path, basename(target));
      const stats = await lstat(openPath);
      if (!stats.isFile()) {
        const kind = stats.isDirectory() ? "a folder" : stats.isSymbolicLink() ? "a link" : "no regular file";
        return { type: "refused", message: `${displayPath} cannot be removed: it is ${kind}` };
      }
      if (real !== undefined && real !== target) throw pathChangedError(real);
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
export async function writeWholeFile(
  { path, displayPath, realPath: real }: FileLocation,
  bytes: Uint8Array,
): Promise<FileWriteResult> {
  try {
    // A link stays a link. Where nobody can tell where it leads, the next look says why.
    const target = real ?? (await resolveRealPath(path)) ?? path;
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
  /** Its name in a folder that is held. */
  readonly openPath: string;
  readonly bytes: Uint8Array;
}

/** What is there and is no file. */
async function writeInFolder({ realPath, openPath, bytes }: WriteRequest): Promise<string | null> {
  const existing = await lstatIfExists(openPath);
  if (existing?.isDirectory()) return "a folder";
  if (existing && !existing.isFile() && !existing.isSymbolicLink()) return "no regular file";
  // Taking a name asks only the folder for leave; the file itself may say no, and a link that has come in its place does.
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

/** Nobody reads it before it has the old one's permissions. */
function copyOwnerAndMode({ mode, uid, gid }: Stats): { mode: number; prepare: (file: FileHandle) => Promise<void> } {
  const prepare = async (file: FileHandle): Promise<void> => {
    const stats = await file.stat();
    // Only the superuser may give a file away; everybody else keeps what they wrote.
    if (stats.uid !== uid || stats.gid !== gid) await file.chown(uid, gid).catch(() => undefined);
    await file.chmod(mode & PERMISSION_BITS);
  };
  return { mode: OWNER_ONLY_MODE, prepare };
}

export interface NodeFilesOptions extends PrivateTemporaryOptions {
  /** The folder from which relative paths start; absolute. */
  readonly root: string;
  /** What `~` stands for; the user's own folder unless said. */
  readonly home?: string;
  /** The most bytes that are read of a file; 64 MB unless said. */
  readonly maxBytes?: number;
}

/** The files under and around a folder of this machine. */
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
