/** Names and hashes the files that a stdio server runs: the executable, the script it starts and the lock file of its packages. */

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
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { isObject, objectIn } from "../text/jsonc.ts";

/** A sha256 by the path of each file; or a sentence in its place, where the file cannot be read. */
export type FileHashes = Readonly<Record<string, string>>;

export interface ProgramFiles {
  /** The executable, then the script that it starts. */
  readonly program: FileHashes;
  /** Lock files: they name every package with its version and its hash. */
  readonly packages: FileHashes;
}

export interface Started {
  /** Absolute. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** The folder in which it starts. */
  readonly cwd: string;
  /** The home that the program sees, where launchers keep the packages they fetch. */
  readonly home: string;
}

export async function hashProgramFiles(started: Started): Promise<ProgramFiles> {
  const program = [started.program, ...scriptsOf(started)];
  return { program: await hashFiles(program), packages: await hashFiles(lockFilesOf(started)) };
}

export function areSameFiles(one: FileHashes, other: FileHashes): boolean {
  return changedPaths(one, other).length === 0;
}

/** A line for each file that is new, gone or changed; for people. */
export function listFileChanges(before: ProgramFiles, now: ProgramFiles): readonly string[] {
  const groups = [
    ["program", before.program, now.program] as const,
    ["packages", before.packages, now.packages] as const,
  ];
  return groups.flatMap(([group, had, has]) =>
    changedPaths(had, has).map((path) => {
      const how = has[path] === undefined ? "gone" : had[path] === undefined ? "new" : "changed";
      return `${group} ${how}: ${path}`;
    }),
  );
}

function changedPaths(one: FileHashes, other: FileHashes): readonly string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((path) => one[path] !== other[path]);
}

async function hashFiles(paths: readonly string[]): Promise<FileHashes> {
  const pairs = await Promise.all(paths.map(async (path) => [path, await hashFile(path)] as const));
  return Object.fromEntries(pairs);
}

/** By what tells one state of a file from another: an executable of a hundred megabytes is read once. */
const known = new Map<string, string>();
const MOST_BYTES = 512 * 1024 * 1024;

async function hashFile(path: string): Promise<string> {
  try {
    // A pipe in its place is not waited for.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const entry = await file.stat({ bigint: true });
      const { dev, ino, size, mtimeNs, ctimeNs } = entry;
      if (!entry.isFile()) return "not read: it is no file";
      if (size > MOST_BYTES) return `not read: it is larger than ${MOST_BYTES >> 20} MB`;
      const state = [dev, ino, size, mtimeNs, ctimeNs].join(" ");
      const hash = known.get(state) ?? (await hashStream(file.createReadStream({ autoClose: false })));
      known.set(state, hash);
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

/** Programs that run a script named by an argument. */
const INTERPRETER = /^(?:node|nodejs|bun|deno|tsx|ts-node|python|pypy|ruby|perl|php|java|bash|sh|zsh)[\d.]*$/;
/** Options whose next word is code, or a module that is found by its name. */
const RUNS_NO_FILE = /^(?:-e|-p|-c|-m|--eval|--print|--command)$/;
/** Options that load a file before the script. */
const LOADS_FILE = /^(?:-r|--require|--import|--loader|--experimental-loader)(?:=|$)/;

/** The scripts among the arguments of an interpreter; none where it runs a module by its name. */
function scriptsOf({ program, arguments: words, cwd }: Started): readonly string[] {
  if (!INTERPRETER.test(basename(program))) return [];
  const scripts: string[] = [];
  for (const [at, word] of words.entries()) {
    if (RUNS_NO_FILE.test(word)) break;
    const isLoaded = LOADS_FILE.test(word) || LOADS_FILE.test(words[at - 1] ?? "");
    const path = resolve(cwd, isLoaded ? word.replace(/^-[^=]*=/, "") : word);
    if ((word.startsWith("-") && !isLoaded) || !isFile(path)) continue;
    scripts.push(path);
    if (!isLoaded) break;
  }
  return scripts;
}

/** Programs that fetch a package and run it. They may reach the hosts of the user's own package configuration. */
const LAUNCHER = /^(?:npx|bunx|pnpx|uvx|pipx|npm|pnpm|yarn|uv)$/;

export function isLauncher(program: string): boolean {
  return LAUNCHER.test(basename(program));
}

function lockFilesOf(started: Started): readonly string[] {
  if (basename(started.program) === "npx") return npxLockFiles(started);
  const scripts = scriptsOf(started);
  const begin = scripts.length > 0 || !isScript(started.program) ? scripts : [started.program];
  return [...new Set(begin.flatMap((path) => lockFileAbove(path) ?? []))];
}

const LOCK_FILES = ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"];
const PYTHON_LOCK_FILES = ["uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock"];
const MOST_FOLDERS = 32;

/** The nearest above the script; without one, the nearest file that says which version of the package this is. */
export function lockFileAbove(script: string): string | null {
  const folders = foldersAbove(realPathOf(script));
  const nearest = (names: readonly string[]): string | undefined =>
    folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isFile);
  const locks = [...LOCK_FILES, "node_modules/.package-lock.json", ...PYTHON_LOCK_FILES];
  return nearest(locks) ?? nearest(["package.json", "pyproject.toml"]) ?? null;
}

/** The folder of the package that a script belongs to, with all that it may load; the script's own folder where there is none. */
export function packageFolder(script: string): string {
  const real = realPathOf(script);
  const lock = lockFileAbove(real);
  const folder = lock === null ? dirname(real) : dirname(lock).replace(/\/node_modules$/, "");
  return isInside(folder, homedir()) || folder === "/" ? dirname(real) : folder;
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folders.length < MOST_FOLDERS; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === dirname(folder)) break;
  }
  return folders;
}

/** Npx keeps what it fetched in a folder of its cache, with a file that says for which packages. There is none before the first start. */
function npxLockFiles({ arguments: words, cwd, home }: Started): readonly string[] {
  const cache = join(home, ".npm/_npx");
  const wanted = npxPackages(words);
  const isWanted = (folder: string): boolean => {
    const { _npx: made } = readObject(join(folder, "package.json"));
    const packages = isObject(made) && Array.isArray(made.packages) ? made.packages.map(String) : [];
    return packages.some((name) => wanted.some((each) => name === each || name === resolve(cwd, each)));
  };
  const folders = namesIn(cache).map((name) => join(cache, name));
  return folders.filter(isWanted).map((folder) => join(folder, "package-lock.json"));
}

function npxPackages(words: readonly string[]): readonly string[] {
  const named = words.flatMap((word, at) => {
    if (/^(?:-p|--package)$/.test(words[at - 1] ?? "")) return [word];
    return word.startsWith("--package=") ? [word.slice("--package=".length)] : [];
  });
  const first = words.find((word) => !word.startsWith("-"));
  return named.length > 0 ? named : first === undefined ? [] : [first];
}

const MOST_NAMES = 500;
const MOST_JSON = 1024 * 1024;

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).slice(0, MOST_NAMES) : [];
}

function readObject(path: string): Readonly<Record<string, unknown>> {
  const isRead = isFile(path) && statSync(path).size <= MOST_JSON;
  return isRead ? (objectIn(readFileSync(path, "utf8")) ?? {}) : {};
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** Whether it is a text that another program runs. */
function isScript(path: string): boolean {
  const first = Buffer.alloc(2);
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    readSync(file, first, 0, 2, 0);
    closeSync(file);
  } catch {
    // That it cannot be read is said where it is hashed.
    return false;
  }
  return first.toString() === "#!";
}
