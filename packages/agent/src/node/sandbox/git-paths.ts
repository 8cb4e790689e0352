/** Finds the files of a workspace's repositories that git runs or trusts and that must not change, and what commands in a worktree need to write. */

import { lstatSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isWithin } from "../../text.ts";
import { parseGitConfigStrictly } from "./git-config.ts";
import type { GuardedPath } from "./guarded-paths.ts";
import { readFolderEntries, resolveExistingPath, TEMPORARY_FOLDERS } from "./options.ts";

export interface GitConfigFile {
  readonly file: string;
  /** The working tree, to which most paths are relative. */
  readonly root: string;
  readonly home: string;
}

const PATH_SETTING = /(?:^|\])\s*(path|hookspath|fsmonitor|worktree)\s*=\s*"?([^"\n]+?)"?\s*$/gim;
const MAX_INCLUDE_DEPTH = 5;

/** Includes missing files: git would read one as soon as a command creates it. */
function findConfiguredPaths(config: GitConfigFile, depth = 0): readonly GuardedPath[] {
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
          return [guardHooks(resolveFrom(root))];
        case "worktree":
          return [join(resolveFrom(dirname(file)), ".git")].filter(isFile).map((path) => ({ path }));
        default:
          return [resolveFrom(root)].filter(isFile).map((path) => ({ path }));
      }
    },
  );
}

/** Generated hooks (husky's `_`) run those in the parent folder. */
function guardHooks(path: string): GuardedPath {
  return basename(path) === "_" ? { path: dirname(path), generated: path } : { path };
}

/** Empty where it is not a readable file. */
export function readTextIfFile(file: string): string {
  try {
    return isFile(file) ? readFileSync(file, "utf8") : "";
  } catch {
    // Git cannot read it either.
    return "";
  }
}

export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // A part of the path is missing or not accessible.
    return false;
  }
}

type RepositoryContext = Omit<GitConfigFile, "file">;

interface UserContext extends RepositoryContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The files of a repository that git runs or trusts. */
function listGuardedGitPaths(git: string, context: RepositoryContext): readonly GuardedPath[] {
  const file = join(git, "config");
  return [
    { path: file },
    { path: join(git, "hooks") },
    // Git reads its configuration from the folder that this file names; `.` is the repository itself.
    { path: join(git, "commondir"), text: ".\n" },
    worktreeConfig(git),
    ...findConfiguredPaths({ ...context, file }),
    ...findWorktrees(git).flatMap(listGuardedWorktreePaths),
    ...[git, ...findWorktrees(git)].flatMap(findModules).flatMap((module) => listGuardedGitPaths(module, context)),
  ];
}

/** Read if the main configuration enables it, which some git commands do. */
function worktreeConfig(folder: string): GuardedPath {
  return { path: join(folder, "config.worktree"), text: "" };
}

function findWorktrees(git: string): readonly string[] {
  return listSubfolders(join(git, "worktrees")).filter((folder) => isFile(join(folder, "commondir")));
}

/** Unlike in a repository, these files exist from the beginning. */
function listGuardedWorktreePaths(folder: string): readonly GuardedPath[] {
  const pathFiles = ["commondir", "gitdir"].map((name): GuardedPath => ({ path: join(folder, name) }));
  return [...pathFiles, worktreeConfig(folder)];
}

/** Names of submodules may have several parts. */
const MAX_MODULE_DEPTH = 4;

function findModules(git: string): readonly string[] {
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
  /** Folders outside the workspace that git commands must write. */
  readonly writable: readonly string[];
  readonly guarded: readonly GuardedPath[];
  /** The first guarded path in the workspace that is reached by a link: a link cannot be protected from being replaced. */
  readonly linkedPath: string | null;
}

/** Where `.git` is not a repository yet, all of it is guarded: a command could create a hostile one. */
export function findRepositoryPaths(context: UserContext): RepositoryPaths {
  const { root } = context;
  const git = join(root, ".git");
  const { writable, guarded } = findGitPaths(git, context);
  const workspacePaths = [git, ...guarded.map(({ path }) => path)].filter((path) => isWithin(root, path));
  return { writable, guarded, linkedPath: workspacePaths.find(hasLink) ?? null };
}

/** Guarded names in subfolders, including nested repositories. Paths that are reached by a link are left out. */
export function listGuardedNestedPaths(paths: readonly string[], home: string): readonly GuardedPath[] {
  return paths.flatMap((path) => {
    const isRepository = basename(path) === ".git" && isFile(join(path, "config"));
    const guarded = isRepository ? listGuardedGitPaths(path, { root: dirname(path), home }) : [{ path }];
    return guarded.filter((each) => !hasLink(each.path));
  });
}

type GitPaths = Omit<RepositoryPaths, "linkedPath">;

function findGitPaths(git: string, context: UserContext): GitPaths {
  if (isFile(join(git, "config")))
    return { writable: [], guarded: [...userConfiguredPaths(context), ...listGuardedGitPaths(git, context)] };
  const linkedPaths = findWorktreePaths(git, context) ?? findModulePaths(git, context);
  if (linkedPaths !== null) return linkedPaths;
  const outer = findOuterGitPaths(context);
  return { writable: outer.writable, guarded: [{ path: git }, ...outer.guarded] };
}

const NO_PATHS: GitPaths = { writable: [], guarded: [] };

/** Git commits into the repository around the workspace. Its other files stay read-only. */
function findOuterGitPaths(context: UserContext): GitPaths {
  const git = findOuterGitPath(context);
  if (git === null) return NO_PATHS;
  const outerContext = { ...context, root: dirname(git) };
  if (!isFile(join(git, "config"))) return findWorktreePaths(git, outerContext) ?? NO_PATHS;
  const { guarded } = findGitPaths(git, outerContext);
  // A link cannot be protected from being replaced.
  const isLinked = guarded.some(({ path }) => isWithin(git, path) && hasLink(path));
  return isLinked ? NO_PATHS : { writable: [git], guarded };
}

/** The `.git` of the repository in which the workspace is a subfolder; null if the workspace has a repository of its own. */
export function findOuterGitPath({ root, home }: RepositoryContext): string | null {
  const git = join(root, ".git");
  if (isFile(git) || isFile(join(git, "config"))) return null;
  const outer = findOuterRepository(dirname(root), home);
  return outer === null || isWithin(outer, home) ? null : join(outer, ".git");
}

/** A module is trusted only if its repository, which commands of this workspace cannot have made, names the workspace. */
function findModulePaths(git: string, context: UserContext): GitPaths | null {
  const folder = findModuleFolder(git, context);
  return folder === null
    ? null
    : {
        writable: [folder],
        guarded: [{ path: git }, ...userConfiguredPaths(context), ...listGuardedGitPaths(folder, context)],
      };
}

function findModuleFolder(git: string, { root, home }: RepositoryContext): string | null {
  const folder = readPathFromFile(git, "gitdir: ");
  const outer = findOuterRepository(dirname(root), home);
  if (folder === null || outer === null || isWithin(outer, home)) return null;
  const file = join(folder, "config");
  const settings = parseGitConfigStrictly(readTextIfFile(file)) ?? [];
  const workTree = settings.findLast(({ key }) => key === "core.worktree")?.value;
  const isOurs = isWithin(join(outer, ".git/modules"), folder) && !isWithin(root, folder);
  const isNamedBack = workTree !== undefined && workTree !== null && resolve(folder, workTree) === root;
  return isOurs && isNamedBack && !listGuardedGitPaths(folder, { root, home }).some(({ path }) => hasLink(path))
    ? folder
    : null;
}

/** Paths that the user's own git configuration names. */
function userConfiguredPaths(context: UserContext): readonly GuardedPath[] {
  return listUserConfigs(context).flatMap((file) => findConfiguredPaths({ ...context, file }));
}

/** Programs that are started elsewhere may lack the variables, so all places count. */
function listUserConfigs({ environment, home }: Omit<UserContext, "root">): readonly string[] {
  const { XDG_CONFIG_HOME: configFolder, GIT_CONFIG_GLOBAL: globalFile } = environment;
  const files = [
    ".gitconfig",
    ".config/git/config",
    ...(configFolder ? [join(configFolder, "git/config")] : []),
    ...(globalFile ? [globalFile] : []),
  ].map((name) => resolve(home, name));
  return [...new Set(files)];
}

/** Whether the user's own configuration signs commits. */
export function signsCommits(context: Omit<UserContext, "root">): boolean {
  return listUserConfigs(context).some((file) => {
    const settings = parseGitConfigStrictly(readTextIfFile(file)) ?? [];
    const value = settings.findLast(({ key }) => key === "commit.gpgsign")?.value;
    return value === null || /^(?:true|yes|on|1)$/i.test(value ?? "");
  });
}

/** The configuration files of the repositories at these `.git` paths, and of their modules. Those that are reached by a link are left out. */
export function listRepositoryConfigs(gitPaths: readonly string[], home: string): readonly string[] {
  const repositories = gitPaths.flatMap((git) => {
    if (isFile(join(git, "config"))) return [git, ...findModules(git)];
    const worktree = readWorktree(git);
    if (worktree !== null) return [worktree.commonFolder];
    const module = readPathFromFile(git, "gitdir: ");
    return module !== null && findModuleFolder(git, { root: dirname(git), home }) === module ? [module] : [];
  });
  const files = repositories.flatMap((git) => ["config", "config.worktree"].map((name) => join(git, name)));
  return files.filter((file) => isFile(file) && !hasLink(file));
}

/**
 * A worktree names its repository in a file. That is trusted only if the repository names the worktree too: otherwise a file in the
 * workspace could make any folder writable. Links are not followed for the same reason.
 */
function findWorktreePaths(git: string, context: UserContext): GitPaths | null {
  const worktree = readWorktree(git);
  if (worktree === null) return null;
  const { ownFolder, commonFolder } = worktree;
  const sharedFolders = ["objects", "refs", "logs"].map((name) => join(commonFolder, name));
  return {
    writable: [ownFolder, ...sharedFolders.filter((path) => resolveExistingPath(path) === path)],
    guarded: [
      { path: git },
      ...listGuardedWorktreePaths(ownFolder),
      ...userConfiguredPaths(context),
      ...findConfiguredPaths({ ...context, file: join(commonFolder, "config") }),
      ...findModules(ownFolder).flatMap((module) => listGuardedGitPaths(module, context)),
    ],
  };
}

export interface Worktree {
  /** The worktree's own folder in the repository. */
  readonly ownFolder: string;
  /** The repository, which all worktrees share. */
  readonly commonFolder: string;
}

export function readWorktree(git: string): Worktree | null {
  const ownFolder = readPathFromFile(git, "gitdir: ");
  if (ownFolder === null || readPathFromFile(join(ownFolder, "gitdir")) !== git) return null;
  const commonFolder = readPathFromFile(join(ownFolder, "commondir"));
  return commonFolder !== null && dirname(ownFolder) === join(commonFolder, "worktrees")
    ? { ownFolder, commonFolder }
    : null;
}

/**
 * Repositories outside the workspace that git reads: that of a worktree, and the one that contains the workspace. Never one of another
 * user, and none that contains the home. All are real paths.
 */
export function findOuterRepositories(root: string, home: string): readonly string[] {
  const outerRepository = findOuterRepository(dirname(root), home);
  const commonFolders = [root, ...(outerRepository ? [outerRepository] : [])].flatMap(
    (each) => readWorktree(join(each, ".git"))?.commonFolder ?? [],
  );
  return [...(outerRepository ? [outerRepository] : []), ...commonFolders].filter((path) => !isWithin(path, home));
}

export function findOuterRepository(folder: string, home: string): string | null {
  if (isWithin(folder, home) || TEMPORARY_FOLDERS.includes(folder)) return null;
  const isOurs = (path: string): boolean =>
    lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.() && !hasLink(path);
  return [folder, join(folder, ".git")].every(isOurs) ? folder : findOuterRepository(dirname(folder), home);
}

/** The path written in a file, relative to the folder of that file; null where there is none or it does not exist. */
function readPathFromFile(file: string, prefix = ""): string | null {
  const text = readTextIfFile(file);
  return text.startsWith(prefix) && text !== ""
    ? resolveExistingPath(resolve(dirname(file), text.slice(prefix.length).trim()))
    : null;
}

function hasLink(path: string): boolean {
  const real = resolveExistingPath(path);
  return real === null ? lstatSync(path, { throwIfNoEntry: false }) !== undefined : real !== path;
}

export function isRepository(folder: string): boolean {
  return lstatSync(join(folder, ".git"), { throwIfNoEntry: false }) !== undefined;
}
