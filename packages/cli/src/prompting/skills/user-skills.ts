/** The files of a folder of skills that the user keeps: one folder for each skill. It is the user's own, so links are followed. */

import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { takeBytes } from "../../home/trust/holding/take-bytes.ts";
import type { SkillFile } from "./skill-in.ts";

export interface SkillFiles {
  /** In the order of their names. */
  readonly files: readonly SkillFile[];
  readonly notes: readonly string[];
}

/** Nothing where nothing is. */
export async function userSkills(folder: string): Promise<SkillFiles> {
  const files: SkillFile[] = [];
  const notes: string[] = [];
  const names = await namesIn(folder);
  if (names.length > MOST) notes.push(`${folder} has more than ${MOST} skills; the others are left out`);
  for (const name of names.slice(0, MOST)) {
    const path = join(folder, name, SKILL_FILE);
    const read = await bytesAt(path);
    if (typeof read === "string") notes.push(read);
    else if (read) files.push({ path, folder: name, bytes: read });
  }
  return { files, notes };
}

export const SKILL_FILE = "SKILL.md";
/** Bytes of one. */
export const MOST_BYTES: number = 256 * 1024;
const MOST = 500;

async function namesIn(folder: string): Promise<readonly string[]> {
  // Where it cannot be looked into, there is nothing.
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const isThere = found.filter((each) => !each.name.startsWith(".") && (each.isDirectory() || each.isSymbolicLink()));
  return isThere.map(({ name }) => name).sort();
}

/** Null where there is none; else the bytes, or a note. */
export async function bytesAt(path: string): Promise<Uint8Array | string | null> {
  try {
    const bytes = await takeBytes(await realpath(path), MOST_BYTES);
    return bytes ?? `${path} is no regular file, or larger than ${MOST_BYTES / 1024} KB, so it was not read`;
  } catch (error) {
    const { code = "for an unknown reason" } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? null : `${path} cannot be read: ${code}`;
  }
}
