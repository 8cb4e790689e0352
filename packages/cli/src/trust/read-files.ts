/** Lists the project files Pith acts on and reads them within limits. Links out of the project and special files are never opened. */

import { type Dirent, lstatSync, opendirSync, type Stats } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { openNoFollow } from "@pith/agent/node";
import { isInside } from "./project-folders.ts";

export function nameIn(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

export type PathKind = "file" | "folder" | "link" | "other";

export interface Named {
  readonly name: string;
  readonly kind: PathKind;
}

/** Sorted; null for more than these. A part of them would be another one each time. */
export function namesIn(folder: string, most: number): readonly Named[] | null {
  const open = opendirSync(folder);
  try {
    const names: Named[] = [];
    for (let next = open.readSync(); next !== null; next = open.readSync())
      if (names.push({ name: next.name, kind: sort(next) }) > most) return null;
    return names.sort((one, other) => (one.name < other.name ? -1 : 1));
  } finally {
    open.closeSync();
  }
}

export function kindOf(path: string): PathKind {
  return sort(lstatSync(path));
}

function sort(seen: Dirent | Stats): PathKind {
  if (seen.isFile()) return "file";
  if (seen.isDirectory()) return "folder";
  return seen.isSymbolicLink() ? "link" : "other";
}

/** `real` is where it lies, links followed. Null where it is something else by now, or longer. */
export async function takeBytes(real: string, mostBytes: number): Promise<Uint8Array | null> {
  const { file } = await openNoFollow({ realPath: real });
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > mostBytes) return null;
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
export interface Gathering {
  readonly root: string;
  readonly unread: UnreadFile[];
  filesLeft: number;
  bytesLeft: number;
  /** Files, folders and whatever else has a name. */
  looksLeft: number;
}

export interface FoundFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export const mostHeld: Readonly<Record<"files" | "bytes" | "looks" | "depth" | "names", number>> = {
  files: 1000,
  bytes: 8 * 1024 * 1024,
  looks: 2000,
  depth: 8,
  names: 1000,
};

export function gathering(root: string): Gathering {
  const { files, bytes, looks } = mostHeld;
  return { root, unread: [], filesLeft: files, bytesLeft: bytes, looksLeft: looks };
}

/** In the order of their names; nothing where nothing is. */
export async function filesBelow(path: string, gathered: Gathering): Promise<readonly FoundFile[]> {
  return await filesAt({ path, reached: null, above: [] }, gathered);
}

interface Spot {
  readonly path: string;
  /** What is known already: where it lies, links followed, and what it is. */
  readonly reached: Reached | null;
  /** The real folders that led here. */
  readonly above: readonly string[];
}

interface Reached {
  readonly real: string;
  readonly kind: PathKind;
}

async function filesAt(spot: Spot, gathered: Gathering): Promise<readonly FoundFile[]> {
  const { path, above } = spot;
  gathered.looksLeft -= 1;
  // Folders in folders could be more than anybody would wait for; the first that is too much is named.
  if (gathered.looksLeft < -1) return [];
  const seen = gathered.looksLeft < 0 ? TOO_MANY : await look(spot, gathered).catch(refused);
  if (seen.type === "file") return [{ path, bytes: seen.bytes }];
  if (seen.type === "left") gathered.unread.push({ name: nameIn(gathered.root, path), why: seen.why });
  if (seen.type !== "folder") return [];
  const found: FoundFile[] = [];
  for (const { name, kind } of seen.names) {
    const reached = kind === "link" ? null : { real: join(seen.real, name), kind };
    found.push(...(await filesAt({ path: join(path, name), reached, above: [...above, seen.real] }, gathered)));
  }
  return found;
}

type Seen =
  | { readonly type: "file"; readonly bytes: Uint8Array }
  | { readonly type: "folder"; readonly real: string; readonly names: readonly Named[] }
  | { readonly type: "left"; readonly why: string }
  | { readonly type: "none" };

const TOO_MANY: Seen = left(`is one of more than ${mostHeld.looks} names`);

async function look({ path, reached, above }: Spot, gathered: Gathering): Promise<Seen> {
  // It is told to people and to models, in lines of ours.
  if (unshownPattern().test(basename(path))) return left("has a line end or the like in its name");
  const { real, kind } = reached ?? (await reach(path));
  if (!isInside(gathered.root, real)) return left("leads out of the project");
  if (kind === "file") return await taken(real, gathered);
  if (kind !== "folder") return left("is no regular file");
  if (above.includes(real)) return left("leads back to itself");
  if (above.length >= mostHeld.depth) return left(`lies more than ${mostHeld.depth} folders deep`);
  const names = namesIn(real, mostHeld.names);
  return names === null ? left(`holds more than ${mostHeld.names} names`) : { type: "folder", real, names };
}

const unshownPattern = (): RegExp => /[\p{Cc}\p{Zl}\p{Zp}]/u;

async function reach(path: string): Promise<Reached> {
  const real = await realpath(path);
  return { real, kind: kindOf(real) };
}

/** Whatever was exchanged since it was looked at is not what is opened. */
async function taken(real: string, gathered: Gathering): Promise<Seen> {
  if (gathered.filesLeft === 0) return left(`is one of more than ${mostHeld.files} files`);
  const bytes = await takeBytes(real, gathered.bytesLeft);
  if (bytes === null) return left("is larger than what is read of a project");
  gathered.filesLeft -= 1;
  gathered.bytesLeft -= bytes.length;
  return { type: "file", bytes };
}

function refused(error: NodeJS.ErrnoException): Seen {
  const { code = "for an unknown reason" } = error;
  if (code === "ENOENT" || code === "ENOTDIR") return { type: "none" };
  return left(code === "EMOVED" ? "leads elsewhere by now" : `cannot be read: ${code}`);
}

function left(why: string): Seen {
  return { type: "left", why };
}

/** Read once, so that the bytes that were trusted are the bytes that are used. */
export interface HeldFile {
  readonly kind: Kind;
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

export interface Holdings {
  /** Links followed. */
  readonly root: string;
  /** From the root down to where one works. */
  readonly folders: readonly string[];
  /** Those of the root first, those of the nearest folder last. */
  readonly files: readonly HeldFile[];
  readonly unread: readonly UnreadFile[];
}

export type Kind = "settings" | "skills" | "prompts" | "agents" | "extensions" | "servers";

export interface CanRun {
  readonly kind: Kind;
  /** In a folder of the project; a folder counts with all that lies in it. */
  readonly path: string;
  /** What such files can do, for people. */
  readonly says: string;
}

/** The only list of what a folder can make Pith do. AGENTS.md and CLAUDE.md are text, and grant nothing. */
export const whatCanRun: readonly CanRun[] = [
  { kind: "settings", path: ".pith/settings.json", says: "choose how Pith works here" },
  { kind: "skills", path: ".pith/skills", says: "tell the model how to work" },
  { kind: "skills", path: ".agents/skills", says: "tell the model how to work" },
  { kind: "prompts", path: ".pith/prompts", says: "are said to the model when you type their name" },
  { kind: "agents", path: ".pith/agents", says: "work on their own" },
  { kind: "extensions", path: ".pith/extensions", says: "are programs" },
  { kind: "servers", path: ".pith/mcp.json", says: "name programs that bring tools" },
  { kind: "servers", path: ".mcp.json", says: "name programs that bring tools" },
];
