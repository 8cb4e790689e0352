/** Resolves and opens files without being misled by links, replaces them atomically, and reads and writes owner-only files. */

import { randomBytes, randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

/** The system's error code, such as `ENOENT`; empty where there is none. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" ? code : "";
}

/**
 * Resolves `..` and links, even where the end of the path does not exist yet. Null where that fails: a loop of links, a folder without
 * access, a relative path.
 */
export async function resolveRealPath(path: string): Promise<string | null> {
  if (!isAbsolute(path) || path.includes("\0")) return null;
  return await followLinks(resolve(path), MAX_LINKS);
}

const MAX_LINKS = 40;

async function followLinks(path: string, linksLeft: number): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    const isMissing = errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR";
    return isMissing && linksLeft > 0 ? await followMissingPath(path, linksLeft) : null;
  }
}

// A link may lead to a missing file, which a write would create.
async function followMissingPath(path: string, linksLeft: number): Promise<string | null> {
  const folder = await followLinks(dirname(path), linksLeft);
  if (folder === null) return null;
  const candidate = join(folder, basename(path));
  // Not a link.
  const link = await readlink(candidate).catch(() => null);
  return link === null ? candidate : await followLinks(resolve(folder, link), linksLeft - 1);
}

/** A file that was opened without following links. */
export interface OpenedFile {
  readonly file: FileHandle;
  /** A path to the open file that cannot be redirected (`/proc/self/fd/…`); on other systems the path it was opened by. */
  readonly path: string;
}

/** Options of `openNoFollow`. */
export interface OpenOptions {
  /** Its path without links. */
  readonly realPath: string | Buffer;
  /** The path to open it by, if different. */
  readonly openPath?: string | Buffer;
  /** Added to those for reading. */
  readonly flags?: number;
}

/**
 * Opens exactly the file that was checked: no link is followed, even if a part of the path was replaced since. Never waits for the other
 * end of a pipe.
 */
export async function openNoFollow({ realPath, openPath = realPath, flags = 0 }: OpenOptions): Promise<OpenedFile> {
  const openFlags = flags | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = await open(openPath, openFlags).catch(async (error) => {
    throw (await isReplacedByLink(realPath, error)) ? pathChangedError(realPath) : error;
  });
  const path = await verifyPath(file, realPath).catch(() => null);
  if (path !== null) return { file, path };
  await file.close();
  throw pathChangedError(realPath);
}

/** Creates missing folders on the way. */
export async function openOrCreateFolder(realPath: string): Promise<OpenedFile> {
  const options = { realPath, flags: constants.O_DIRECTORY };
  try {
    return await openNoFollow(options);
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || dirname(realPath) === realPath) throw error;
  }
  const parent = await openOrCreateFolder(dirname(realPath));
  try {
    const childPath = join(parent.path, basename(realPath));
    await mkdir(childPath).catch(ignoreExists);
    return await openNoFollow({ ...options, openPath: childPath });
  } finally {
    await parent.file.close();
  }
}

/** Whether the open failed because of a link that was not there before. A loop of links is not counted: it never led anywhere. */
async function isReplacedByLink(realPath: string | Buffer, error: unknown): Promise<boolean> {
  const code = errorCode(error);
  if (code !== "ELOOP" && code !== "ENOTDIR") return false;
  const currentPath = await resolveRealPath(realPath.toString());
  return currentPath !== null && (code === "ELOOP" || currentPath !== realPath.toString());
}

/** Null where the opened file is at another path. */
async function verifyPath(file: FileHandle, realPath: string | Buffer): Promise<string | null> {
  const descriptorPath = `/proc/self/fd/${file.fd}`;
  const actualPath = await readlink(descriptorPath, "buffer").catch(() => null);
  if (actualPath !== null) return isSamePath(actualPath, realPath) ? descriptorPath : null;
  // Other systems do not report the path of an open file, so the path is resolved again and compared.
  const [openedStats, pathStats] = [await file.stat(), await stat(realPath)];
  const isSameFile = openedStats.ino === pathStats.ino && isSamePath(await realpath(realPath, "buffer"), realPath);
  return isSameFile ? realPath.toString() : null;
}

function isSamePath(one: Buffer, other: string | Buffer): boolean {
  return one.equals(typeof other === "string" ? Buffer.from(other) : other);
}

/** The error for a path that points to a different file than the one that was permitted. */
export function pathChangedError(realPath: string | Buffer): Error {
  return Object.assign(new Error(`${realPath} now points to a different file`), { code: "EMOVED" });
}

function ignoreExists(error: unknown): void {
  if (errorCode(error) !== "EEXIST") throw error;
}

/** The prefix of a temporary file before it is renamed; a crash may leave one behind. */
export const UNFINISHED_PREFIX = ".pith-";

export interface ReplaceFileOptions {
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** Called with the temporary file. */
  readonly prepare?: (file: FileHandle) => Promise<void>;
  /** Called last; if it throws, the file is not replaced. */
  readonly beforeRename?: () => Promise<void>;
}

/** Writes a new file beside the old one, then renames it: a reader sees the old or the new content, even after a power cut. */
export async function replaceFile(path: string, { beforeRename, ...file }: ReplaceFileOptions): Promise<void> {
  const temporaryPath = join(dirname(path), `${UNFINISHED_PREFIX}${randomBytes(8).toString("hex")}`);
  try {
    await writeNewFile(temporaryPath, file);
    await beforeRename?.();
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw error;
  }
}

/** Makes a rename survive a power cut. Windows does not allow flushing a folder (EPERM). */
export async function syncFolder(path: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  if (platform === "win32") return;
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  await folder.sync().finally(() => folder.close());
}

async function writeNewFile(
  path: string,
  { bytes, mode, prepare }: Omit<ReplaceFileOptions, "beforeRename">,
): Promise<void> {
  // Fails if anything exists at the path, even a link.
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(bytes);
    await prepare?.(file);
    // The bytes must reach the disk before the rename does.
    await file.datasync();
  } finally {
    await file.close();
  }
}

/**
 * Creates the folder and its parents, or restricts the existing one to the owner, whatever the umask; never through a link. On Windows
 * folders inherit their rights and modes mean nothing.
 */
export async function ensureOwnerOnlyFolder(path: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  await mkdir(path, { recursive: true, mode: OWNER_ONLY_FOLDER_MODE });
  if (platform === "win32") return;
  await withOpenFile(path, constants.O_RDONLY | constants.O_DIRECTORY, (folder) =>
    folder.chmod(OWNER_ONLY_FOLDER_MODE),
  );
}

/** Written whole or not at all. */
export async function writeOwnerOnlyFile(
  path: string,
  bytes: Uint8Array,
  options: Pick<ReplaceFileOptions, "beforeRename"> = {},
): Promise<void> {
  await replaceFile(path, {
    bytes,
    mode: OWNER_ONLY_FILE_MODE,
    prepare: (file) => file.chmod(OWNER_ONLY_FILE_MODE),
    ...options,
  });
}

/** Null where it is not a regular file or is larger than the limit. */
export async function readRegularFile(path: string, maxBytes: number): Promise<Uint8Array | null> {
  return await withOpenFile(path, constants.O_RDONLY | constants.O_NONBLOCK, async (file) => {
    const stats: Stats = await file.stat();
    return stats.isFile() && stats.size <= maxBytes ? await file.readFile() : null;
  });
}

async function withOpenFile<Result>(
  path: string,
  flags: number,
  use: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const file = await open(path, flags | constants.O_NOFOLLOW);
  return await use(file).finally(() => file.close());
}

const OWNER_ONLY_FILE_MODE = 0o600;
const OWNER_ONLY_FOLDER_MODE = 0o700;

/** The text of a file, or why it is not used. */
export type OwnedFileResult =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "none" }
  /** `why` starts with the path. */
  | { readonly type: "untrusted"; readonly why: string };

/**
 * The file is trusted only if no other user could have written it. Throws the file system's error for a file that exists and cannot be
 * read.
 */
export async function readOwnedFile(path: string, maxBytes: number): Promise<OwnedFileResult> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await readOwnedHandle(file, { path, maxBytes }).finally(() => file.close());
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { type: "none" };
    if (errorCode(error) === "ELOOP") return createUntrustedResult(`${path} is a link`);
    throw error;
  }
}

/** Renames a damaged file and returns its new path. */
export async function moveAside(path: string): Promise<string> {
  const asidePath = `${path}.damaged-${randomUUID().slice(0, 8)}`;
  await rename(path, asidePath);
  return asidePath;
}

async function readOwnedHandle(
  file: FileHandle,
  { path, maxBytes }: { readonly path: string; readonly maxBytes: number },
): Promise<OwnedFileResult> {
  const stats = await file.stat();
  if (!stats.isFile()) return createUntrustedResult(`${path} is not a regular file`);
  if (isWritableByOthers(stats))
    return createUntrustedResult(`${path} belongs to another user or is writable by others (run chmod 600 on it)`);
  const folder = dirname(path);
  // A user who may write the folder can replace the file.
  if (isWritableByOthers(await lstat(folder)))
    return createUntrustedResult(`${folder} is writable by others (run chmod 700 on it)`);
  if (stats.size > maxBytes) return createUntrustedResult(`${path} is larger than ${maxBytes} bytes`);
  return { type: "text", text: await file.readFile("utf8") };
}

const OTHERS_WRITE_BITS = 0o022;

function isWritableByOthers({ uid, mode }: Stats): boolean {
  const ownUserId = process.geteuid?.();
  // On Windows there are no user ids, and the mode means nothing.
  return ownUserId !== undefined && (uid !== ownUserId || (mode & OTHERS_WRITE_BITS) !== 0);
}

function createUntrustedResult(why: string): OwnedFileResult {
  return { type: "untrusted", why };
}
