/** The built-in search engine: walks and searches files that `.gitignore` does not exclude. It never follows links and skips unreadable files. */

import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Ignore } from "ignore";
import type { SearchOptions } from "../../ports.ts";
import {
  badPatternResult,
  decodePath,
  type GrepResult,
  type GrepTarget,
  joinPathBytes,
  type SearchEngine,
  type SearchedFolder,
} from "./engine.ts";
import { compileLinePattern, searchFile } from "./search-file.ts";

export interface IgnoreRules {
  /** Ends in a slash. */
  readonly folder: string;
  readonly rules: Ignore;
}

/** A hand-written `.gitignore` is never larger. */
const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

/** The rules of all parent folders; `ignored` where they exclude the folder itself. A caller that names such a folder searches it anyway. */
export async function readOuterRules(folder: string): Promise<readonly IgnoreRules[] | "ignored"> {
  const parent = dirname(folder);
  if (parent === folder) return [];
  const outer = await readOuterRules(parent);
  if (outer === "ignored") return outer;
  const allRules = await addFolderRules(parent, outer);
  return isIgnored(`${folder}/`, allRules) ? "ignored" : allRules;
}

/** Adds the rules of a folder in front: the nearest ones decide. */
async function addFolderRules(folder: string, outer: readonly IgnoreRules[]): Promise<readonly IgnoreRules[]> {
  const text = await readIgnoreFile(join(folder, ".gitignore"));
  if (text === null) return outer;
  // Loaded with the first `.gitignore`: most searches use ripgrep and never need it.
  const { parseIgnore } = await import("./parse-ignore.ts");
  const rules = parseIgnore(dropSlowRules(text));
  return [{ folder: folder.endsWith("/") ? folder : `${folder}/`, rules }, ...outer];
}

/** Drops rules with many stars: each star multiplies the time to match a long name, and the file may be hostile. */
function dropSlowRules(text: string): string[] {
  return text.split(/\r?\n/).filter((rule) => !MANY_STARS.test(rule));
}

const MANY_STARS = /(?:\*[^*/]+){4}/;

/** The path is absolute; a folder's path ends in a slash. */
function isIgnored(path: string, allRules: readonly IgnoreRules[]): boolean {
  for (const { folder, rules } of allRules) {
    const { ignored, unignored } = rules.test(path.slice(folder.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}

async function readIgnoreFile(path: string): Promise<string | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= MAX_IGNORE_FILE_BYTES ? await readFile(path, "utf8") : null;
  } catch {
    // Missing in most folders; an unreadable file has no rules.
    return null;
  }
}

interface WalkFolder {
  /** Relative to the root of the walk; empty for the root, else ends in a slash. */
  readonly path: Buffer;
  readonly rules: readonly IgnoreRules[];
}

interface WalkOptions {
  readonly folder: SearchedFolder;
  readonly signal: AbortSignal;
}

/** Yields paths relative to the folder. */
async function* walkFiles(
  folder: SearchedFolder,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<Buffer> {
  const outer = await readOuterRules(folder.realPath);
  const rules = outer === "ignored" ? [] : outer;
  yield* walkFolder({ path: Buffer.alloc(0), rules }, { folder, signal });
}

const SLASH = Buffer.from("/");

async function* walkFolder({ path, rules: outer }: WalkFolder, options: WalkOptions): AsyncGenerator<Buffer> {
  options.signal.throwIfAborted();
  const { openPath, realPath } = options.folder;
  const entries = await readSortedEntries(joinPathBytes(openPath, path));
  const hasRules = entries.some(({ name }) => name.equals(IGNORE_FILE));
  const rules = hasRules ? await addFolderRules(decodePath(joinPathBytes(realPath, path)), outer) : outer;
  for (const entry of entries) {
    const entryPath = Buffer.concat([path, entry.name]);
    const folderPath = Buffer.concat([entryPath, SLASH]);
    const realEntryPath = decodePath(joinPathBytes(realPath, entry.isDirectory() ? folderPath : entryPath));
    if (entry.name.equals(GIT_FOLDER) || isIgnored(realEntryPath, rules)) continue;
    if (entry.isDirectory()) yield* walkFolder({ path: folderPath, rules }, options);
    if (entry.isFile()) yield entryPath;
  }
}

const GIT_FOLDER = Buffer.from(".git");
const IGNORE_FILE = Buffer.from(".gitignore");

async function readSortedEntries(path: Buffer): Promise<Dirent<Buffer>[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true, encoding: "buffer" });
    return entries.sort((one, other) => Buffer.compare(one.name, other.name));
  } catch {
    // Unreadable, or removed since its name was read.
    return [];
  }
}

export const walkEngine: SearchEngine = { listFiles: walkFiles, grep };

async function* grep(target: GrepTarget, options: SearchOptions): AsyncGenerator<GrepResult> {
  const { folder, file, fits, contextLines = 0, redaction } = target;
  const pattern = compileLinePattern(target);
  if (pattern.type === "invalid") return yield badPatternResult(pattern.why);
  if (pattern.type === "unsupported") return yield unsupportedPatternResult(pattern.what);
  for await (const name of file === undefined ? walkFiles(folder, options) : [Buffer.from(file)]) {
    const displayPath = decodePath(name);
    if (fits && !fits(displayPath)) continue;
    const paths = { realPath: joinPathBytes(folder.realPath, name), openPath: joinPathBytes(folder.openPath, name) };
    const isNamed = file !== undefined;
    const hits = await searchFile({ ...paths, displayPath, isNamed }, { ...options, pattern, contextLines, redaction });
    if (hits === null) return yield tooSlowResult(displayPath);
    if (hits.length > 0) yield { type: "file", hits };
  }
}

function unsupportedPatternResult(what: string): GrepResult {
  const advice = "write it differently, set literal, or ask the user to install ripgrep (the command rg)";
  return { type: "refused", message: `the built-in search does not support ${what}; ${advice}` };
}

function tooSlowResult(path: string): GrepResult {
  return {
    type: "refused",
    message: `the search stopped in ${path}: the pattern takes too long to match; simplify it`,
  };
}
