/** Stores a session's blobs, each a file named by its SHA-256 and checked when read whole, and moves large images into blobs. */

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import type { EntryContent } from "../entry.ts";
import { createBlobBlock, isBlobHash, keepAttachmentMark, mapContentBlocks } from "../session/blobs.ts";
import {
  blobFolder,
  catchDiskErrors,
  diskErrorCode,
  type Files,
  ignoreDiskErrors,
  type OpenFile,
  realFiles,
  sidecarFolder,
  type UnavailableResult,
} from "./files.ts";
import { createFileAtomically, startAtomicFile } from "./jsonl/rewrite.ts";

export interface BlobOptions {
  readonly files?: Files;
}

export type KeepBlobResult =
  | { readonly type: "kept"; readonly hash: string; readonly bytes: number }
  | UnavailableResult;

/** On the disk when it returns; what is there already is not written again. */
export async function keepBlob(
  sessionPath: string,
  bytes: Uint8Array,
  { files = realFiles }: BlobOptions = {},
): Promise<KeepBlobResult> {
  const hash = sha256Hex(bytes);
  return catchDiskErrors(`the blob ${hash} cannot be kept`, () => {
    const path = blobPath(sessionPath, hash);
    files.makeFolder(dirname(path));
    const existingHash = hashFile(path, files);
    if (existingHash !== null && existingHash !== hash) files.remove(path);
    if (existingHash !== hash) createFileAtomically(path, bytes, files);
    syncBlobFolders(sessionPath, files);
    return { type: "kept", hash, bytes: bytes.length };
  });
}

export type ReadBlobResult =
  /** `size` is that of the whole blob. */
  | { readonly type: "read"; readonly bytes: Uint8Array; readonly size: number }
  | { readonly type: "none"; readonly why: string }
  /** The content is no longer what it was kept as. */
  | { readonly type: "changed"; readonly why: string }
  | UnavailableResult;

export interface ReadBlobOptions extends BlobOptions {
  /** In bytes; the whole blob if not said. Only a whole blob is checked against its hash. */
  readonly range?: { readonly start: number; readonly end: number };
}

export async function readBlob(
  sessionPath: string,
  hash: string,
  { files = realFiles, range }: ReadBlobOptions = {},
): Promise<ReadBlobResult> {
  return catchDiskErrors(`the blob ${hash} cannot be read`, () => readBlobSync(sessionPath, hash, { files, range }));
}

/** The same at once; throws what the disk says. */
export function readBlobSync(
  sessionPath: string,
  hash: string,
  { files, range }: { readonly files: Files; readonly range?: ReadBlobOptions["range"] | undefined },
): ReadBlobResult {
  if (!isBlobHash(hash))
    return { type: "none", why: "a blob is named by 64 hexadecimal digits; copy its whole handle" };
  const path = blobPath(sessionPath, hash);
  if (files.stat(path)?.kind !== "file") return blobNotFound(hash, sessionPath);
  return withOpenFile(path, files, (file) => {
    const { size } = file.stat();
    if (range) return { type: "read", bytes: readByteRange(file, range.start, Math.min(range.end, size)), size };
    const bytes = readByteRange(file, 0, size);
    return sha256Hex(bytes) === hash ? { type: "read", bytes, size } : blobContentChanged(hash, path);
  });
}

export type FindBlobsResult =
  | { readonly type: "found"; readonly blobs: readonly { readonly hash: string; readonly bytes: number }[] }
  | UnavailableResult;

/** The blobs of a session whose hash begins with these digits, in the order of their hashes. */
export async function findBlobs(
  sessionPath: string,
  digits: string,
  { files = realFiles }: BlobOptions = {},
): Promise<FindBlobsResult> {
  return catchDiskErrors<FindBlobsResult>(`the blobs of ${sessionPath} cannot be listed`, () => {
    const hashes = blobHashes(sessionPath, files).filter((hash) => hash.startsWith(digits));
    const blobs = hashes.sort().map((hash) => ({ hash, bytes: files.stat(blobPath(sessionPath, hash))?.size ?? 0 }));
    return { type: "found", blobs };
  });
}

export type CopyBlobsResult =
  /** Those that are `missing` were not there to be copied. */
  { readonly type: "copied"; readonly missing: readonly string[] } | UnavailableResult;

/** Gives another session these blobs too: by a second name for the same file where the disk can, else by a copy. */
export async function copyBlobs(
  from: string,
  to: string,
  { hashes, files = realFiles }: BlobOptions & { readonly hashes: Iterable<string> },
): Promise<CopyBlobsResult> {
  const requestedHashes = [...new Set(hashes)].filter(isBlobHash);
  if (requestedHashes.length === 0) return { type: "copied", missing: [] };
  return catchDiskErrors(`the blobs of ${from} cannot be copied`, () => {
    const { there: existingHashes = [], missing = [] } = Object.groupBy(requestedHashes, (hash) =>
      files.stat(blobPath(from, hash))?.kind === "file" ? "there" : "missing",
    );
    if (existingHashes.length > 0) files.makeFolder(blobFolder(to));
    for (const hash of existingHashes) linkOrCopyBlob(blobPath(from, hash), blobPath(to, hash), files);
    if (existingHashes.length > 0) syncBlobFolders(to, files);
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

function linkOrCopyBlob(from: string, to: string, files: Files): void {
  try {
    files.link(from, to);
  } catch (error) {
    const code = diskErrorCode(error);
    if (code === "EEXIST") return;
    if (!["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP"].includes(code)) throw error;
    copyBlobFile(from, to, files);
  }
}

function copyBlobFile(from: string, to: string, files: Files): void {
  withOpenFile(from, files, (file) => {
    const { size } = file.stat();
    const copy = startAtomicFile(to, files);
    try {
      for (let offset = 0; offset < size; offset += BLOB_COPY_CHUNK_BYTES)
        copy.add(readByteRange(file, offset, Math.min(offset + BLOB_COPY_CHUNK_BYTES, size)));
      copy.commit();
    } finally {
      copy.discard();
    }
  });
}

/** Waits for all folders above the blobs: they may have been made by somebody who did not, and a blob must not vanish with one. */
export function syncBlobFolders(sessionPath: string, files: Files): void {
  const sidecar = sidecarFolder(sessionPath);
  for (const folder of [blobFolder(sessionPath), sidecar, dirname(sidecar), dirname(sessionPath)])
    files.syncFolder(folder);
}

/** Null where there is no file; a file that cannot be read has no hash that fits. */
function hashFile(path: string, files: Files): string | null {
  if (files.stat(path) === null) return null;
  return (
    ignoreDiskErrors(() => withOpenFile(path, files, (file) => sha256Hex(readByteRange(file, 0, file.stat().size)))) ??
    ""
  );
}

function withOpenFile<Found>(path: string, files: Files, operation: (file: OpenFile) => Found): Found {
  const file = files.open(path, "read");
  try {
    return operation(file);
  } finally {
    file.close();
  }
}

function readByteRange(file: OpenFile, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, end - Math.max(0, start)));
  return bytes.subarray(0, file.read(bytes, Math.max(0, start)));
}

function sha256Hex(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function blobNotFound(hash: string, sessionPath: string): ReadBlobResult {
  return {
    type: "none",
    why: `${sessionPath} has no blob ${hash}; if the session was copied by hand, copy its folder in .pith too`,
  };
}

function blobContentChanged(hash: string, path: string): ReadBlobResult {
  return {
    type: "changed",
    why: `the blob ${hash} has changed since it was kept; put back ${path} from a backup, or do without it`,
  };
}

const BLOB_COPY_CHUNK_BYTES = 1024 * 1024;

export interface SpillImagesOptions extends BlobOptions {
  /** Images of more bytes than this become blobs. */
  readonly limit?: number;
  /** What an image costs in a context, for the words that stand in its place. As pi counts it, if not said: 1,200, whatever its size. */
  readonly estimateImageTokens?: (image: { readonly mimeType: string; readonly bytes: number }) => number;
}

export type SpillImagesResult<Each> =
  | {
      readonly type: "spilled";
      /** The one that was given, where nothing in it was too big. */
      readonly content: Each;
      readonly blobs: number;
    }
  | UnavailableResult;

/** A blob is on the disk before any entry names it. To be called before the draft is appended; nothing is lost if it then is not. */
export async function spillImages<Each extends EntryContent>(
  content: Each,
  sessionPath: string,
  { limit = SPILL_LIMIT, estimateImageTokens = () => IMAGE_TOKENS, ...blobOptions }: SpillImagesOptions = {},
): Promise<SpillImagesResult<Each>> {
  const blocks = new Map<unknown, unknown>();
  for (const image of findLargeImages(content, limit)) {
    const result = await keepBlob(sessionPath, image.bytes, blobOptions);
    if (result.type !== "kept") return result;
    const { mimeType } = image;
    const block = createBlobBlock({
      ...result,
      mimeType,
      tokens: estimateImageTokens({ mimeType, bytes: result.bytes }),
    });
    blocks.set(image.block, keepAttachmentMark(image.block, block));
  }
  return {
    type: "spilled",
    content: mapContentBlocks(content, (block) => blocks.get(block) ?? block),
    blobs: blocks.size,
  };
}

interface LargeImage {
  readonly block: unknown;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

function findLargeImages(content: EntryContent, limit: number): readonly LargeImage[] {
  const images: LargeImage[] = [];
  mapContentBlocks(content, (block) => {
    const image = parseLargeImage(block, limit);
    if (image) images.push(image);
    return block;
  });
  return images;
}

function parseLargeImage(block: unknown, limit: number): LargeImage | null {
  const { type, data, mimeType } = (block ?? {}) as { type?: unknown; data?: unknown; mimeType?: unknown };
  if (type !== "image" || typeof data !== "string" || typeof mimeType !== "string") return null;
  if (data.length * 0.75 <= limit) return null;
  const bytes = Buffer.from(data, "base64");
  if (bytes.length <= limit) return null;
  // What would not come back letter by letter stays where it is.
  return bytes.toString("base64") === data ? { block, mimeType, bytes } : null;
}

export const SPILL_LIMIT: number = 32 * 1024;
const IMAGE_TOKENS = 1200;
