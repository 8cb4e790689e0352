/** Finds what git runs or trusts in a workspace's repositories and must not change, and what commands of a worktree need to write. */

import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isWithin } from "../../text.ts";
import { presentPath, TEMPORARY } from "./box.ts";
import type { Guarded } from "./guarded-paths.ts";

export interface Settings {
  /** The file they are in. */
  readonly file: string;
  /** The folder in which git works, from which it reads most paths. */
  readonly root: string;
  readonly home: string;
}

const NAMING = /(?:^|\])\s*(path|hookspath|fsmonitor|worktree)\s*=\s*"?([^"\n]+?)"?\s*$/gim;
const MOST_STEPS = 5;

/** Where they are and where they are not: an absent file that is named would be believed as soon as it is there. */
export function namedBySettings(settings: Settings, step = 0): readonly Guarded[] {
  if (step === MOST_STEPS) return [];
  const { file, root, home } = settings;
  return [...textOf(file).matchAll(NAMING)].flatMap(([, key = "", value = ""]): readonly Guarded[] => {
    const from = (folder: string): string => resolve(folder, value.replace(/^~(?=\/)/, home));
    switch (key.toLowerCase()) {
      case "path": {
        const path = from(dirname(file));
        return [{ path, text: "" }, ...namedBySettings({ ...settings, file: path }, step + 1)];
      }
      case "hookspath":
        return [{ path: folderOfHooks(from(root)) }];
      case "worktree":
        return [join(from(dirname(file)), ".git")].filter(isFile).map((path) => ({ path }));
      default:
        return [from(root)].filter(isFile).map((path) => ({ path }));
    }
  });
}

/** Some that are generated run the ones in the folder around them. */
function folderOfHooks(path: string): string {
  return basename(path) === "_" ? dirname(path) : path;
}

/** Empty where there is none. */
export function textOf(file: string): string {
  try {
    return isFile(file) ? readFileSync(file, "utf8") : "";
  } catch {
    // What cannot be read is read by git no more than by us.
    return "";
  }
}

export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // A way that does not lead on is none.
    return false;
  }
}

type Place = Omit<Settings, "file">;

/** What git runs or believes in it. */
export function guardedIn(git: string, place: Place): readonly Guarded[] {
  const file = join(git, "config");
  return [
    { path: file },
    { path: join(git, "hooks") },
    // Settings are read from the folder that it names, where it is there; by this it names its own.
    { path: join(git, "commondir"), text: ".\n" },
    ownSettings(git),
    ...namedBySettings({ ...place, file }),
    ...worktreesOf(git).flatMap(guardedOfWorktree),
    ...[git, ...worktreesOf(git)].flatMap(modulesOf).flatMap((each) => guardedIn(each, place)),
  ];
}

/** Read where the other settings say so, which some commands of git make them do. */
function ownSettings(folder: string): Guarded {
  return { path: join(folder, "config.worktree"), text: "" };
}

function worktreesOf(git: string): readonly string[] {
  return foldersIn(join(git, "worktrees")).filter((folder) => isFile(join(folder, "commondir")));
}

/** Other than in a repository, all of it is there from the beginning. */
export function guardedOfWorktree(folder: string): readonly Guarded[] {
  const places = ["commondir", "gitdir"].map((name): Guarded => ({ path: join(folder, name) }));
  return [...places, ownSettings(folder)];
}

/** Names of modules may have several parts. */
const MOST_PARTS = 4;

export function modulesOf(git: string): readonly string[] {
  return modulesBelow(join(git, "modules"), MOST_PARTS);
}

function modulesBelow(folder: string, partsLeft: number): readonly string[] {
  if (partsLeft === 0) return [];
  return foldersIn(folder).flatMap((each) =>
    isFile(join(each, "config")) ? [each] : modulesBelow(each, partsLeft - 1),
  );
}

/** Those that are no links. */
function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  } catch {
    // Most repositories have none.
    return [];
  }
}

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
  const linked = readWorktree(git);
  if (linked === null) return null;
  const { own, common } = linked;
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

interface Worktree {
  /** Its own folder in the repository. */
  readonly own: string;
  /** The repository's folder, which all worktrees share. */
  readonly common: string;
}

function readWorktree(git: string): Worktree | null {
  const own = namedIn(git, "gitdir: ");
  if (own === null || namedIn(join(own, "gitdir")) !== git) return null;
  const common = namedIn(join(own, "commondir"));
  return common !== null && dirname(own) === join(common, "worktrees") ? { own, common } : null;
}

/**
 * What git reads outside the workspace: the repository that a worktree belongs to, and the one around a workspace that is a folder of it.
 * Never one of somebody else, and none that holds the home. All through no link.
 */
export function repositoriesAround(root: string, home: string): readonly string[] {
  const around = repositoryAround(dirname(root), home);
  const commons = [root, ...(around ? [around] : [])].flatMap((each) => readWorktree(join(each, ".git"))?.common ?? []);
  return [...(around ? [around] : []), ...commons].filter((path) => !isWithin(path, home));
}

function repositoryAround(folder: string, home: string): string | null {
  if (isWithin(folder, home) || TEMPORARY.includes(folder)) return null;
  const isOurs = (path: string): boolean =>
    lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.() && !hasLink(path);
  return [folder, join(folder, ".git")].every(isOurs) ? folder : repositoryAround(dirname(folder), home);
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
