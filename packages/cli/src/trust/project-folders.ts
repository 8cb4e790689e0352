/** Finds the folders of a project, from the root of its repository to the working folder. */

import { realpath, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

/** The outermost first. Without a repository there is only the folder itself. */
export async function findProjectFolders(cwd: string, userHome: string): Promise<readonly string[]> {
  const folders = await findOwnedFolders(cwd, userHome);
  const hasGitFolder = await Promise.all(folders.map((folder) => pathExists(join(folder, ".git"))));
  return folders.slice(0, Math.max(0, hasGitFolder.indexOf(true)) + 1).reverse();
}

/**
 * The folder and those above it, as far as they belong to the same person: above, anybody could have put a text.
 * A home is no project, even where it is a repository: everything lies in it, and a link might lead to any of it.
 */
async function findOwnedFolders(cwd: string, userHome: string): Promise<readonly string[]> {
  const uid = await readOwner(cwd);
  // Where there is no such folder, nothing lies in it.
  const home = await realpath(userHome).catch(() => userHome);
  const folders = [cwd];
  for (let parent = dirname(cwd); parent !== folders.at(-1); parent = dirname(parent)) {
    const hasOtherOwner = uid === null || (await readOwner(parent)) !== uid;
    if (hasOtherOwner || !relative(parent, home).startsWith("..")) break;
    folders.push(parent);
  }
  return folders;
}

async function pathExists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false, // Not there, or closed to us, which is the same here.
  );
}

/** Compared name by name; both paths are absolute. */
export function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** Null where it is gone, or closed to us. */
export async function readOwner(path: string): Promise<number | null> {
  return await stat(path).then(
    ({ uid }) => uid,
    () => null,
  );
}
