/** Resolves and opens files without being misled by links, replaces them atomically, and reads and writes owner-only files. */

import { randomBytes, randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

/** The system's name for what went wrong, such as `ENOENT`; empty where it has none. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" ? code : "";
}

/**
 * `..` and links are resolved, also where the end of the path does not exist yet. Null where it cannot be told: links in a circle, a
 * folder that may not be entered, no absolute path.
 */
export async function realPath(path: string): Promise<string | null> {
  if (!isAbsolute(path) || path.includes("\0")) return null;
  return await followed(resolve(path), MOST_LINKS);
}

const MOST_LINKS = 40;

async function followed(path: string, linksLeft: number): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    const isMissing = codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
    return isMissing && linksLeft > 0 ? await followedBeyond(path, linksLeft) : null;
  }
}

// A link may lead to what is not there yet: whoever writes to it creates that.
async function followedBeyond(path: string, linksLeft: number): Promise<string | null> {
  const folder = await followed(dirname(path), linksLeft);
  if (folder === null) return null;
  const here = join(folder, basename(path));
  // What is no link has nowhere to lead.
  const link = await readlink(here).catch(() => null);
  return link === null ? here : await followed(resolve(folder, link), linksLeft - 1);
}

export interface HeldFile {
  readonly file: FileHandle;
  /** Leads to nothing else as long as it is open; where the system has no such names, the path it was opened by. */
  readonly path: string;
}

export interface Opening {
  /** Where it lies, every link followed. */
  readonly real: string | Buffer;
  /** The path to open it by, where that is another. */
  readonly at?: string | Buffer;
  /** Besides those for reading. */
  readonly flags?: number;
}

/**
 * Opens exactly what was checked before: no link is followed, even if a part of the path was exchanged meanwhile. Never waits for the
 * other end of a pipe.
 */
export async function openHeld({ real, at = real, flags = 0 }: Opening): Promise<HeldFile> {
  const wanted = flags | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = await open(at, wanted).catch(async (error) => {
    throw (await isBent(real, error)) ? moved(real) : error;
  });
  const path = await nameOf(file, real).catch(() => null);
  if (path !== null) return { file, path };
  await file.close();
  throw moved(real);
}

/** The folder, made where it is not there. */
export async function openFolder(real: string): Promise<HeldFile> {
  const opening = { real, flags: constants.O_DIRECTORY };
  try {
    return await openHeld(opening);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || dirname(real) === real) throw error;
  }
  const above = await openFolder(dirname(real));
  try {
    const inside = join(above.path, basename(real));
    await mkdir(inside).catch(unlessThere);
    return await openHeld({ ...opening, at: inside });
  } finally {
    await above.file.close();
  }
}

/** Whether it was refused for a link that was not there before; in a circle it leads nowhere, and never did. */
async function isBent(real: string | Buffer, error: unknown): Promise<boolean> {
  const code = codeOf(error);
  if (code !== "ELOOP" && code !== "ENOTDIR") return false;
  const now = await realPath(real.toString());
  return now !== null && (code === "ELOOP" || now !== real.toString());
}

/** Null where what was opened lies elsewhere. */
async function nameOf(file: FileHandle, real: string | Buffer): Promise<string | null> {
  const name = `/proc/self/fd/${file.fd}`;
  const lies = await readlink(name, "buffer").catch(() => null);
  if (lies !== null) return isSame(lies, real) ? name : null;
  // Other systems do not tell where an open file lies: that its path leads to it again is all there is to know.
  const [opened, there] = [await file.stat(), await stat(real)];
  const isIt = opened.ino === there.ino && isSame(await realpath(real, "buffer"), real);
  return isIt ? real.toString() : null;
}

function isSame(one: Buffer, other: string | Buffer): boolean {
  return one.equals(typeof other === "string" ? Buffer.from(other) : other);
}

/** The error for a path that leads elsewhere than when it was permitted. */
export function moved(real: string | Buffer): Error {
  return Object.assign(new Error(`${real} leads elsewhere by now`), { code: "EMOVED" });
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== "EEXIST") throw error;
}

/** How the name of a file begins that has not taken its place yet; a crash leaves it behind. */
export const UNFINISHED = ".pith-";

export interface NewFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** Done to it while nobody knows its name. */
  readonly prepare?: (file: FileHandle) => Promise<void>;
  /** Done last of all; where it throws, the name is not taken. */
  readonly last?: () => Promise<void>;
}

/** Writes a new file beside it, then renames: a reader sees the old or the new one, also after a power cut. */
export async function takePlace(path: string, { last, ...file }: NewFile): Promise<void> {
  const fresh = join(dirname(path), `${UNFINISHED}${randomBytes(8).toString("hex")}`);
  try {
    await writeNew(fresh, file);
    await last?.();
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** For whom not even the new name may be lost. Windows lets nobody flush a folder (EPERM). */
export async function syncFolder(path: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  if (platform === "win32") return;
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  await folder.sync().finally(() => folder.close());
}

async function writeNew(path: string, { bytes, mode, prepare }: Omit<NewFile, "last">): Promise<void> {
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
export async function ownFolder(path: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  await mkdir(path, { recursive: true, mode: OWNER_FOLDER });
  if (platform === "win32") return;
  await withFile(path, constants.O_RDONLY | constants.O_DIRECTORY, (folder) => folder.chmod(OWNER_FOLDER));
}

/** There whole or not at all. */
export async function ownFile(path: string, bytes: Uint8Array, act: Pick<NewFile, "last"> = {}): Promise<void> {
  await takePlace(path, { bytes, mode: OWNER_FILE, prepare: (file) => file.chmod(OWNER_FILE), ...act });
}

/** Null where it is no regular file, or larger than that. */
export async function readOwn(path: string, mostBytes: number): Promise<Uint8Array | null> {
  return await withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, async (file) => {
    const stats: Stats = await file.stat();
    return stats.isFile() && stats.size <= mostBytes ? await file.readFile() : null;
  });
}

async function withFile<Made>(path: string, flags: number, act: (file: FileHandle) => Promise<Made>): Promise<Made> {
  const file = await open(path, flags | constants.O_NOFOLLOW);
  return await act(file).finally(() => file.close());
}

const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;

export type Believed =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "none" }
  /** `why` begins with its path. */
  | { readonly type: "unbelieved"; readonly why: string };

/**
 * The file is trusted only where no other user could have written it. Throws what the disk says of a file that is there and cannot be
 * read.
 */
export async function believedText(path: string, mostBytes: number): Promise<Believed> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await readOpen(file, { path, mostBytes }).finally(() => file.close());
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { type: "none" };
    if (codeOf(error) === "ELOOP") return unbelieved(`${path} is a link`);
    throw error;
  }
}

/** For one that is damaged: the name it bears from now on. */
export async function setAside(path: string): Promise<string> {
  const aside = `${path}.damaged-${randomUUID().slice(0, 8)}`;
  await rename(path, aside);
  return aside;
}

async function readOpen(
  file: FileHandle,
  { path, mostBytes }: { readonly path: string; readonly mostBytes: number },
): Promise<Believed> {
  const stats = await file.stat();
  if (!stats.isFile()) return unbelieved(`${path} is no regular file`);
  if (isOthers(stats)) return unbelieved(`${path} belongs to somebody else or may be written by others (chmod 600 it)`);
  const folder = dirname(path);
  // Who may write the folder may put another file in its place.
  if (isOthers(await lstat(folder))) return unbelieved(`${folder} may be written by others (chmod 700 it)`);
  if (stats.size > mostBytes) return unbelieved(`${path} is too long for a file of its kind`);
  return { type: "text", text: await file.readFile("utf8") };
}

const OTHERS_WRITE = 0o022;

function isOthers({ uid, mode }: Stats): boolean {
  const self = process.geteuid?.();
  // Where users have no number, the mode says nothing either.
  return self !== undefined && (uid !== self || (mode & OTHERS_WRITE) !== 0);
}

function unbelieved(why: string): Believed {
  return { type: "unbelieved", why };
}
