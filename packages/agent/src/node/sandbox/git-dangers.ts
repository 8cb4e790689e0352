/** Finds what is not harmless in a repository that a command made: settings, hooks and links that git would follow outside the sandbox. */

import { closeSync, constants, type Dirent, fstatSync, lstatSync, opendirSync, openSync, readSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isWithin } from "../../text.ts";
import { findProgramKeys } from "./git-config.ts";
import { resolveExistingPath } from "./options.ts";

export interface RepositoryDangerOptions {
  /** Real paths of the git folders that are guarded. A `.git` file may name a worktree or a module of one of them. */
  readonly guardedRepositories?: readonly string[];
}

/**
 * Lists why git must not use the repository: empty where it is harmless or missing. The path is that of a `.git` folder or file, or of a bare
 * repository. Never follows a link.
 */
export function findRepositoryDangers(
  gitFolder: string,
  { guardedRepositories = [] }: RepositoryDangerOptions = {},
): readonly string[] {
  const entry = lstatSync(gitFolder, { throwIfNoEntry: false });
  if (!entry) return [];
  if (entry.isFile()) return findGitFileDangers(gitFolder, guardedRepositories);
  if (!entry.isDirectory()) return [`${basename(gitFolder)} is neither a folder nor a file`];
  return findFolderDangers(gitFolder, {
    workTree: basename(gitFolder) === ".git" ? dirname(gitFolder) : null,
    depth: 0,
  });
}

interface FolderContext {
  /** The working tree of the outermost repository, in which those of modules lie; null for a bare repository. */
  readonly workTree: string | null;
  readonly depth: number;
}

const MAX_DEPTH = 5;
/** A command may have made any number of files. */
const MAX_ENTRIES = 500;

/** One more than the limit if there are too many, which is a danger; none if the folder is missing or a link. */
function readSomeEntries(path: string): readonly Dirent[] {
  const entries: Dirent[] = [];
  try {
    const folder = opendirSync(path);
    try {
      for (let entry = folder.readSync(); entry && entries.length <= MAX_ENTRIES; entry = folder.readSync())
        entries.push(entry);
    } finally {
      folder.closeSync();
    }
  } catch {
    // Missing, or no folder.
  }
  return entries;
}

function findFolderDangers(folder: string, context: FolderContext): readonly string[] {
  if (context.depth > MAX_DEPTH) return [`${folder} has modules in too many levels`];
  const entries = readSomeEntries(folder);
  if (entries.length > MAX_ENTRIES) return [`${folder} has too many entries`];
  const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => `${join(folder, name)} is a link`);
  const names = new Set(entries.map(({ name }) => name));
  return [
    ...links,
    ...(names.has("config") ? findConfigDangers(join(folder, "config"), context) : []),
    ...(names.has("config.worktree") ? findConfigDangers(join(folder, "config.worktree"), context) : []),
    ...(names.has("commondir") ? [`${join(folder, "commondir")} names another repository`] : []),
    ...findHooks(join(folder, "hooks")),
    // Old places for the addresses of remote repositories.
    ...["branches", "remotes"].flatMap((name) =>
      findEntries(join(folder, name), "is an address of a remote repository"),
    ),
    ...findSubfolders(join(folder, "worktrees")).flatMap((each) => findWorktreeDangers(each, context)),
    ...(names.has("modules")
      ? findModuleDangers(join(folder, "modules"), { ...context, depth: context.depth + 1 })
      : []),
  ];
}

function findConfigDangers(file: string, context: FolderContext): readonly string[] {
  const text = readSmallFile(file);
  if (text === null) return [`${file} cannot be read`];
  return findProgramKeys(text)
    .filter(({ key, value }) => !(key === "core.worktree" && isModuleWorkTree(file, value ?? "", context)))
    .map(({ key, value }) => `${file} sets ${key}${value === null ? "" : ` = ${value}`}`);
}

/** Git writes into the settings of a module where its working tree lies. */
function isModuleWorkTree(file: string, value: string, { workTree, depth }: FolderContext): boolean {
  if (depth === 0 || workTree === null) return false;
  const path = resolve(dirname(file), value);
  const isInside = path !== workTree && isWithin(workTree, path) && !isWithin(join(workTree, ".git"), path);
  return isInside && (resolveExistingPath(path) ?? path) === path;
}

function findHooks(folder: string): readonly string[] {
  return readSomeEntries(folder)
    .filter((entry) => !(entry.isFile() && entry.name.endsWith(".sample")))
    .map(({ name }) => `${join(folder, name)} is a hook`);
}

function findEntries(folder: string, why: string): readonly string[] {
  return readSomeEntries(folder).map(({ name }) => `${join(folder, name)} ${why}`);
}

/** Links are dangers of their own where git would follow them. */
function findSubfolders(folder: string): readonly string[] {
  const folders = readSomeEntries(folder).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => join(folder, name));
}

function findWorktreeDangers(folder: string, context: FolderContext): readonly string[] {
  const commonFolder = readSmallFile(join(folder, "commondir"));
  const isOwn = commonFolder !== null && resolve(folder, commonFolder.trim()) === dirname(dirname(folder));
  const entries = readSomeEntries(folder);
  const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => `${join(folder, name)} is a link`);
  const hasConfig = entries.some(({ name }) => name === "config.worktree");
  return [
    ...(isOwn ? [] : [`${join(folder, "commondir")} names another repository`]),
    ...links,
    ...(hasConfig ? findConfigDangers(join(folder, "config.worktree"), context) : []),
    ...findModuleDangers(join(folder, "modules"), { ...context, depth: context.depth + 1 }),
  ];
}

/** Names of modules may have several parts. */
function findModuleDangers(folder: string, context: FolderContext): readonly string[] {
  if (context.depth > MAX_DEPTH) return [`${folder} has too many levels`];
  const entries = readSomeEntries(folder);
  if (entries.length > MAX_ENTRIES) return [`${folder} has too many entries`];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) return [`${path} is a link`];
    if (!entry.isDirectory()) return [];
    const isRepository = readSomeEntries(path).some(({ name }) => name === "config" || name === "HEAD");
    return isRepository
      ? findFolderDangers(path, context)
      : findModuleDangers(path, { ...context, depth: context.depth + 1 });
  });
}

/** The file of a worktree or of a module. It is trusted only if what it names belongs to a guarded repository and names it back. */
function findGitFileDangers(file: string, guardedRepositories: readonly string[]): readonly string[] {
  const target = readTarget(file, "gitdir: ");
  const repository = guardedRepositories.find((each) => target !== null && target !== each && isWithin(each, target));
  if (target === null || repository === undefined) return [`${file} names a repository that is not guarded`];
  const workTree = dirname(repository);
  if (dirname(target) === join(repository, "worktrees")) {
    const isNamedBack = readTarget(join(target, "gitdir")) === file;
    const why = isNamedBack ? [] : [`${file} names a worktree that does not name it`];
    return [...why, ...findWorktreeDangers(target, { workTree, depth: 0 })];
  }
  if (!isWithin(join(repository, "modules"), target)) return [`${file} names no worktree and no module`];
  const isNamedBack = namesWorkTree(target, dirname(file));
  const why = isNamedBack ? [] : [`${file} names a module that does not name it`];
  return [...why, ...findFolderDangers(target, { workTree, depth: 1 })];
}

function namesWorkTree(module: string, workTree: string): boolean {
  const settings = findProgramKeys(readSmallFile(join(module, "config")) ?? "");
  const value = settings.findLast(({ key }) => key === "core.worktree")?.value;
  return value !== undefined && value !== null && resolve(module, value) === workTree;
}

function readTarget(file: string, prefix = ""): string | null {
  const text = readSmallFile(file);
  if (text === null || !text.startsWith(prefix)) return null;
  return resolveExistingPath(resolve(dirname(file), text.slice(prefix.length).trim()));
}

/** The settings of thousands of branches. */
export const MAX_CONFIG_BYTES: number = 512 * 1024;

/** Null where it is not a plain file or too large. Never waits for a pipe. */
export function readSmallFile(path: string): string | null {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(file);
      if (!fstatSync(file).isFile() || size > MAX_CONFIG_BYTES) return null;
      const bytes = Buffer.alloc(size + 1);
      let length = 0;
      for (let count = -1; count !== 0 && length < bytes.length; length += count)
        count = readSync(file, bytes, length, bytes.length - length, null);
      // The file grew while it was read.
      return length > size ? null : bytes.toString("utf8", 0, length);
    } finally {
      closeSync(file);
    }
  } catch {
    // Missing, a link, or not accessible.
    return null;
  }
}
