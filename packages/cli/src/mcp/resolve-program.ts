/** Finds the program of a stdio server outside the workspace, once, so that the file that is checked is the file that is started. */

import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";
import { isExecutable } from "@pith/agent/node";
import type { Environment } from "@pith/models";
import type { StdioServer } from "../settings/settings.ts";

export interface ProgramSearchContext {
  /** The workspace; absolute. */
  readonly workspace: string;
  readonly environment: Environment;
}

export type ResolveProgramResult =
  | {
      readonly type: "found";
      /** Absolute. Links are kept: some programs behave by the name they are called by. */
      readonly path: string;
      /** The folders of PATH that the server may search, too. */
      readonly searchPath: string;
    }
  /** As the end of a sentence that begins with the program's name. */
  | { readonly type: "not-found"; readonly why: string };

/** A whole path is taken as it is. A name is looked up in the folders of PATH that are absolute and outside the workspace. */
export function resolveProgram(
  { command, env = {} }: StdioServer,
  context: ProgramSearchContext,
): ResolveProgramResult {
  const workspace = resolveRealPath(context.workspace);
  const pathFolders = (env.PATH ?? context.environment.PATH ?? "").split(delimiter);
  const allowedFolders = pathFolders.filter((folder) => isAbsolute(folder) && !isInWorkspace(folder, workspace));
  const searchPath = allowedFolders.join(delimiter);
  if (isAbsolute(command))
    return isExecutable(command)
      ? { type: "found", path: command, searchPath }
      : { type: "not-found", why: "is not there, or cannot be run" };
  if (command.includes(sep)) return { type: "not-found", why: "is a relative path; write its whole path" };
  const candidates = allowedFolders.map((folder) => join(folder, command)).filter(isExecutable);
  const path = candidates.find((candidate) => !isInWorkspace(candidate, workspace));
  if (path !== undefined) return { type: "found", path, searchPath };
  return pathFolders.some((folder) => isExecutable(resolve(context.workspace, folder, command)))
    ? { type: "not-found", why: "was found only in the workspace; write its whole path if you mean that one" }
    : { type: "not-found", why: "was not found; install it, or write its whole path" };
}

function isInWorkspace(path: string, workspace: string): boolean {
  const realPath = resolveRealPath(path);
  return realPath === workspace || realPath.startsWith(workspace.endsWith(sep) ? workspace : `${workspace}${sep}`);
}

function resolveRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // What is not there leads nowhere.
    return path;
  }
}
