/** Collects the project files that Pith acts on. No link is followed out of the project; only regular files are opened. */

import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { projectFolders } from "./project-folders.ts";
import {
  filesBelow,
  type Gathering,
  gathering,
  type HeldFile,
  type Holdings,
  nameIn,
  whatCanRun,
} from "./read-files.ts";

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export interface ProjectPlaces {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** What `~` stands for. */
  readonly userHome: string;
}

export async function holdings(places: ProjectPlaces): Promise<Holdings> {
  const cwd = await realOf(places.cwd);
  const folders = await projectFolders(cwd, places.userHome);
  const [root = cwd] = folders;
  const gathered = gathering(root);
  const files: HeldFile[] = [];
  for (const folder of await foreign(folders, places.userHome)) files.push(...(await heldIn(folder, gathered, places)));
  return { root, folders, files, unread: gathered.unread };
}

async function heldIn(folder: string, gathered: Gathering, { home }: ProjectPlaces): Promise<readonly HeldFile[]> {
  const own = await realOf(home);
  const files: HeldFile[] = [];
  for (const { kind, path } of whatCanRun) {
    // Where one works in the home of Pith or beside it, what lies there is the user's own.
    if (path.startsWith(".pith/") && (await realOf(join(folder, ".pith"))) === own) continue;
    for (const found of await filesBelow(join(folder, path), gathered))
      files.push({ kind, folder, ...found, name: nameIn(gathered.root, found.path), hash: hashOf(found.bytes) });
  }
  return files;
}

/** A home is no project: what lies in it is the user's own. */
async function foreign(folders: readonly string[], userHome: string): Promise<readonly string[]> {
  const home = await realOf(userHome);
  return folders.filter((folder) => folder !== home);
}

/** Where nothing is, or it is closed to us, the path itself. */
async function realOf(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}
