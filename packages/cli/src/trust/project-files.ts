/** Collects the project files that Pith acts on. No link is followed out of the project; only regular files are opened. */

import { createHash } from "node:crypto";
import { type Dirent, lstatSync, opendirSync, type Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { openNoFollow } from "@pith/agent/node";

export function hashBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export interface ProjectPaths {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** What `~` stands for. */
  readonly userHome: string;
}

export async function readProjectFiles(paths: ProjectPaths): Promise<ProjectFiles> {
  const cwd = await resolveRealPath(paths.cwd);
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
  const pithHome = await resolveRealPath(home);
  const files: ProjectFile[] = [];
  for (const { kind, path } of trustRequiredPaths) {
    // Where one works in the home of Pith or beside it, what lies there is the user's own.
    if (path.startsWith(".pith/") && (await resolveRealPath(join(folder, ".pith"))) === pithHome) continue;
    for (const file of await readFilesBelow(join(folder, path), scan))
      files.push({ kind, folder, ...file, name: toRelativeName(scan.root, file.path), hash: hashBytes(file.bytes) });
  }
  return files;
}

/** A home is no project: what lies in it is the user's own. */
async function excludeUserHome(folders: readonly string[], userHome: string): Promise<readonly string[]> {
  const realHome = await resolveRealPath(userHome);
  return folders.filter((folder) => folder !== realHome);
}

/** Where nothing is, or it is closed to us, the path itself. */
async function resolveRealPath(path: string): Promise<string> {
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

/** Sorted; null for more than these. A part of them would be another one each time. */
export function listFolder(folder: string, maxItems: number): readonly FolderItem[] | null {
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

export function getPathKind(path: string): PathKind {
  return classifyPath(lstatSync(path));
}

function classifyPath(entry: Dirent | Stats): PathKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}

/** `real` is where it lies, links followed. Null where it is something else by now, or longer. */
export async function readBytes(realPath: string, maxBytes: number): Promise<Uint8Array | null> {
  const { file } = await openNoFollow({ realPath });
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > maxBytes) return null;
    // No more than it said: a file that grows meanwhile would never end.
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

/** One reading of a project: the bounds hold for all of it. */
export interface ProjectScan {
  readonly root: string;
  readonly unread: UnreadFile[];
  filesLeft: number;
  bytesLeft: number;
  /** Files, folders and whatever else has a name. */
  pathsLeft: number;
}

export interface FoundFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export const scanLimits: Readonly<Record<"files" | "bytes" | "looks" | "depth" | "names", number>> = {
  files: 1000,
  bytes: 8 * 1024 * 1024,
  looks: 2000,
  depth: 8,
  names: 1000,
};

export function createProjectScan(root: string): ProjectScan {
  const { files: maxFiles, bytes: maxBytes, looks: maxPaths } = scanLimits;
  return { root, unread: [], filesLeft: maxFiles, bytesLeft: maxBytes, pathsLeft: maxPaths };
}

/** In the order of their names; nothing where nothing is. */
export async function readFilesBelow(path: string, scan: ProjectScan): Promise<readonly FoundFile[]> {
  return await scanPath({ path, resolved: null, parentFolders: [] }, scan);
}

interface ScanPosition {
  readonly path: string;
  /** What is known already: where it lies, links followed, and what it is. */
  readonly resolved: ResolvedPath | null;
  /** The real folders that led here. */
  readonly parentFolders: readonly string[];
}

interface ResolvedPath {
  readonly realPath: string;
  readonly kind: PathKind;
}

async function scanPath(position: ScanPosition, scan: ProjectScan): Promise<readonly FoundFile[]> {
  const { path, parentFolders } = position;
  scan.pathsLeft -= 1;
  // Folders in folders could be more than anybody would wait for; the first that is too much is named.
  if (scan.pathsLeft < -1) return [];
  const result = scan.pathsLeft < 0 ? TOO_MANY_PATHS : await inspectPath(position, scan).catch(toInspectError);
  if (result.type === "file") return [{ path, bytes: result.bytes }];
  if (result.type === "left") scan.unread.push({ name: toRelativeName(scan.root, path), why: result.reason });
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
  | { readonly type: "left"; readonly reason: string }
  | { readonly type: "none" };

const TOO_MANY_PATHS: InspectResult = createSkipped(`is one of more than ${scanLimits.looks} names`);

async function inspectPath({ path, resolved, parentFolders }: ScanPosition, scan: ProjectScan): Promise<InspectResult> {
  // It is told to people and to models, in lines of ours.
  if (createControlCharPattern().test(basename(path))) return createSkipped("has a line end or the like in its name");
  const { realPath, kind } = resolved ?? (await resolvePath(path));
  if (!isInside(scan.root, realPath)) return createSkipped("leads out of the project");
  if (kind === "file") return await readWithinLimits(realPath, scan);
  if (kind !== "folder") return createSkipped("is no regular file");
  if (parentFolders.includes(realPath)) return createSkipped("leads back to itself");
  if (parentFolders.length >= scanLimits.depth) return createSkipped(`lies more than ${scanLimits.depth} folders deep`);
  const items = listFolder(realPath, scanLimits.names);
  return items === null
    ? createSkipped(`holds more than ${scanLimits.names} names`)
    : { type: "folder", realPath, items };
}

const createControlCharPattern = (): RegExp => /[\p{Cc}\p{Zl}\p{Zp}]/u;

async function resolvePath(path: string): Promise<ResolvedPath> {
  const realPath = await realpath(path);
  return { realPath, kind: getPathKind(realPath) };
}

/** Whatever was exchanged since it was looked at is not what is opened. */
async function readWithinLimits(realPath: string, scan: ProjectScan): Promise<InspectResult> {
  if (scan.filesLeft === 0) return createSkipped(`is one of more than ${scanLimits.files} files`);
  const bytes = await readBytes(realPath, scan.bytesLeft);
  if (bytes === null) return createSkipped("is larger than what is read of a project");
  scan.filesLeft -= 1;
  scan.bytesLeft -= bytes.length;
  return { type: "file", bytes };
}

function toInspectError(error: NodeJS.ErrnoException): InspectResult {
  const { code = "for an unknown reason" } = error;
  if (code === "ENOENT" || code === "ENOTDIR") return { type: "none" };
  return createSkipped(code === "EMOVED" ? "leads elsewhere by now" : `cannot be read: ${code}`);
}

function createSkipped(reason: string): InspectResult {
  return { type: "left", reason };
}

/** Read once, so that the bytes that were trusted are the bytes that are used. */
export interface ProjectFile {
  readonly kind: ProjectFileKind;
  /** The folder of the project in which it counts: the parent of `.pith`, `.agents` or `.mcp.json`. */
  readonly folder: string;
  readonly path: string;
  /** From the project's root, with slashes: `.pith/settings.json`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  readonly hash: string;
}

/** Never used, trusted or not. */
export interface UnreadFile {
  readonly name: string;
  /** As the end of a sentence that begins with the name: `leads out of the project`. */
  readonly why: string;
}

export interface ProjectFiles {
  /** Links followed. */
  readonly root: string;
  /** From the root down to where one works. */
  readonly folders: readonly string[];
  /** Those of the root first, those of the nearest folder last. */
  readonly files: readonly ProjectFile[];
  readonly unread: readonly UnreadFile[];
}

export type ProjectFileKind = "settings" | "skills" | "prompts" | "agents" | "extensions" | "servers";

export interface TrustRequiredPath {
  readonly kind: ProjectFileKind;
  /** In a folder of the project; a folder counts with all that lies in it. */
  readonly path: string;
  /** What such files can do, for people. */
  readonly description: string;
}

/** The only list of what a folder can make Pith do. AGENTS.md and CLAUDE.md are text, and grant nothing. */
export const trustRequiredPaths: readonly TrustRequiredPath[] = [
  { kind: "settings", path: ".pith/settings.json", description: "choose how Pith works here" },
  { kind: "skills", path: ".pith/skills", description: "tell the model how to work" },
  { kind: "skills", path: ".agents/skills", description: "tell the model how to work" },
  { kind: "prompts", path: ".pith/prompts", description: "are said to the model when you type their name" },
  { kind: "agents", path: ".pith/agents", description: "work on their own" },
  { kind: "extensions", path: ".pith/extensions", description: "are programs" },
  { kind: "servers", path: ".pith/mcp.json", description: "name programs that bring tools" },
  { kind: "servers", path: ".mcp.json", description: "name programs that bring tools" },
];

/** The outermost first. Without a repository there is only the folder itself. */
export async function findProjectFolders(cwd: string, userHome: string): Promise<readonly string[]> {
  const folders = await findOwnedFolders(cwd, userHome);
  const hasGitFolder = await Promise.all(folders.map((folder) => pathExists(join(folder, ".git"))));
  return folders.slice(0, Math.max(0, hasGitFolder.indexOf(true)) + 1).reverse();
}

/**
 * The folder and those above it, as far as they belong to the same person: above, anybody could have put a text.
 * A home is no project, even where it is a repository: everything lies in it, and a link might lead to any of it.
 */
async function findOwnedFolders(cwd: string, userHome: string): Promise<readonly string[]> {
  const uid = await readOwner(cwd);
  // Where there is no such folder, nothing lies in it.
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
    () => false, // Not there, or closed to us, which is the same here.
  );
}

/** Compared name by name; both paths are absolute. */
export function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** Null where it is gone, or closed to us. */
export async function readOwner(path: string): Promise<number | null> {
  return await stat(path).then(
    ({ uid }) => uid,
    () => null,
  );
}
