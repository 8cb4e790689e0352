/** Where a project's own texts may lie: from the root of its repository down to where one works. */

import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The outermost first. Without a repository there is only the folder itself. */
export async function projectFolders(cwd: string): Promise<readonly string[]> {
  const folders = await ownAncestors(cwd);
  const isRoot = await Promise.all(folders.map((folder) => isThere(join(folder, ".git"))));
  return folders.slice(0, Math.max(0, isRoot.lastIndexOf(true)) + 1).reverse();
}

/** The folder and those above it, as far as they belong to the same person: above, anybody could have put a text. */
async function ownAncestors(cwd: string): Promise<readonly string[]> {
  const { uid } = await stat(cwd);
  const folders = [cwd];
  for (let above = dirname(cwd); above !== folders.at(-1); above = dirname(above)) {
    const stats = await stat(above);
    if (stats.uid !== uid) break;
    folders.push(above);
  }
  return folders;
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false, // Not there, or closed to us, which is the same here.
  );
}
