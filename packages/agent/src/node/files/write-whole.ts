/** A file replaced whole: the bytes go to a new file beside it, which then takes its name. Whoever looks sees the old or the new. */

import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { type FileHandle, mkdir, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { FileWritten } from "../../workspace.ts";
import { codeOf, refusal } from "./disk-refusal.ts";
import type { Place } from "./place.ts";

export async function writeWhole(place: Place, bytes: Uint8Array): Promise<FileWritten> {
  try {
    const target = await targetOf(place.path, MOST_LINKS);
    const before = await statOf(target);
    if (before && !before.isFile()) {
      const what = before.isDirectory() ? "a folder" : "no regular file";
      return { type: "refused", message: `${place.shown} cannot be written: it is ${what}` };
    }
    // Taking a name asks only the folder for leave; the file itself may say no.
    if (before) await (await open(target, "r+")).close();
    await mkdir(dirname(target), { recursive: true });
    await takePlace(target, bytes, before);
    return { type: "written" };
  } catch (error) {
    return { type: "refused", message: refusal(error, { act: "written", shown: place.shown }) };
  }
}

const MOST_LINKS = 40;

/** Where a link leads in the end, also where nothing is yet: a link stays a link. */
async function targetOf(path: string, linksLeft: number): Promise<string> {
  const real = await orNothing(realpath(path));
  if (real !== null || linksLeft === 0) return real ?? path;
  // What is no link has nowhere to lead.
  const link = await readlink(path).catch(() => null);
  return link === null ? path : await targetOf(resolve(dirname(path), link), linksLeft - 1);
}

async function statOf(path: string): Promise<Stats | null> {
  return await orNothing(stat(path));
}

async function orNothing<Found>(look: Promise<Found>): Promise<Found | null> {
  try {
    return await look;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

async function takePlace(target: string, bytes: Uint8Array, before: Stats | null): Promise<void> {
  const fresh = join(dirname(target), `.pith-${randomBytes(8).toString("hex")}`);
  // Nobody reads it before it has the old one's permissions.
  const file = await open(fresh, "wx", before ? 0o600 : 0o666);
  try {
    try {
      await file.writeFile(bytes);
      if (before) await resemble(file, before);
      // A name that survives a power cut must not lead to bytes that did not.
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(fresh, target);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

async function resemble(file: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  const own = await file.stat();
  // Only the superuser may give a file away; everybody else keeps what they wrote.
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => undefined);
  await file.chmod(mode & PERMISSIONS);
}

const PERMISSIONS = 0o7777;
