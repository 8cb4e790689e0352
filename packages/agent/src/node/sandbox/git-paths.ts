/** Finds what git runs or trusts in a workspace's repositories and must not change, and what commands of a worktree need to write. */

import { lstatSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isWithin } from "../../text.ts";
import type { GuardedPath } from "./guarded-paths.ts";
import { existingRealPath, readFolderEntries, TEMPORARY_FOLDERS } from "./options.ts";

export interface GitConfigFile {
  /** The file they are in. */
  readonly file: string;
  /** The folder in which git works, from which it reads most paths. */
  readonly root: string;
  readonly home: string;
}

const PATH_SETTING = /(?:^|\])\s*(path|hookspath|fsmonitor|worktree)\s*=\s*"?([^"\n]+?)"?\s*$/gim;
const MAX_INCLUDE_DEPTH = 5;

/** Where they are and where they are not: an absent file that is named would be believed as soon as it is there. */
export function findConfiguredPaths(config: GitConfigFile, depth = 0): readonly GuardedPath[] {
  if (depth === MAX_INCLUDE_DEPTH) return [];
  const { file, root, home } = config;
  return [...readTextIfFile(file).matchAll(PATH_SETTING)].flatMap(
    ([, key = "", value = ""]): readonly GuardedPath[] => {
      const resolveFrom = (folder: string): string => resolve(folder, value.replace(/^~(?=\/)/, home));
      switch (key.toLowerCase()) {
        case "path": {
          const path = resolveFrom(dirname(file));
          return [{ path, text: "" }, ...findConfiguredPaths({ ...config, file: path }, depth + 1)];
        }
        case "hookspath":
          return [{ path: hooksRoot(resolveFrom(root)) }];
        case "worktree":
          return [join(resolveFrom(dirname(file)), ".git")].filter(isFile).map((path) => ({ path }));
        default:
          return [resolveFrom(root)].filter(isFile).map((path) => ({ path }));
      }
    },
  );
}

/** Some that are generated run the ones in the folder around them. */
function hooksRoot(path: string): string {
  return basename(path) === "_" ? dirname(path) : path;
}

/** Empty where there is none. */
export function readTextIfFile(file: string): string {
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

type RepositoryContext = Omit<GitConfigFile, "file">;

/** What git runs or believes in it. */
export function guardedGitPaths(git: string, context: RepositoryContext): readonly GuardedPath[] {
  const file = join(git, "config");
  return [
    { path: file },
    { path: join(git, "hooks") },
    // Settings are read from the folder that it names, where it is there; by this it names its own.
    { path: join(git, "commondir"), text: ".\n" },
    worktreeConfig(git),
    ...findConfiguredPaths({ ...context, file }),
    ...findWorktrees(git).flatMap(guardedWorktreePaths),
    ...[git, ...findWorktrees(git)].flatMap(findModules).flatMap((module) => guardedGitPaths(module, context)),
  ];
}

/** Read where the other settings say so, which some commands of git make them do. */
function worktreeConfig(folder: string): GuardedPath {
  return { path: join(folder, "config.worktree"), text: "" };
}

function findWorktrees(git: string): readonly string[] {
  return listSubfolders(join(git, "worktrees")).filter((folder) => isFile(join(folder, "commondir")));
}

/** Other than in a repository, all of it is there from the beginning. */
export function guardedWorktreePaths(folder: string): readonly GuardedPath[] {
  const pathFiles = ["commondir", "gitdir"].map((name): GuardedPath => ({ path: join(folder, name) }));
  return [...pathFiles, worktreeConfig(folder)];
}

/** Names of modules may have several parts. */
const MAX_MODULE_DEPTH = 4;

export function findModules(git: string): readonly string[] {
  return findModulesIn(join(git, "modules"), MAX_MODULE_DEPTH);
}

function findModulesIn(folder: string, depthLeft: number): readonly string[] {
  if (depthLeft === 0) return [];
  return listSubfolders(folder).flatMap((each) =>
    isFile(join(each, "config")) ? [each] : findModulesIn(each, depthLeft - 1),
  );
}

/** Links are left out. */
function listSubfolders(folder: string): readonly string[] {
  return readFolderEntries(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

export interface RepositoryPaths {
  /** Where it lies outside the workspace. */
  readonly writable: readonly string[];
  readonly guarded: readonly GuardedPath[];
  /** Of what is guarded and lies in the workspace, the first that is reached by a link: a link cannot be kept from being replaced. */
  readonly linkedPath: string | null;
}

/** What is no repository yet could become one of somebody else's making, and so is guarded as a whole. */
export function findRepositoryPaths(root: string, home: string): RepositoryPaths {
  const git = join(root, ".git");
  const { writable, guarded } = findGitPaths(git, { root, home });
  const workspacePaths = [git, ...guarded.map(({ path }) => path)].filter((path) => isWithin(root, path));
  return { writable, guarded, linkedPath: workspacePaths.find(hasLink) ?? null };
}

/** Guarded names further down; among them repositories of their own, which are left alone where a link leads to something in them. */
export function guardedNestedPaths(paths: readonly string[], home: string): readonly GuardedPath[] {
  return paths.flatMap((path) => {
    const isRepository = basename(path) === ".git" && isFile(join(path, "config"));
    const guarded = isRepository ? guardedGitPaths(path, { root: dirname(path), home }) : [{ path }];
    return guarded.filter((each) => !hasLink(each.path));
  });
}

type GitPaths = Omit<RepositoryPaths, "linkedPath">;

function findGitPaths(git: string, context: RepositoryContext): GitPaths {
  if (isFile(join(git, "config")))
    return { writable: [], guarded: [...userConfiguredPaths(context), ...guardedGitPaths(git, context)] };
  return findWorktreePaths(git, context) ?? { writable: [], guarded: [{ path: git }] };
}

/** What the user's own settings name in this workspace. */
function userConfiguredPaths(context: RepositoryContext): readonly GuardedPath[] {
  const files = [".gitconfig", ".config/git/config"].map((name) => join(context.home, name));
  return files.flatMap((file) => findConfiguredPaths({ ...context, file }));
}

/**
 * A worktree says in a file where its repository is. It is believed only if the repository says the same of the worktree,
 * for otherwise a file in the workspace could make any folder writable; and nothing is followed through links, for the same reason.
 */
function findWorktreePaths(git: string, context: RepositoryContext): GitPaths | null {
  const worktree = readWorktree(git);
  if (worktree === null) return null;
  const { ownFolder, commonFolder } = worktree;
  const sharedFolders = ["objects", "refs", "logs"].map((name) => join(commonFolder, name));
  return {
    writable: [ownFolder, ...sharedFolders.filter((path) => existingRealPath(path) === path)],
    guarded: [
      { path: git },
      ...guardedWorktreePaths(ownFolder),
      ...userConfiguredPaths(context),
      ...findConfiguredPaths({ ...context, file: join(commonFolder, "config") }),
      ...findModules(ownFolder).flatMap((module) => guardedGitPaths(module, context)),
    ],
  };
}

interface Worktree {
  /** Its own folder in the repository. */
  readonly ownFolder: string;
  /** The repository's folder, which all worktrees share. */
  readonly commonFolder: string;
}

function readWorktree(git: string): Worktree | null {
  const ownFolder = readPathFromFile(git, "gitdir: ");
  if (ownFolder === null || readPathFromFile(join(ownFolder, "gitdir")) !== git) return null;
  const commonFolder = readPathFromFile(join(ownFolder, "commondir"));
  return commonFolder !== null && dirname(ownFolder) === join(commonFolder, "worktrees")
    ? { ownFolder, commonFolder }
    : null;
}

/**
 * What git reads outside the workspace: the repository that a worktree belongs to, and the one around a workspace that is a folder of it.
 * Never one of somebody else, and none that holds the home. All through no link.
 */
export function findOuterRepositories(root: string, home: string): readonly string[] {
  const outerRepository = findOuterRepository(dirname(root), home);
  const commonFolders = [root, ...(outerRepository ? [outerRepository] : [])].flatMap(
    (each) => readWorktree(join(each, ".git"))?.commonFolder ?? [],
  );
  return [...(outerRepository ? [outerRepository] : []), ...commonFolders].filter((path) => !isWithin(path, home));
}

function findOuterRepository(folder: string, home: string): string | null {
  if (isWithin(folder, home) || TEMPORARY_FOLDERS.includes(folder)) return null;
  const isOurs = (path: string): boolean =>
    lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.() && !hasLink(path);
  return [folder, join(folder, ".git")].every(isOurs) ? folder : findOuterRepository(dirname(folder), home);
}

/** The path that stands in a file, seen from the folder of that file; null where there is none, or it leads nowhere. */
function readPathFromFile(file: string, prefix = ""): string | null {
  const text = readTextIfFile(file);
  return text.startsWith(prefix) && text !== ""
    ? existingRealPath(resolve(dirname(file), text.slice(prefix.length).trim()))
    : null;
}

function hasLink(path: string): boolean {
  const real = existingRealPath(path);
  return real === null ? lstatSync(path, { throwIfNoEntry: false }) !== undefined : real !== path;
}

export function isRepository(folder: string): boolean {
  return lstatSync(join(folder, ".git"), { throwIfNoEntry: false }) !== undefined;
}
