/** Finds and reads the project files that need trust. It never follows a link out of the project and opens only regular files. */

import { createHash } from "node:crypto";
import { type Dirent, lstatSync, opendirSync, type Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { openNoFollow } from "@pith/agent/node";
import type { HostContext } from "../host-context.ts";

export function hashBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Returns one hash of the names and contents of all files. */
export function hashProject({ files }: Pick<ProjectFiles, "files">): string {
  const lines = files.map(({ name, hash }) => `${hash} ${name}\n`);
  return hashBytes(new TextEncoder().encode(lines.sort().join("")));
}

export type ProjectPaths = Pick<HostContext, "cwd" | "home" | "userHome">;

export async function readProjectFiles(paths: ProjectPaths): Promise<ProjectFiles> {
  const cwd = await resolveIfExists(paths.cwd);
  const folders = await findProjectFolders(cwd, paths.userHome);
  const [root = cwd] = folders;
  const scan = createProjectScan(root);
  const files: ProjectFile[] = [];
  for (const folder of await excludeUserHome(folders, paths.userHome))
    files.push(...(await readFolderFiles(folder, scan, paths)));
  return { root, folders, files, unread: scan.unread };
}

async function readFolderFiles(
  folder: string,
  scan: ProjectScan,
  { home }: ProjectPaths,
): Promise<readonly ProjectFile[]> {
  const pithHome = await resolveIfExists(home);
  const files: ProjectFile[] = [];
  for (const { kind, path } of trustRequiredPaths) {
    // If this folder contains Pith's home, the files in `.pith` belong to the user and need no trust.
    if (path.startsWith(".pith/") && (await resolveIfExists(join(folder, ".pith"))) === pithHome) continue;
    for (const file of await readFilesBelow(join(folder, path), scan))
      files.push({ kind, folder, ...file, name: toRelativeName(scan.root, file.path), hash: hashBytes(file.bytes) });
  }
  return files;
}

/** The user's home is not a project: the files in it belong to the user. */
async function excludeUserHome(folders: readonly string[], userHome: string): Promise<readonly string[]> {
  const realHome = await resolveIfExists(userHome);
  return folders.filter((folder) => folder !== realHome);
}

/** Returns the path itself if it does not exist or cannot be accessed. */
async function resolveIfExists(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}

export function toRelativeName(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

export type PathKind = "file" | "folder" | "link" | "other";

export interface FolderItem {
  readonly name: string;
  readonly kind: PathKind;
}

/** Lists a folder, sorted by name. Null if it has more items: a part of the list would differ from call to call. */
function listFolder(folder: string, maxItems: number): readonly FolderItem[] | null {
  const directory = opendirSync(folder);
  try {
    const items: FolderItem[] = [];
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync())
      if (items.push({ name: entry.name, kind: classifyPath(entry) }) > maxItems) return null;
    return items.sort((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    directory.closeSync();
  }
}

function classifyPath(entry: Dirent | Stats): PathKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}

/** Reads a file by its real path. Null if it is not a regular file (any more) or larger than the limit. */
export async function readBytes(realPath: string, maxBytes: number): Promise<Uint8Array | null> {
  const { file } = await openNoFollow({ realPath });
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > maxBytes) return null;
    // Reads at most the reported size, because a file that keeps growing would never end.
    const buffer = Buffer.alloc(stats.size);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** The state of one scan of a project. The limits apply to the whole scan. */
export interface ProjectScan {
  readonly root: string;
  readonly unread: UnreadFile[];
  filesLeft: number;
  bytesLeft: number;
  /** How many more files, folders and other items may be inspected. */
  pathsLeft: number;
}

export interface FoundFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export const scanLimits: Readonly<Record<"files" | "bytes" | "paths" | "depth" | "folderItems", number>> = {
  files: 1000,
  bytes: 8 * 1024 * 1024,
  paths: 2000,
  depth: 8,
  folderItems: 1000,
};

function createProjectScan(root: string): ProjectScan {
  const { files: maxFiles, bytes: maxBytes, paths: maxPaths } = scanLimits;
  return { root, unread: [], filesLeft: maxFiles, bytesLeft: maxBytes, pathsLeft: maxPaths };
}

/** Returns the file at the path, or all files below it sorted by name. Empty if the path does not exist. */
async function readFilesBelow(path: string, scan: ProjectScan): Promise<readonly FoundFile[]> {
  return await scanPath({ path, resolved: null, parentFolders: [] }, scan);
}

interface ScanPosition {
  readonly path: string;
  /** The real path and its kind. Null if they are not known yet. */
  readonly resolved: ResolvedPath | null;
  /** The real paths of the folders above, from the start of the scan. */
  readonly parentFolders: readonly string[];
}

interface ResolvedPath {
  readonly realPath: string;
  readonly kind: PathKind;
}

async function scanPath(position: ScanPosition, scan: ProjectScan): Promise<readonly FoundFile[]> {
  const { path, parentFolders } = position;
  scan.pathsLeft -= 1;
  // Nested folders could contain too many paths to scan. Only the first path over the limit is reported.
  if (scan.pathsLeft < -1) return [];
  const result = scan.pathsLeft < 0 ? TOO_MANY_PATHS : await inspectPath(position, scan).catch(toInspectError);
  if (result.type === "file") return [{ path, bytes: result.bytes }];
  if (result.type === "skipped") scan.unread.push({ name: toRelativeName(scan.root, path), why: result.reason });
  if (result.type !== "folder") return [];
  const files: FoundFile[] = [];
  for (const { name, kind } of result.items) {
    const resolved = kind === "link" ? null : { realPath: join(result.realPath, name), kind };
    files.push(
      ...(await scanPath(
        { path: join(path, name), resolved, parentFolders: [...parentFolders, result.realPath] },
        scan,
      )),
    );
  }
  return files;
}

type InspectResult =
  | { readonly type: "file"; readonly bytes: Uint8Array }
  | { readonly type: "folder"; readonly realPath: string; readonly items: readonly FolderItem[] }
  | { readonly type: "skipped"; readonly reason: string }
  | { readonly type: "none" };

const TOO_MANY_PATHS: InspectResult = createSkipped(`exceeds the limit of ${scanLimits.paths} files and folders`);

async function inspectPath({ path, resolved, parentFolders }: ScanPosition, scan: ProjectScan): Promise<InspectResult> {
  // The name is shown to the user and the model on a line of its own.
  if (createControlCharPattern().test(basename(path)))
    return createSkipped("has a control character or line break in its name");
  const { realPath, kind } = resolved ?? (await resolvePath(path));
  if (!isInside(scan.root, realPath)) return createSkipped(OUTSIDE_PROJECT);
  if (kind === "file") return await readWithinLimits(realPath, scan);
  if (kind !== "folder") return createSkipped("is not a regular file");
  if (parentFolders.includes(realPath)) return createSkipped("links to one of its parent folders");
  if (parentFolders.length >= scanLimits.depth) return createSkipped(`is more than ${scanLimits.depth} folders deep`);
  const items = listFolder(realPath, scanLimits.folderItems);
  return items === null
    ? createSkipped(`contains more than ${scanLimits.folderItems} items`)
    : { type: "folder", realPath, items };
}

/** The end of a sentence that starts with a path. */
export const OUTSIDE_PROJECT = "resolves to a path outside the project";

const createControlCharPattern = (): RegExp => /[\p{Cc}\p{Zl}\p{Zp}]/u;

async function resolvePath(path: string): Promise<ResolvedPath> {
  const realPath = await realpath(path);
  return { realPath, kind: classifyPath(lstatSync(realPath)) };
}

/** Opens the real path without following links, so that a file that was replaced by a link after the check is not read. */
async function readWithinLimits(realPath: string, scan: ProjectScan): Promise<InspectResult> {
  if (scan.filesLeft === 0) return createSkipped(`exceeds the limit of ${scanLimits.files} files`);
  const bytes = await readBytes(realPath, scan.bytesLeft);
  if (bytes === null) return createSkipped("exceeds the size limit for project files");
  scan.filesLeft -= 1;
  scan.bytesLeft -= bytes.length;
  return { type: "file", bytes };
}

function toInspectError(error: NodeJS.ErrnoException): InspectResult {
  const { code = "unknown error" } = error;
  if (code === "ENOENT" || code === "ENOTDIR") return { type: "none" };
  return createSkipped(code === "EMOVED" ? "was replaced while it was being read" : `cannot be read: ${code}`);
}

function createSkipped(reason: string): InspectResult {
  return { type: "skipped", reason };
}

/** A file that is read only once, so that Pith uses exactly the bytes that the user trusted. */
export interface ProjectFile {
  readonly kind: ProjectFileKind;
  /** The project folder that the file applies to: the parent of `.pith`, `.agents` or `.mcp.json`. */
  readonly folder: string;
  readonly path: string;
  /** The path relative to the project's root, with slashes: `.pith/settings.json`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  readonly hash: string;
}

/** A file that is never used, even if the folder is trusted. */
export interface UnreadFile {
  readonly name: string;
  /** Completes a sentence that starts with the name: `is not a regular file`. */
  readonly why: string;
}

export interface ProjectFiles {
  /** The real path of the project's root. */
  readonly root: string;
  /** The folders from the root down to the working directory. */
  readonly folders: readonly string[];
  /** Sorted by folder, from the root to the working directory. */
  readonly files: readonly ProjectFile[];
  readonly unread: readonly UnreadFile[];
}

export type ProjectFileKind = "settings" | "skills" | "prompts" | "agents" | "extensions" | "servers";

export interface TrustRequiredPath {
  readonly kind: ProjectFileKind;
  /** The path relative to a project folder. A folder includes every file in it. */
  readonly path: string;
  /** What such files are, as a heading for the user. */
  readonly title: string;
}

/** The complete list of project files that change what Pith does. AGENTS.md and CLAUDE.md are only text for the model and grant nothing. */
export const trustRequiredPaths: readonly TrustRequiredPath[] = [
  { kind: "settings", path: ".pith/settings.json", title: "Settings for Pith in this folder" },
  { kind: "skills", path: ".pith/skills", title: "Skills (instructions for the model)" },
  { kind: "skills", path: ".agents/skills", title: "Skills (instructions for the model)" },
  { kind: "prompts", path: ".pith/prompts", title: "Prompt templates (sent to the model when you type their name)" },
  { kind: "agents", path: ".pith/agents", title: "Agents (run as sub-agents)" },
  { kind: "extensions", path: ".pith/extensions", title: "Extensions (programs that Pith runs)" },
  { kind: "servers", path: ".pith/mcp.json", title: "MCP servers (programs that provide tools)" },
  { kind: "servers", path: ".mcp.json", title: "MCP servers (programs that provide tools)" },
];

/** Lists the folders from the repository's root down to `cwd`. Outside a repository, only `cwd`. */
export async function findProjectFolders(cwd: string, userHome: string): Promise<readonly string[]> {
  const folders = await findOwnedFolders(cwd, userHome);
  const hasGitFolder = await Promise.all(folders.map((folder) => pathExists(join(folder, ".git"))));
  return folders.slice(0, Math.max(0, hasGitFolder.indexOf(true)) + 1).reverse();
}

/**
 * Lists the folder and the folders above it that have the same owner. Other users could have put files into the folders above those.
 * The user's home and the folders above it are never part of a project, even if the home is a repository: a link in the project could
 * then lead to any file of the user.
 */
async function findOwnedFolders(cwd: string, userHome: string): Promise<readonly string[]> {
  const uid = await readOwner(cwd);
  // A home that does not exist contains no files.
  const home = await realpath(userHome).catch(() => userHome);
  const folders = [cwd];
  for (let parent = dirname(cwd); parent !== folders.at(-1); parent = dirname(parent)) {
    const hasOtherOwner = uid === null || (await readOwner(parent)) !== uid;
    if (hasOtherOwner || !relative(parent, home).startsWith("..")) break;
    folders.push(parent);
  }
  return folders;
}

async function pathExists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false, // An inaccessible path is treated like a missing one.
  );
}

/** Compares whole path segments. Both paths must be absolute. */
export function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** Null if the path does not exist or cannot be accessed. */
async function readOwner(path: string): Promise<number | null> {
  return await stat(path).then(
    ({ uid }) => uid,
    () => null,
  );
}
