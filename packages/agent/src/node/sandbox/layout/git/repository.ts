/** The git repository of a workspace: what of it commands need to write, and what git runs or believes and so must stay as it is. */

import { lstatSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isWithin } from "../../../../text/paths.ts";
import type { Guarded } from "../names/guards.ts";
import { presentPath } from "../present-path.ts";
import { guardedIn, guardedOfWorktree, modulesOf } from "./git-folder.ts";
import { isFile, namedBySettings, textOf } from "./settings.ts";

export interface Repository {
  /** Where it lies outside the workspace. */
  readonly writable: readonly string[];
  readonly guarded: readonly Guarded[];
  /** Of what is guarded and lies in the workspace, the first that is reached by a link: a link cannot be kept from being replaced. */
  readonly link: string | null;
}

/** What is no repository yet could become one of somebody else's making, and so is guarded as a whole. */
export function repositoryOf(root: string, home: string): Repository {
  const git = join(root, ".git");
  const { writable, guarded } = found(git, { root, home });
  const around = [git, ...guarded.map(({ path }) => path)].filter((path) => isWithin(root, path));
  return { writable, guarded, link: around.find(hasLink) ?? null };
}

/** Guarded names further down; among them repositories of their own, which are left alone where a link leads to something in them. */
export function guardedFurtherDown(paths: readonly string[], home: string): readonly Guarded[] {
  return paths.flatMap((path) => {
    const isRepository = basename(path) === ".git" && isFile(join(path, "config"));
    const guarded = isRepository ? guardedIn(path, { root: dirname(path), home }) : [{ path }];
    return guarded.filter((each) => !hasLink(each.path));
  });
}

type Found = Omit<Repository, "link">;
type Place = { readonly root: string; readonly home: string };

function found(git: string, place: Place): Found {
  if (isFile(join(git, "config"))) return { writable: [], guarded: [...personal(place), ...guardedIn(git, place)] };
  return linkedTo(git, place) ?? { writable: [], guarded: [{ path: git }] };
}

/** What the user's own settings name in this workspace. */
function personal(place: Place): readonly Guarded[] {
  const files = [".gitconfig", ".config/git/config"].map((name) => join(place.home, name));
  return files.flatMap((file) => namedBySettings({ ...place, file }));
}

/**
 * A worktree says in a file where its repository is. It is believed only if the repository says the same of the worktree,
 * for otherwise a file in the workspace could make any folder writable; and nothing is followed through links, for the same reason.
 */
function linkedTo(git: string, place: Place): Found | null {
  const own = namedIn(git, "gitdir: ");
  if (own === null || namedIn(join(own, "gitdir")) !== git) return null;
  const common = namedIn(join(own, "commondir"));
  if (common === null || dirname(own) !== join(common, "worktrees")) return null;
  const needed = ["objects", "refs", "logs"].map((name) => join(common, name));
  return {
    writable: [own, ...needed.filter((path) => presentPath(path) === path)],
    guarded: [
      { path: git },
      ...guardedOfWorktree(own),
      ...personal(place),
      ...namedBySettings({ ...place, file: join(common, "config") }),
      ...modulesOf(own).flatMap((module) => guardedIn(module, place)),
    ],
  };
}

/** The path that stands in a file, seen from the folder of that file; null where there is none, or it leads nowhere. */
function namedIn(file: string, before = ""): string | null {
  const text = textOf(file);
  return text.startsWith(before) && text !== ""
    ? presentPath(resolve(dirname(file), text.slice(before.length).trim()))
    : null;
}

function hasLink(path: string): boolean {
  const real = presentPath(path);
  return real === null ? lstatSync(path, { throwIfNoEntry: false }) !== undefined : real !== path;
}
