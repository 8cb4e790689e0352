/** Creates the folders of a hosted session, and removes those of sessions and tenants that were erased. */

import { chmod, lstat, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { cleanUpEndedSessions } from "@pith/agent/node";
import { caughtFolderPath } from "@pith/host/sandbox/sandbox";
import type { SessionRef } from "../store/postgres-store.ts";
import type { ErasedFiles, RemoveFiles } from "../tenants/erasure.ts";

/** Where a session works. */
export interface SessionFolders {
  readonly cwd: string;
  readonly userHome: string;
  /** Pith's home, with what must not be shown to tools, such as originals of changed files. */
  readonly home: string;
}

/** Everything of a session is in one folder, so that nothing is left when that is removed. */
export async function createFolders(session: SessionRef, folder: string): Promise<SessionFolders> {
  const folders = locateFolders(locateSession(session, folder));
  for (const path of Object.values(folders)) await mkdir(path, { recursive: true, mode: 0o700 });
  return folders;
}

export function locateSession({ tenant, key }: SessionRef, folder: string): string {
  return join(folder, tenant, "sessions", key);
}

export function locateFolders(base: string): SessionFolders {
  return { cwd: join(base, "workspace"), userHome: join(base, "home"), home: join(base, "pith") };
}

/** Removes folders of erased sessions and tenants, for the option `removeFiles` of a worker. `folder`: that of `createAgentOpener`. */
export function createFileRemover(folder: string): RemoveFiles {
  return async ({ tenant, key }: ErasedFiles) => {
    if (key !== null) return await removeSession(locateSession({ tenant, key }, folder));
    const sessions = join(folder, tenant, "sessions");
    for (const name of await listNames(sessions)) await removeSession(join(sessions, name));
    await removeTree(join(folder, tenant));
  };
}

/** The temporary files of a killed worker's commands are elsewhere. */
async function removeSession(base: string): Promise<void> {
  const { home } = locateFolders(base);
  await cleanUpEndedSessions(join(home, "sandbox"), caughtFolderPath(home));
  await removeTree(base);
}

/** A command may have left folders without the right to change them. */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EPERM") throw error;
    await openFolders(path);
    await rm(path, { recursive: true, force: true });
  }
}

/** Follows no links. */
async function openFolders(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, 0o700);
  for (const name of await readdir(path)) await openFolders(join(path, name));
}

async function listNames(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
