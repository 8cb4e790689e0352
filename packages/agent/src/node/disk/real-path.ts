/** Where a path of this machine leads: `..` and links resolved, also where the end of it is not there yet. */

import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { codeOf } from "./error-code.ts";

/** Null where it cannot be told: links in a circle, a folder that may not be entered, no absolute path. */
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
