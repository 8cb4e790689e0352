/** Implements workspace files on this machine: paths as models write them, bounded reads, and writes that happen whole or not at all. */

import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, unlink } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { FileRead, FileWritten, WorkspaceFiles } from "../ports.ts";
import { namesIn, namesNear, type Place, type PrivateTemporary, placeOf } from "./paths.ts";
import { codeOf, type HeldFile, moved, openFolder, openHeld, realPath, takePlace } from "./safe-files.ts";

export interface Refused {
  readonly act: "read" | "written" | "removed";
  readonly shown: string;
}

export function refusal(error: unknown, { act, shown }: Refused): string {
  const code = codeOf(error);
  const why = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return `${shown} cannot be ${act}: ${why}`;
}

const reasons: Readonly<Record<string, string>> = {
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

export interface BoundedAct {
  readonly mostBytes: number;
  readonly signal?: AbortSignal;
}

/** Never waits for the other end of a pipe, and never reads beyond the limit of an endless file. */
export async function readBytes(place: Place, act: BoundedAct): Promise<FileRead> {
  act.signal?.throwIfAborted();
  try {
    const { file, path } = await opened(place);
    try {
      return await readOpen(file, { ...place, path }, act);
    } finally {
      await file.close();
    }
  } catch (error) {
    act.signal?.throwIfAborted();
    return unread(place, error);
  }
}

async function opened({ path, real }: Place): Promise<HeldFile> {
  if (real !== undefined) return await openHeld({ real });
  return { file: await open(path, constants.O_RDONLY | constants.O_NONBLOCK), path };
}

async function readOpen(file: FileHandle, place: Place, { mostBytes, signal }: BoundedAct): Promise<FileRead> {
  const stats = await file.stat();
  if (stats.isDirectory()) return await folder(place);
  if (!stats.isFile()) return { type: "refused", message: `${place.shown} is no regular file` };
  if (stats.size > mostBytes) return tooLarge(place, mostBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // One byte beyond the bound is asked for, because a file can grow, and some (under /proc) say that they have no size.
  const highWaterMark = Math.min(LARGEST_CHUNK, Math.max(SMALLEST_CHUNK, stats.size + 1));
  const bounds = { start: 0, end: mostBytes, autoClose: false, highWaterMark };
  for await (const chunk of file.createReadStream(bounds)) {
    signal?.throwIfAborted();
    chunks.push(chunk);
    size += chunk.length;
  }
  return size > mostBytes ? tooLarge(place, mostBytes) : { type: "read", bytes: Buffer.concat(chunks, size) };
}

// Each read takes as much memory as it could bring.
const SMALLEST_CHUNK = 16 * 1024;
const LARGEST_CHUNK = 1024 * 1024;

function tooLarge({ shown }: Place, mostBytes: number): FileRead {
  const bound = mostBytes >= MEGABYTE ? `${Math.floor(mostBytes / MEGABYTE)} MB` : `${mostBytes} bytes`;
  return { type: "too-large", message: `${shown} has more than ${bound}; look at a part of it with the shell` };
}

const MEGABYTE = 1024 * 1024;

async function unread(place: Place, error: unknown): Promise<FileRead> {
  switch (codeOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return { type: "missing", message: `${place.shown} is not there${await namesNear(place)}` };
    case "EISDIR":
      return await folder(place);
    default:
      return { type: "refused", message: refusal(error, { act: "read", shown: place.shown }) };
  }
}

async function folder(place: Place): Promise<FileRead> {
  return { type: "folder", message: `${place.shown} is a folder${await namesIn(place.path)}` };
}

/** Removes a file by its name alone: the target of a link stays, and folders are refused. */
export async function removeFile({ path, shown, real }: Place): Promise<FileWritten> {
  try {
    const target = join((await realPath(dirname(path))) ?? dirname(path), basename(path));
    const folder = await openHeld({ real: dirname(target), flags: constants.O_DIRECTORY });
    try {
      const at = join(folder.path, basename(target));
      const there = await lstat(at);
      if (!there.isFile()) {
        const what = there.isDirectory() ? "a folder" : there.isSymbolicLink() ? "a link" : "no regular file";
        return { type: "refused", message: `${shown} cannot be removed: it is ${what}` };
      }
      if (real !== undefined && real !== target) throw moved(real);
      await unlink(at);
      return WRITTEN;
    } finally {
      await folder.file.close();
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { type: "written" };
    return { type: "refused", message: refusal(error, { act: "removed", shown }) };
  }
}

/** Replaces a file, or creates it with its folders. Only the bytes change: a link, the owner and the permissions stay. */
export async function writeWhole({ path, shown, real }: Place, bytes: Uint8Array): Promise<FileWritten> {
  try {
    // A link stays a link. Where nobody can tell where it leads, the next look says why.
    const target = real ?? (await realPath(path)) ?? path;
    const folder = await openFolder(dirname(target));
    try {
      const wish = { real: target, at: join(folder.path, basename(target)), bytes };
      const obstacle = await writeAt(wish);
      return obstacle ? { type: "refused", message: `${shown} cannot be written: it is ${obstacle}` } : WRITTEN;
    } finally {
      await folder.file.close();
    }
  } catch (error) {
    return { type: "refused", message: refusal(error, { act: "written", shown }) };
  }
}

const WRITTEN: FileWritten = { type: "written" };

interface Wish {
  readonly real: string;
  /** Its name in a folder that is held. */
  readonly at: string;
  readonly bytes: Uint8Array;
}

/** What is there and is no file. */
async function writeAt({ real, at, bytes }: Wish): Promise<string | null> {
  const before = await lstatOf(at);
  if (before?.isDirectory()) return "a folder";
  if (before && !before.isFile() && !before.isSymbolicLink()) return "no regular file";
  // Taking a name asks only the folder for leave; the file itself may say no, and a link that has come in its place does.
  if (before) await (await openHeld({ real, at, flags: constants.O_RDWR })).file.close();
  await takePlace(at, { bytes, ...(before ? likeness(before) : { mode: NEW_FILE }) });
  return null;
}

const NEW_FILE = 0o666;
const OWNER_ONLY = 0o600;
const PERMISSIONS = 0o7777;

async function lstatOf(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** Nobody reads it before it has the old one's permissions. */
function likeness({ mode, uid, gid }: Stats): { mode: number; prepare: (file: FileHandle) => Promise<void> } {
  const prepare = async (file: FileHandle): Promise<void> => {
    const own = await file.stat();
    // Only the superuser may give a file away; everybody else keeps what they wrote.
    if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => undefined);
    await file.chmod(mode & PERMISSIONS);
  };
  return { mode: OWNER_ONLY, prepare };
}

export interface NodeFilesParts extends PrivateTemporary {
  /** The folder from which relative paths start; absolute. */
  readonly root: string;
  /** What `~` stands for; the user's own folder unless said. */
  readonly home?: string;
  /** The most bytes that are read of a file; 64 MB unless said. */
  readonly mostBytes?: number;
}

/** The files under and around a folder of this machine. */
export function nodeFiles({ home = homedir(), mostBytes = MOST_BYTES, ...parts }: NodeFilesParts): WorkspaceFiles {
  const placed = (path: string): Place => placeOf(path, { ...parts, home });
  return {
    resolve: (path) => placed(path).path,
    read: (path, { real, mostBytes: wanted = mostBytes, ...act } = {}) =>
      readBytes({ ...placed(path), real }, { ...act, mostBytes: Math.min(mostBytes, wanted) }),
    write: (path, bytes, { real } = {}) => writeWhole({ ...placed(path), real }, bytes),
    remove: (path, { real } = {}) => removeFile({ ...placed(path), real }),
  };
}

const MOST_BYTES = 64 * 1024 * 1024;
