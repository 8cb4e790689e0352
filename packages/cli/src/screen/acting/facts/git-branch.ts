/** The branch of the version control system that a folder is on: read from its files, with no program started. */

import { open, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** Where the branch is written down, for this folder or one above it; null where there is no such place. */
export async function headFile(folder: string): Promise<string | null> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = await headIn(join(at, ".git"));
    if (found !== null) return found;
    if (dirname(at) === at) return null;
  }
}

/** Its name; the beginning of the commit where there is none. */
export async function gitBranch(head: string | null): Promise<string | null> {
  const text = head === null ? null : await beginning(head);
  const [, ref, commit] = /^(?:ref: refs\/(?:heads\/)?(\S+)|([0-9a-f]{7})[0-9a-f]*)\s*$/.exec(text ?? "") ?? [];
  return ref ?? commit ?? null;
}

/** In a worktree there is a file that names the folder. */
async function headIn(path: string): Promise<string | null> {
  const stats = await stat(path).catch(() => null); // Not there, or closed to us: both mean to look further up.
  if (stats?.isDirectory()) return join(path, "HEAD");
  const [, folder] = stats?.isFile() ? (/^gitdir: (.+?)\s*$/.exec((await beginning(path)) ?? "") ?? []) : [];
  return folder === undefined ? null : join(resolve(dirname(path), folder), "HEAD");
}

async function beginning(path: string): Promise<string | null> {
  try {
    if (!(await stat(path)).isFile()) return null;
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST), 0, LONGEST, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    // A folder may lose its repository at any time; then there is no branch.
    return null;
  }
}

const LONGEST = 4_096;
