/** Finds and hashes the files that a stdio server runs: the executable, its scripts and the lock files of its packages. */

import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isObject, parseJsonObject } from "../text/jsonc.ts";

/** The SHA-256 hash of each file by path. If the file cannot be read, a text with the reason instead. */
export type FileHashes = Readonly<Record<string, string>>;

export interface ProgramFiles {
  /** The executable, then the scripts that it runs. */
  readonly program: FileHashes;
  /** Lock files, which contain the version and hash of every package. */
  readonly packages: FileHashes;
}

export interface LaunchedProgram {
  /** An absolute path. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** The working directory. */
  readonly cwd: string;
  /** The home folder that the program sees. Launchers store downloaded packages in it. */
  readonly home: string;
}

export async function hashProgramFiles(launch: LaunchedProgram): Promise<ProgramFiles> {
  const programPaths = [launch.program, ...findScripts(launch)];
  return { program: await hashFiles(programPaths), packages: await hashFiles(findLockFiles(launch)) };
}

export function areSameFiles(a: FileHashes, b: FileHashes): boolean {
  return findChangedPaths(a, b).length === 0;
}

/** Returns one line for each new, missing or changed file, for the user. */
export function listFileChanges(before: ProgramFiles, after: ProgramFiles): readonly string[] {
  const groups = [
    ["program", before.program, after.program] as const,
    ["packages", before.packages, after.packages] as const,
  ];
  return groups.flatMap(([group, oldHashes, newHashes]) =>
    findChangedPaths(oldHashes, newHashes).map((path) => {
      const change = newHashes[path] === undefined ? "removed" : oldHashes[path] === undefined ? "new" : "changed";
      return `${group} ${change}: ${path}`;
    }),
  );
}

function findChangedPaths(a: FileHashes, b: FileHashes): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((path) => a[path] !== b[path]);
}

async function hashFiles(paths: readonly string[]): Promise<FileHashes> {
  const pairs = await Promise.all(paths.map(async (path) => [path, await hashFile(path)] as const));
  return Object.fromEntries(pairs);
}

/** Hashes by device, inode, size and times, so that a large executable is read only once. */
const hashCache = new Map<string, string>();
const MAX_FILE_BYTES = 512 * 1024 * 1024;

/** Takes the place of a hash. Trust records contain it, so it must not change. */
export const NOT_A_FILE = "not read: it is no file";

async function hashFile(path: string): Promise<string> {
  try {
    // O_NONBLOCK: opening a named pipe must not block.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat({ bigint: true });
      const { dev, ino, size, mtimeNs, ctimeNs } = stats;
      if (!stats.isFile()) return NOT_A_FILE;
      if (size > MAX_FILE_BYTES) return `not read: it is larger than ${MAX_FILE_BYTES >> 20} MB`;
      const cacheKey = [dev, ino, size, mtimeNs, ctimeNs].join(" ");
      const hash = hashCache.get(cacheKey) ?? (await hashStream(file.createReadStream({ autoClose: false })));
      hashCache.set(cacheKey, hash);
      return hash;
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return `not read: ${code}`;
  }
}

async function hashStream(stream: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest("hex");
}

/** Programs that run a script given as an argument. */
const INTERPRETER = /^(?:node|nodejs|bun|deno|tsx|ts-node|python|pypy|ruby|perl|php|java|bash|sh|zsh)[\d.]*$/;
/** Options followed by code or a module name instead of a script path. */
const INLINE_CODE_OPTION = /^(?:-e|-p|-c|-m|--eval|--print|--command)$/;
/** Options that load a file before the script. */
const PRELOAD_OPTION = /^(?:-r|--require|--import|--loader|--experimental-loader)(?:=|$)/;

/** Finds the scripts in the arguments of an interpreter. Empty if it runs inline code or a module by name. */
function findScripts({ program, arguments: args, cwd }: LaunchedProgram): readonly string[] {
  if (!INTERPRETER.test(basename(program))) return [];
  const scripts: string[] = [];
  for (const [index, arg] of args.entries()) {
    if (INLINE_CODE_OPTION.test(arg)) break;
    const isPreloaded = PRELOAD_OPTION.test(arg) || PRELOAD_OPTION.test(args[index - 1] ?? "");
    const path = resolve(cwd, isPreloaded ? arg.replace(/^-[^=]*=/, "") : arg);
    if ((arg.startsWith("-") && !isPreloaded) || !isFile(path)) continue;
    scripts.push(path);
    if (!isPreloaded) break;
  }
  return scripts;
}

/** Programs that download and run a package. They may reach the hosts of the user's own package configuration. */
const LAUNCHER = /^(?:npx|bunx|pnpx|uvx|pipx|npm|pnpm|yarn|uv)$/;

export function isLauncher(program: string): boolean {
  return LAUNCHER.test(basename(program));
}

function findLockFiles(launch: LaunchedProgram): readonly string[] {
  if (basename(launch.program) === "npx") return findNpxLockFiles(launch);
  const scripts = findScripts(launch);
  const startPaths = scripts.length > 0 || !isScript(launch.program) ? scripts : [launch.program];
  return [...new Set(startPaths.flatMap((path) => findLockFileAbove(path) ?? []))];
}

const LOCK_FILES = ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"];
const PYTHON_LOCK_FILES = ["uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock"];
const MAX_PARENT_FOLDERS = 32;

/** Finds the nearest lock file above the script. Without one, the nearest package manifest, which contains the version. */
function findLockFileAbove(script: string): string | null {
  const folders = listParentFolders(resolveIfExistsSync(script));
  const findNearest = (names: readonly string[]): string | undefined =>
    folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isFile);
  const lockFileNames = [...LOCK_FILES, "node_modules/.package-lock.json", ...PYTHON_LOCK_FILES];
  return findNearest(lockFileNames) ?? findNearest(["package.json", "pyproject.toml"]) ?? null;
}

/** Finds the package folder of a script. Returns the script's own folder if there is no package, or if the folder contains the home. */
export function findPackageFolder(script: string, userHome: string): string {
  const realPath = resolveIfExistsSync(script);
  const lockFile = findLockFileAbove(realPath);
  const folder = lockFile === null ? dirname(realPath) : dirname(lockFile).replace(/\/node_modules$/, "");
  return isInside(folder, userHome) || folder === "/" ? dirname(realPath) : folder;
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function listParentFolders(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folders.length < MAX_PARENT_FOLDERS; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === dirname(folder)) break;
  }
  return folders;
}

/** Finds the lock files in npx's cache, whose `package.json` names the requested packages. There are none before the first start. */
function findNpxLockFiles({ arguments: args, cwd, home }: LaunchedProgram): readonly string[] {
  const cache = join(home, ".npm/_npx");
  const requestedPackages = parseNpxPackages(args);
  const hasRequestedPackage = (folder: string): boolean => {
    const { _npx: npxInfo } = readJsonObject(join(folder, "package.json"));
    const packages = isObject(npxInfo) && Array.isArray(npxInfo.packages) ? npxInfo.packages.map(String) : [];
    return packages.some((name) =>
      requestedPackages.some((requested) => name === requested || name === resolve(cwd, requested)),
    );
  };
  const folders = listNames(cache).map((name) => join(cache, name));
  return folders.filter(hasRequestedPackage).map((folder) => join(folder, "package-lock.json"));
}

function parseNpxPackages(args: readonly string[]): readonly string[] {
  const namedPackages = args.flatMap((arg, index) => {
    if (/^(?:-p|--package)$/.test(args[index - 1] ?? "")) return [arg];
    return arg.startsWith("--package=") ? [arg.slice("--package=".length)] : [];
  });
  const firstArgument = args.find((arg) => !arg.startsWith("-"));
  return namedPackages.length > 0 ? namedPackages : firstArgument === undefined ? [] : [firstArgument];
}

const MAX_FOLDER_NAMES = 500;
const MAX_JSON_BYTES = 1024 * 1024;

function listNames(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).slice(0, MAX_FOLDER_NAMES) : [];
}

function readJsonObject(path: string): Readonly<Record<string, unknown>> {
  const isReadable = isFile(path) && statSync(path).size <= MAX_JSON_BYTES;
  return isReadable ? (parseJsonObject(readFileSync(path, "utf8")) ?? {}) : {};
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/** Returns the path itself if it does not exist or cannot be accessed. */
export function resolveIfExistsSync(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Whether the file starts with `#!`. */
function isScript(path: string): boolean {
  const firstBytes = Buffer.alloc(2);
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    readSync(file, firstBytes, 0, 2, 0);
    closeSync(file);
  } catch {
    // `hashFile` reports that the file cannot be read.
    return false;
  }
  return firstBytes.toString() === "#!";
}
