/** The git repository of a workspace: what of it commands need to write, and what git runs or believes and so must stay as it is. */

import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { realPath } from "./real-path.ts";

export interface Repository {
  /** Where it lies outside the workspace. */
  readonly writable: readonly string[];
  readonly guarded: readonly string[];
  /** What is not there and must not stay there: git would take an empty folder in its place for damage. */
  readonly unwanted: readonly string[];
}

/** What is no repository yet could become one of somebody else's making, and so is guarded as a whole. */
export function repositoryOf(root: string): Repository {
  const git = join(root, ".git");
  if (isFile(join(git, "config"))) return ownRepository(git);
  return linkedTo(git) ?? { writable: [], guarded: [git], unwanted: [] };
}

/** Two more files, where they are, say where settings come from. */
function ownRepository(git: string): Repository {
  const redirecting = ["commondir", "config.worktree"].map((name) => join(git, name));
  return {
    writable: [],
    guarded: [join(git, "config"), join(git, "hooks"), ...redirecting.filter(isFile)],
    unwanted: redirecting.filter((path) => !isFile(path)),
  };
}

/**
 * A worktree says in a file where its repository is. It is believed only if the repository says the same of the worktree,
 * for otherwise a file in the workspace could make any folder writable; and nothing is followed through links, for the same reason.
 */
function linkedTo(git: string): Repository | null {
  const own = namedIn(git, "gitdir: ");
  if (own === null || namedIn(join(own, "gitdir")) !== git) return null;
  const common = namedIn(join(own, "commondir"));
  if (common === null || dirname(own) !== join(common, "worktrees") || hasOwnSettings(common)) return null;
  const needed = ["objects", "refs", "logs"].map((name) => join(common, name));
  return {
    writable: [own, ...needed.filter((path) => realPath(path) === path)],
    guarded: [git, join(own, "gitdir"), join(own, "commondir")],
    unwanted: [],
  };
}

/** Then git would run what a file among the writable ones says. */
function hasOwnSettings(common: string): boolean {
  return /worktreeConfig/i.test(textOf(join(common, "config")));
}

/** The path that stands in a file, seen from the folder of that file; null where there is none, or it leads nowhere. */
function namedIn(file: string, before = ""): string | null {
  const text = textOf(file);
  return text.startsWith(before) && text !== ""
    ? realPath(resolve(dirname(file), text.slice(before.length).trim()))
    : null;
}

function textOf(file: string): string {
  try {
    return isFile(file) ? readFileSync(file, "utf8") : "";
  } catch {
    return "";
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
