/** A file of the workspace replaced whole, or a new one with its folders. It stays what it was but for its bytes: a link, its owner, its permissions. */

import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FileWritten } from "../../workspace.ts";
import { refusal } from "../disk/disk-refusal.ts";
import { codeOf } from "../disk/error-code.ts";
import { openFolder, openHeld } from "../disk/open-held.ts";
import { realPath } from "../disk/real-path.ts";
import { takePlace } from "../disk/take-place.ts";
import type { Place } from "./place.ts";

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
