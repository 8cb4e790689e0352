/** The folder in which the sessions of a working directory lie, with a note in it that says which directory that is. */

import { isAbsolute, join, resolve } from "node:path";
import { diskError, type Files } from "../../files/files.ts";
import { orNull } from "../../files/unavailable.ts";
import { createWhole, makeFolder } from "../../jsonl/writing/rewrite.ts";
import { folderName } from "../folder-name.ts";
import { type Environment, sessionsFolder } from "../home.ts";
import { membersIn } from "./json-file.ts";

export interface FolderParts {
  readonly files: Files;
  readonly env: Environment;
}

export function workFolder(cwd: string, { env }: Pick<FolderParts, "env">): string {
  return join(sessionsFolder(env), folderName(cwd));
}

/** The same, there and noted. */
export function madeWorkFolder(cwd: string, { files, env }: FolderParts): string {
  const folder = workFolder(cwd, { env });
  makeFolder(folder, files);
  noteCwd(folder, resolve(cwd), files);
  return folder;
}

/** Says in the folder which directory it stands for; a note that is there stays. */
export function noteCwd(folder: string, cwd: string, files: Files): void {
  if (files.stat(notePath(folder))) return;
  try {
    createWhole(notePath(folder), Buffer.from(`${JSON.stringify({ cwd })}\n`), files);
  } catch (error) {
    // Another process was faster, and its note says the same.
    if (diskError(error) !== "EEXIST") throw error;
  }
}

/** The directory that a folder stands for; null for a folder that does not say, as pi's. */
export function notedCwd(folder: string, files: Files): string | null {
  const { cwd } = membersIn(notePath(folder), files);
  return typeof cwd === "string" && isAbsolute(cwd) ? cwd : null;
}

/** All folders of sessions; links are not followed. */
export function allFolders({ files, env }: FolderParts): readonly string[] {
  const all = sessionsFolder(env);
  const names = orNull(() => files.list(all)) ?? [];
  return names.map((name) => join(all, name)).filter((folder) => orNull(() => files.stat(folder))?.kind === "folder");
}

const notePath = (folder: string): string => join(folder, "folder.json");
