/** A file or folder opened so that it is the one that somebody looked at before: no link is followed, whoever exchanged a part of its path meanwhile. */

import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "./error-code.ts";
import { realPath } from "./real-path.ts";

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

/** Never waits for the other end of a pipe. */
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

function moved(real: string | Buffer): Error {
  return Object.assign(new Error(`${real} leads elsewhere by now`), { code: "EMOVED" });
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== "EEXIST") throw error;
}
