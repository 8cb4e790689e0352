/** Stores a session's blobs, each a file named by its SHA-256 and checked when read whole. */

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { isBlobHash } from "../session/blobs.ts";
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

/** Stores a blob; it is on disk when the promise resolves. A blob that exists already is not written again. */
export async function keepBlob(
  sessionPath: string,
  bytes: Uint8Array,
  { files = realFiles }: BlobOptions = {},
): Promise<KeepBlobResult> {
  const hash = sha256Hex(bytes);
  return catchDiskErrors(`the blob ${hash} cannot be stored`, () => {
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
  /** `size` is the size of the whole blob, also for a range. */
  | { readonly type: "read"; readonly bytes: Uint8Array; readonly size: number }
  | { readonly type: "none"; readonly why: string }
  /** The content no longer matches the hash. */
  | { readonly type: "changed"; readonly why: string }
  | UnavailableResult;

export interface ReadBlobOptions extends BlobOptions {
  /** In bytes; default: the whole blob. Only a whole blob is checked against its hash. */
  readonly range?: { readonly start: number; readonly end: number };
}

/** Reads a blob, or a range of it. */
export async function readBlob(
  sessionPath: string,
  hash: string,
  { files = realFiles, range }: ReadBlobOptions = {},
): Promise<ReadBlobResult> {
  return catchDiskErrors(`the blob ${hash} cannot be read`, () => readBlobSync(sessionPath, hash, { files, range }));
}

/** Reads a blob synchronously; throws disk errors. */
export function readBlobSync(
  sessionPath: string,
  hash: string,
  { files, range }: { readonly files: Files; readonly range?: ReadBlobOptions["range"] | undefined },
): ReadBlobResult {
  if (!isBlobHash(hash)) return { type: "none", why: "a blob hash has 64 hexadecimal digits; copy the whole handle" };
  const path = blobPath(sessionPath, hash);
  if (files.stat(path)?.kind !== "file")
    return {
      type: "none",
      why: `${sessionPath} has no blob ${hash}; if you copied the session by hand, copy its folder in .pith, too`,
    };
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

/** Finds the blobs of a session whose hash starts with these digits, sorted by hash. */
export async function findBlobs(
  sessionPath: string,
  digits: string,
  { files = realFiles }: BlobOptions = {},
): Promise<FindBlobsResult> {
  return catchDiskErrors<FindBlobsResult>(`the blobs for ${sessionPath} cannot be listed`, () => {
    const hashes = blobHashes(sessionPath, files).filter((hash) => hash.startsWith(digits));
    const blobs = hashes.sort().map((hash) => ({ hash, bytes: files.stat(blobPath(sessionPath, hash))?.size ?? 0 }));
    return { type: "found", blobs };
  });
}

export type CopyBlobsResult =
  /** `missing`: the hashes that the source session does not have. */
  { readonly type: "copied"; readonly missing: readonly string[] } | UnavailableResult;

/** Adds blobs of one session to another: as hard links where the disk supports them, otherwise as copies. */
export async function copyBlobs(
  from: string,
  to: string,
  { hashes, files = realFiles }: BlobOptions & { readonly hashes: Iterable<string> },
): Promise<CopyBlobsResult> {
  const requestedHashes = [...new Set(hashes)].filter(isBlobHash);
  if (requestedHashes.length === 0) return { type: "copied", missing: [] };
  return catchDiskErrors(`the blobs for ${from} cannot be copied`, () => {
    const { existing: existingHashes = [], missing = [] } = Object.groupBy(requestedHashes, (hash) =>
      files.stat(blobPath(from, hash))?.kind === "file" ? "existing" : "missing",
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

/** The path of a blob. Check the hash with `isBlobHash` first: it becomes a part of the path. */
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

/** Syncs all folders above the blobs: another process may have created them without a sync, and a blob must not vanish with its folder. */
export function syncBlobFolders(sessionPath: string, files: Files): void {
  const sidecar = sidecarFolder(sessionPath);
  for (const folder of [blobFolder(sessionPath), sidecar, dirname(sidecar), dirname(sessionPath)])
    files.syncFolder(folder);
}

/** Null if there is no file; empty, which matches no hash, if the file cannot be read. */
function hashFile(path: string, files: Files): string | null {
  if (files.stat(path) === null) return null;
  return (
    ignoreDiskErrors(() => withOpenFile(path, files, (file) => sha256Hex(readByteRange(file, 0, file.stat().size)))) ??
    ""
  );
}

function withOpenFile<Value>(path: string, files: Files, operation: (file: OpenFile) => Value): Value {
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

function blobContentChanged(hash: string, path: string): ReadBlobResult {
  return {
    type: "changed",
    why: `the content of the blob ${hash} has changed; restore ${path} from a backup, or continue without it`,
  };
}

const BLOB_COPY_CHUNK_BYTES = 1024 * 1024;
