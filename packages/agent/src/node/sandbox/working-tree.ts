/** Finds the repository whose commits tell what a checkout may bring into a folder. */

import { accessSync, constants } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isWithin } from "../../text.ts";
import type { WorkingTree } from "./committed-files.ts";
import { findOuterRepository, isFile, readWorktree } from "./git-paths.ts";
import { resolveExistingPath } from "./options.ts";

/** The repository of a folder, also where the folder is below its root. Null if there is none, or if it belongs to another user. */
export function findWorkingTree(folder: string, home: string): Omit<WorkingTree, "git"> | null {
  const root = isGitFolder(join(folder, ".git")) ? folder : findOuterRepository(folder, home);
  if (root === null) return null;
  const git = join(root, ".git");
  if (isFile(join(git, "config"))) return { root, gitFolder: git, commonFolder: git };
  const worktree = readWorktree(git);
  return worktree && { root, gitFolder: worktree.ownFolder, commonFolder: worktree.commonFolder };
}

function isGitFolder(path: string): boolean {
  return isFile(path) || isFile(join(path, "config"));
}

export interface ProgramSearch {
  /** Folders whose programs are not used: commands can write there. */
  readonly roots: readonly string[];
  /** The value of `PATH`. */
  readonly searchPath: string;
}

/** The absolute path of a program; null if there is none. */
export function findProgramOutside(name: string, { roots, searchPath }: ProgramSearch): string | null {
  const candidates = searchPath
    .split(":")
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
  const isUsable = (path: string): boolean => {
    const real = resolveExistingPath(path);
    return real !== null && !roots.some((root) => isWithin(root, path) || isWithin(root, real)) && isExecutable(path);
  };
  return candidates.find(isUsable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
