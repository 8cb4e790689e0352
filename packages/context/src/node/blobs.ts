/** Stores a session's blobs, each a file named by its SHA-256 and checked when read whole, and moves large images into blobs. */

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import type { Draft } from "../entry.ts";
import { blobBlock, isBlobHash, withBlocks, withMarkOf } from "../session/blobs.ts";
import {
  blobFolder,
  diskError,
  type Files,
  type OpenFile,
  orNull,
  orUnavailable,
  realFiles,
  sideFolder,
  type Unavailable,
} from "./files.ts";
import { createWhole, startWhole } from "./jsonl/rewrite.ts";

export interface BlobParts {
  readonly files?: Files;
}

export type Keeping = { readonly type: "kept"; readonly hash: string; readonly bytes: number } | Unavailable;

/** On the disk when it returns; what is there already is not written again. */
export async function keepBlob(
  sessionPath: string,
  bytes: Uint8Array,
  { files = realFiles }: BlobParts = {},
): Promise<Keeping> {
  const hash = hashOf(bytes);
  return orUnavailable(`the blob ${hash} cannot be kept`, () => {
    const path = blobPath(sessionPath, hash);
    files.makeFolder(dirname(path));
    const there = hashOfFile(path, files);
    if (there !== null && there !== hash) files.remove(path);
    if (there !== hash) createWhole(path, bytes, files);
    syncBlobFolders(sessionPath, files);
    return { type: "kept", hash, bytes: bytes.length };
  });
}

export type BlobReading =
  /** `size` is that of the whole blob. */
  | { readonly type: "read"; readonly bytes: Uint8Array; readonly size: number }
  | { readonly type: "none"; readonly why: string }
  /** The content is no longer what it was kept as. */
  | { readonly type: "changed"; readonly why: string }
  | Unavailable;

export interface BlobPage extends BlobParts {
  /** In bytes; the whole blob if not said. Only a whole blob is checked against its hash. */
  readonly range?: { readonly start: number; readonly end: number };
}

export async function readBlob(
  sessionPath: string,
  hash: string,
  { files = realFiles, range }: BlobPage = {},
): Promise<BlobReading> {
  return orUnavailable(`the blob ${hash} cannot be read`, () => blobContent(sessionPath, hash, { files, range }));
}

/** The same at once; throws what the disk says. */
export function blobContent(
  sessionPath: string,
  hash: string,
  { files, range }: { readonly files: Files; readonly range?: BlobPage["range"] | undefined },
): BlobReading {
  if (!isBlobHash(hash))
    return { type: "none", why: "a blob is named by 64 hexadecimal digits; copy its whole handle" };
  const path = blobPath(sessionPath, hash);
  if (files.stat(path)?.kind !== "file") return none(hash, sessionPath);
  return opened(path, files, (file) => {
    const { size } = file.stat();
    if (range) return { type: "read", bytes: slice(file, range.start, Math.min(range.end, size)), size };
    const bytes = slice(file, 0, size);
    return hashOf(bytes) === hash ? { type: "read", bytes, size } : changed(hash, path);
  });
}

export type BlobFinding =
  | { readonly type: "found"; readonly blobs: readonly { readonly hash: string; readonly bytes: number }[] }
  | Unavailable;

/** The blobs of a session whose hash begins with these digits, in the order of their hashes. */
export async function findBlobs(
  sessionPath: string,
  digits: string,
  { files = realFiles }: BlobParts = {},
): Promise<BlobFinding> {
  return orUnavailable<BlobFinding>(`the blobs of ${sessionPath} cannot be listed`, () => {
    const hashes = blobHashes(sessionPath, files).filter((hash) => hash.startsWith(digits));
    const blobs = hashes.sort().map((hash) => ({ hash, bytes: files.stat(blobPath(sessionPath, hash))?.size ?? 0 }));
    return { type: "found", blobs };
  });
}

export type Copying =
  /** Those that are `missing` were not there to be copied. */
  { readonly type: "copied"; readonly missing: readonly string[] } | Unavailable;

/** Gives another session these blobs too: by a second name for the same file where the disk can, else by a copy. */
export async function copyBlobs(
  from: string,
  to: string,
  { hashes, files = realFiles }: BlobParts & { readonly hashes: Iterable<string> },
): Promise<Copying> {
  const wanted = [...new Set(hashes)].filter(isBlobHash);
  if (wanted.length === 0) return { type: "copied", missing: [] };
  return orUnavailable(`the blobs of ${from} cannot be copied`, () => {
    const { there = [], missing = [] } = Object.groupBy(wanted, (hash) =>
      files.stat(blobPath(from, hash))?.kind === "file" ? "there" : "missing",
    );
    if (there.length > 0) files.makeFolder(blobFolder(to));
    for (const hash of there) second(blobPath(from, hash), blobPath(to, hash), files);
    if (there.length > 0) syncBlobFolders(to, files);
    return { type: "copied", missing };
  });
}

/** The hashes of all blobs of a session. */
export function blobHashes(sessionPath: string, files: Files): readonly string[] {
  return files.list(blobFolder(sessionPath)).filter(isBlobHash);
}

/** Where a blob lies; its hash must have been looked at. */
export function blobPath(sessionPath: string, hash: string): string {
  return join(blobFolder(sessionPath), hash);
}

function second(from: string, to: string, files: Files): void {
  try {
    files.link(from, to);
  } catch (error) {
    const code = diskError(error);
    if (code === "EEXIST") return;
    if (!["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP"].includes(code)) throw error;
    copied(from, to, files);
  }
}

function copied(from: string, to: string, files: Files): void {
  opened(from, files, (file) => {
    const { size } = file.stat();
    const copy = startWhole(to, files);
    try {
      for (let at = 0; at < size; at += STEP) copy.add(slice(file, at, Math.min(at + STEP, size)));
      copy.keep();
    } finally {
      copy.drop();
    }
  });
}

/** Waits for all folders above the blobs: they may have been made by somebody who did not, and a blob must not vanish with one. */
export function syncBlobFolders(sessionPath: string, files: Files): void {
  const side = sideFolder(sessionPath);
  for (const folder of [blobFolder(sessionPath), side, dirname(side), dirname(sessionPath)]) files.syncFolder(folder);
}

/** Null where there is no file; a file that cannot be read has no hash that fits. */
function hashOfFile(path: string, files: Files): string | null {
  if (files.stat(path) === null) return null;
  return orNull(() => opened(path, files, (file) => hashOf(slice(file, 0, file.stat().size)))) ?? "";
}

function opened<Found>(path: string, files: Files, look: (file: OpenFile) => Found): Found {
  const file = files.open(path, "read");
  try {
    return look(file);
  } finally {
    file.close();
  }
}

function slice(file: OpenFile, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, end - Math.max(0, start)));
  return bytes.subarray(0, file.read(bytes, Math.max(0, start)));
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function none(hash: string, sessionPath: string): BlobReading {
  return {
    type: "none",
    why: `${sessionPath} has no blob ${hash}; if the session was copied by hand, copy its folder in .pith too`,
  };
}

function changed(hash: string, path: string): BlobReading {
  return {
    type: "changed",
    why: `the blob ${hash} has changed since it was kept; put back ${path} from a backup, or do without it`,
  };
}

const STEP = 1024 * 1024;

export interface SpillParts extends BlobParts {
  /** Images of more bytes than this become blobs. */
  readonly limit?: number;
  /** What an image costs in a context, for the words that stand in its place. As pi counts it, if not said: 1,200, whatever its size. */
  readonly tokens?: (image: { readonly mimeType: string; readonly bytes: number }) => number;
}

export type Spilling<Each> =
  | {
      readonly type: "spilled";
      /** The one that was given, where nothing in it was too big. */
      readonly draft: Each;
      readonly blobs: number;
    }
  | Unavailable;

/** A blob is on the disk before any entry names it. To be called before the draft is appended; nothing is lost if it then is not. */
export async function spilled<Each extends Draft>(
  draft: Each,
  sessionPath: string,
  { limit = SPILL_LIMIT, tokens = () => IMAGE_TOKENS, ...parts }: SpillParts = {},
): Promise<Spilling<Each>> {
  const blocks = new Map<unknown, unknown>();
  for (const image of bigImages(draft, limit)) {
    const kept = await keepBlob(sessionPath, image.content, parts);
    if (kept.type !== "kept") return kept;
    const { mimeType } = image;
    const block = blobBlock({ ...kept, mimeType, tokens: tokens({ mimeType, bytes: kept.bytes }) });
    blocks.set(image.block, withMarkOf(image.block, block));
  }
  return {
    type: "spilled",
    draft: withBlocks(draft, (block) => blocks.get(block) ?? block),
    blobs: blocks.size,
  };
}

interface BigImage {
  readonly block: unknown;
  readonly mimeType: string;
  readonly content: Uint8Array;
}

function bigImages(draft: Draft, limit: number): readonly BigImage[] {
  const found: BigImage[] = [];
  withBlocks(draft, (block) => {
    const image = imageIn(block, limit);
    if (image) found.push(image);
    return block;
  });
  return found;
}

function imageIn(block: unknown, limit: number): BigImage | null {
  const { type, data, mimeType } = (block ?? {}) as { type?: unknown; data?: unknown; mimeType?: unknown };
  if (type !== "image" || typeof data !== "string" || typeof mimeType !== "string") return null;
  if (data.length * 0.75 <= limit) return null;
  const content = Buffer.from(data, "base64");
  if (content.length <= limit) return null;
  // What would not come back letter by letter stays where it is.
  return content.toString("base64") === data ? { block, mimeType, content } : null;
}

export const SPILL_LIMIT: number = 32 * 1024;
const IMAGE_TOKENS = 1200;
