/** A file, or all files of a folder, of a project that may be hostile: what leads out of it, waits, never ends or is too much is named and left alone. */

import { realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { isInside } from "../../../prompting/is-inside.ts";
import type { UnreadFile } from "./held-file.ts";
import { nameIn } from "./name-in.ts";
import { kindOf, type Named, namesIn, type PathKind } from "./names-in.ts";
import { takeBytes } from "./take-bytes.ts";

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
  if (UNSHOWN.test(basename(path))) return left("has a line end or the like in its name");
  const { real, kind } = reached ?? (await reach(path));
  if (!isInside(gathered.root, real)) return left("leads out of the project");
  if (kind === "file") return await taken(real, gathered);
  if (kind !== "folder") return left("is no regular file");
  if (above.includes(real)) return left("leads back to itself");
  if (above.length >= mostHeld.depth) return left(`lies more than ${mostHeld.depth} folders deep`);
  const names = namesIn(real, mostHeld.names);
  return names === null ? left(`holds more than ${mostHeld.names} names`) : { type: "folder", real, names };
}

const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}]/u;

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
