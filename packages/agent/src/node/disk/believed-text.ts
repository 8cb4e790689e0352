/** A file of pith's own, believed only where nobody else could have written it. */

import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "./error-code.ts";

export type Believed =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "none" }
  /** `why` begins with its path. */
  | { readonly type: "unbelieved"; readonly why: string };

/** Throws what the disk says of a file that is there and cannot be read. */
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
