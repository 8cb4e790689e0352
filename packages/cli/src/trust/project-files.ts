/** Collects the project files that Pith acts on. No link is followed out of the project; only regular files are opened. */

import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { findProjectFolders } from "./project-folders.ts";
import {
  createProjectScan,
  type ProjectFile,
  type ProjectFiles,
  type ProjectScan,
  readFilesBelow,
  toRelativeName,
  trustRequiredPaths,
} from "./read-files.ts";

export function hashBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export interface ProjectPaths {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** What `~` stands for. */
  readonly userHome: string;
}

export async function readProjectFiles(paths: ProjectPaths): Promise<ProjectFiles> {
  const cwd = await resolveRealPath(paths.cwd);
  const folders = await findProjectFolders(cwd, paths.userHome);
  const [root = cwd] = folders;
  const scan = createProjectScan(root);
  const files: ProjectFile[] = [];
  for (const folder of await excludeUserHome(folders, paths.userHome))
    files.push(...(await readFolderFiles(folder, scan, paths)));
  return { root, folders, files, unread: scan.unread };
}

async function readFolderFiles(
  folder: string,
  scan: ProjectScan,
  { home }: ProjectPaths,
): Promise<readonly ProjectFile[]> {
  const pithHome = await resolveRealPath(home);
  const files: ProjectFile[] = [];
  for (const { kind, path } of trustRequiredPaths) {
    // Where one works in the home of Pith or beside it, what lies there is the user's own.
    if (path.startsWith(".pith/") && (await resolveRealPath(join(folder, ".pith"))) === pithHome) continue;
    for (const file of await readFilesBelow(join(folder, path), scan))
      files.push({ kind, folder, ...file, name: toRelativeName(scan.root, file.path), hash: hashBytes(file.bytes) });
  }
  return files;
}

/** A home is no project: what lies in it is the user's own. */
async function excludeUserHome(folders: readonly string[], userHome: string): Promise<readonly string[]> {
  const realHome = await resolveRealPath(userHome);
  return folders.filter((folder) => folder !== realHome);
}

/** Where nothing is, or it is closed to us, the path itself. */
async function resolveRealPath(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}
