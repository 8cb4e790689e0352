/** Resolves and opens files without being misled by links, replaces them atomically, and reads and writes owner-only files. */

import { randomBytes, randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

/** The system's name for what went wrong, such as `ENOENT`; empty where it has none. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" ? code : "";
}

/**
 * `..` and links are resolved, also where the end of the path does not exist yet. Null where it cannot be told: links in a circle, a
 * folder that may not be entered, no absolute path.
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

// A link may lead to what is not there yet: whoever writes to it creates that.
async function followMissingPath(path: string, linksLeft: number): Promise<string | null> {
  const folder = await followLinks(dirname(path), linksLeft);
  if (folder === null) return null;
  const candidate = join(folder, basename(path));
  // What is no link has nowhere to lead.
  const link = await readlink(candidate).catch(() => null);
  return link === null ? candidate : await followLinks(resolve(folder, link), linksLeft - 1);
}

export interface OpenedFile {
  readonly file: FileHandle;
  /** Leads to nothing else as long as it is open; where the system has no such names, the path it was opened by. */
  readonly path: string;
}

export interface OpenOptions {
  /** Where it lies, every link followed. */
  readonly realPath: string | Buffer;
  /** The path to open it by, where that is another. */
  readonly openPath?: string | Buffer;
  /** Besides those for reading. */
  readonly flags?: number;
}

/**
 * Opens exactly what was checked before: no link is followed, even if a part of the path was exchanged meanwhile. Never waits for the
 * other end of a pipe.
 */
export async function openNoFollow({ realPath: real, openPath = real, flags = 0 }: OpenOptions): Promise<OpenedFile> {
  const openFlags = flags | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = await open(openPath, openFlags).catch(async (error) => {
    throw (await isReplacedByLink(real, error)) ? pathChangedError(real) : error;
  });
  const path = await verifiedPath(file, real).catch(() => null);
  if (path !== null) return { file, path };
  await file.close();
  throw pathChangedError(real);
}

/** The folder, made where it is not there. */
export async function openOrCreateFolder(real: string): Promise<OpenedFile> {
  const options = { realPath: real, flags: constants.O_DIRECTORY };
  try {
    return await openNoFollow(options);
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || dirname(real) === real) throw error;
  }
  const parent = await openOrCreateFolder(dirname(real));
  try {
    const childPath = join(parent.path, basename(real));
    await mkdir(childPath).catch(ignoreExists);
    return await openNoFollow({ ...options, openPath: childPath });
  } finally {
    await parent.file.close();
  }
}

/** Whether it was refused for a link that was not there before; in a circle it leads nowhere, and never did. */
async function isReplacedByLink(real: string | Buffer, error: unknown): Promise<boolean> {
  const code = errorCode(error);
  if (code !== "ELOOP" && code !== "ENOTDIR") return false;
  const currentPath = await resolveRealPath(real.toString());
  return currentPath !== null && (code === "ELOOP" || currentPath !== real.toString());
}

/** Null where what was opened lies elsewhere. */
async function verifiedPath(file: FileHandle, real: string | Buffer): Promise<string | null> {
  const descriptorPath = `/proc/self/fd/${file.fd}`;
  const actualPath = await readlink(descriptorPath, "buffer").catch(() => null);
  if (actualPath !== null) return isSamePath(actualPath, real) ? descriptorPath : null;
  // Other systems do not tell where an open file lies: that its path leads to it again is all there is to know.
  const [openedStats, pathStats] = [await file.stat(), await stat(real)];
  const isSameFile = openedStats.ino === pathStats.ino && isSamePath(await realpath(real, "buffer"), real);
  return isSameFile ? real.toString() : null;
}

function isSamePath(one: Buffer, other: string | Buffer): boolean {
  return one.equals(typeof other === "string" ? Buffer.from(other) : other);
}

/** The error for a path that leads elsewhere than when it was permitted. */
export function pathChangedError(real: string | Buffer): Error {
  return Object.assign(new Error(`${real} leads elsewhere by now`), { code: "EMOVED" });
}

function ignoreExists(error: unknown): void {
  if (errorCode(error) !== "EEXIST") throw error;
}

/** How the name of a file begins that has not taken its place yet; a crash leaves it behind. */
export const UNFINISHED_PREFIX = ".pith-";

export interface ReplaceFileOptions {
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** Done to it while nobody knows its name. */
  readonly prepare?: (file: FileHandle) => Promise<void>;
  /** Done last of all; where it throws, the name is not taken. */
  readonly beforeRename?: () => Promise<void>;
}

/** Writes a new file beside it, then renames: a reader sees the old or the new one, also after a power cut. */
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

/** For whom not even the new name may be lost. Windows lets nobody flush a folder (EPERM). */
export async function syncFolder(path: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  if (platform === "win32") return;
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  await folder.sync().finally(() => folder.close());
}

async function writeNewFile(
  path: string,
  { bytes, mode, prepare }: Omit<ReplaceFileOptions, "beforeRename">,
): Promise<void> {
  // Only where nothing has the name, not even a link.
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(bytes);
    await prepare?.(file);
    // A name that survives a power cut must not lead to bytes that did not.
    await file.datasync();
  } finally {
    await file.close();
  }
}

/**
 * For the owner alone, whatever the umask, and never through a link. Makes the folder, with those above it, or closes the one that is
 * there. On Windows the rights of a folder are those of the one above it: modes say nothing there.
 */
export async function ensureOwnerOnlyFolder(path: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  await mkdir(path, { recursive: true, mode: OWNER_ONLY_FOLDER_MODE });
  if (platform === "win32") return;
  await withOpenFile(path, constants.O_RDONLY | constants.O_DIRECTORY, (folder) =>
    folder.chmod(OWNER_ONLY_FOLDER_MODE),
  );
}

/** There whole or not at all. */
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

/** Null where it is no regular file, or larger than that. */
export async function readRegularFile(path: string, maxBytes: number): Promise<Uint8Array | null> {
  return await withOpenFile(path, constants.O_RDONLY | constants.O_NONBLOCK, async (file) => {
    const stats: Stats = await file.stat();
    return stats.isFile() && stats.size <= maxBytes ? await file.readFile() : null;
  });
}

async function withOpenFile<Made>(
  path: string,
  flags: number,
  use: (file: FileHandle) => Promise<Made>,
): Promise<Made> {
  const file = await open(path, flags | constants.O_NOFOLLOW);
  return await use(file).finally(() => file.close());
}

const OWNER_ONLY_FILE_MODE = 0o600;
const OWNER_ONLY_FOLDER_MODE = 0o700;

export type OwnedFileResult =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "none" }
  /** `why` begins with its path. */
  | { readonly type: "untrusted"; readonly why: string };

/**
 * The file is trusted only where no other user could have written it. Throws what the disk says of a file that is there and cannot be
 * read.
 */
export async function readOwnedFile(path: string, maxBytes: number): Promise<OwnedFileResult> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await readOwnedHandle(file, { path, maxBytes }).finally(() => file.close());
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { type: "none" };
    if (errorCode(error) === "ELOOP") return untrustedResult(`${path} is a link`);
    throw error;
  }
}

/** For one that is damaged: the name it bears from now on. */
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
  if (!stats.isFile()) return untrustedResult(`${path} is no regular file`);
  if (isWritableByOthers(stats))
    return untrustedResult(`${path} belongs to somebody else or may be written by others (chmod 600 it)`);
  const folder = dirname(path);
  // Who may write the folder may put another file in its place.
  if (isWritableByOthers(await lstat(folder)))
    return untrustedResult(`${folder} may be written by others (chmod 700 it)`);
  if (stats.size > maxBytes) return untrustedResult(`${path} is too long for a file of its kind`);
  return { type: "text", text: await file.readFile("utf8") };
}

const OTHERS_WRITE_BITS = 0o022;

function isWritableByOthers({ uid, mode }: Stats): boolean {
  const ownUserId = process.geteuid?.();
  // Where users have no number, the mode says nothing either.
  return ownUserId !== undefined && (uid !== ownUserId || (mode & OTHERS_WRITE_BITS) !== 0);
}

function untrustedResult(why: string): OwnedFileResult {
  return { type: "untrusted", why };
}
