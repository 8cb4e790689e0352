/** Removes secrets from a session's lines, blobs and side files. No other operation takes content out of old lines. */

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { replaceBlobDigits } from "../../citations.ts";
import { isObject } from "../../json.ts";
import type { Redaction } from "../../session/session.ts";
import type { FormatLimits } from "../../settings.ts";
import { blobHashes, blobPath, readBlobSync, syncBlobFolders } from "../blobs.ts";
import {
  blobFolder,
  catchDiskErrors,
  type Files,
  ignoreDiskErrors,
  indexPath,
  leasePath,
  type OpenFile,
  preparedSummaryPath,
  sidecarFolder,
  type UnavailableResult,
} from "../files.ts";
import { type FileLine, readLines } from "../jsonl/read-lines.ts";
import { createFileAtomically } from "../jsonl/rewrite.ts";
import { acquireLease } from "../lease.ts";
import { type LineSource, readLineSource, redactEntryText, rewriteLines, writeCopy } from "./copy-lines.ts";
import type { LeaseHeldResult } from "./move-session.ts";
import { applyDefaults, type SessionFileOptions } from "./paths.ts";

export interface PurgeOptions extends SessionFileOptions {
  /** Everything that it changes is removed from the session. */
  readonly redaction: Redaction;
  /** Counts only; nothing is written. */
  readonly isDryRun?: boolean;
}

export type PurgeResult =
  | {
      readonly type: "purged";
      /** The number of lines with secrets. */
      readonly lines: number;
      /** The number of blobs with secrets. */
      readonly blobs: number;
      /** Names of files beside the session that contained secrets and were removed, such as `.bak` and `.damaged`. */
      readonly removed: readonly string[];
    }
  | LeaseHeldResult
  | UnavailableResult;

/** Removes secrets from a session's lines, blobs and side files. It must not be open for writing. */
export async function purgeSession(
  path: string,
  { redaction, isDryRun = false, ...options }: PurgeOptions,
): Promise<PurgeResult> {
  const config = applyDefaults(options);
  const { files, runtime, processes } = config;
  return catchDiskErrors<PurgeResult>(`${path} cannot be purged`, async () => {
    if (isDryRun) return await purgeFiles(path, { ...config, redaction, isDryRun });
    files.makeFolder(sidecarFolder(path));
    const leaseResult = acquireLease(leasePath(path), { files, processes, now: runtime.now, nonce: runtime.nonce });
    if (leaseResult.type === "held") return leaseResult;
    try {
      return await purgeFiles(path, { ...config, redaction, isDryRun });
    } finally {
      // The session is purged; a lease that cannot be released ends with this process.
      ignoreDiskErrors(() => leaseResult.lease.release());
    }
  });
}

type PurgeConfig = Required<SessionFileOptions> & Required<Pick<PurgeOptions, "redaction" | "isDryRun">>;

async function purgeFiles(path: string, config: PurgeConfig): Promise<PurgeResult> {
  const { files, redaction, isDryRun } = config;
  const blobs = redactBlobs(path, config);
  const transform = (text: string): string => replaceBlobHashes(redactEntryText(text, redaction), blobs);
  const file = files.open(path, "read");
  try {
    const source = await readLineSource(file, { ...config, path });
    const lines = Math.max(
      countChangedLines(source, transform),
      source.isComplete ? 0 : countSecretLines(file, config),
    );
    const removed = findFilesWithSecrets(path, config);
    if (!isDryRun) {
      for (const { bytes, newHash } of blobs)
        if (!files.stat(blobPath(path, newHash))) createFileAtomically(blobPath(path, newHash), bytes, files);
      if (blobs.length > 0) syncBlobFolders(path, files);
      if (lines > 0) await rewriteSessionFile(path, source, { ...config, transform });
      for (const { oldHash } of blobs) files.remove(blobPath(path, oldHash));
      for (const removedPath of removed) files.remove(removedPath);
    }
    return { type: "purged", lines, blobs: blobs.length, removed: removed.map((removedPath) => basename(removedPath)) };
  } finally {
    file.close();
  }
}

function countChangedLines({ lines }: LineSource, transform: (text: string) => string): number {
  let count = 0;
  for (const line of lines()) {
    const text = line.text();
    if (transform(text) !== text) count += 1;
  }
  return count;
}

/** Replaces the session file. No backup is written: it would contain the secrets. */
async function rewriteSessionFile(
  path: string,
  { header, headerText, lines }: LineSource,
  { files, runtime, transform }: PurgeConfig & { readonly transform: (text: string) => string },
): Promise<void> {
  const tempPath = `${path}.purged`;
  if (files.stat(tempPath)) files.remove(tempPath);
  const outputLines = header.pith?.format
    ? rewriteLines({ header: headerText, lines: lines(), checksum: runtime.checksum, transform })
    : toPlainLines(headerText, lines(), transform);
  await writeCopy(tempPath, outputLines, files);
  // The index has line offsets, and the list cache quotes lines; both are rebuilt. They are removed before the rename, so that a
  // crash leaves no secret behind.
  for (const stalePath of [indexPath(path), join(dirname(path), ".pith", "list.json")])
    if (files.stat(stalePath)) files.remove(stalePath);
  files.rename(tempPath, path);
  files.syncFolder(dirname(path));
}

function* toPlainLines(
  header: string,
  lines: ReturnType<LineSource["lines"]>,
  transform: (text: string) => string,
): Generator<Uint8Array> {
  yield Buffer.from(`${header}\n`);
  for (const { text } of lines) yield Buffer.from(`${transform(text())}\n`);
}

export interface BlobReplacement {
  readonly oldHash: string;
  readonly newHash: string;
  readonly bytes: Uint8Array;
}

export interface SecretScanOptions {
  readonly files: Files;
  readonly redaction: Redaction;
}

/** Creates redacted copies of the blobs that contain secrets. A blob is named by its hash, so each copy has a new name. */
function redactBlobs(sessionPath: string, { files, redaction }: SecretScanOptions): readonly BlobReplacement[] {
  return blobHashes(sessionPath, files).flatMap((oldHash) => {
    const result = readBlobSync(sessionPath, oldHash, { files });
    const bytes = result.type === "read" ? redactBytes(result.bytes, redaction) : null;
    return bytes ? [{ oldHash, newHash: createHash("sha256").update(bytes).digest("hex"), bytes }] : [];
  });
}

/** Null if there is no secret. Bytes that are not UTF-8 are scanned as latin1: a dumped process environment often contains secrets. */
function redactBytes(bytes: Uint8Array, redaction: Redaction): Uint8Array | null {
  const encoding = isUtf8(bytes) ? "utf8" : "latin1";
  const text = Buffer.from(bytes).toString(encoding);
  const cleanText = redaction.redact(text);
  return cleanText === text ? null : Buffer.from(cleanText, encoding);
}

/** Replaces the hashes of redacted blobs in a line. */
function replaceBlobHashes(text: string, blobs: readonly BlobReplacement[]): string {
  if (blobs.length === 0) return text;
  const updatedText = blobs.reduce((line, { oldHash, newHash }) => line.replaceAll(oldHash, newHash), text);
  return replaceBlobDigits(updatedText, (digits) =>
    blobs.find(({ oldHash }) => oldHash.startsWith(digits))?.newHash.slice(0, digits.length),
  );
}

interface LineScanOptions extends Pick<SecretScanOptions, "redaction"> {
  readonly limits: FormatLimits;
}

/** Counts the lines with secrets, including damaged and torn lines, which are not part of the session. The header is not scanned. */
function countSecretLines(file: OpenFile, { redaction, limits }: LineScanOptions): number {
  let count = 0;
  for (const line of readLines(file, { start: 0, end: file.stat().size, limits })) {
    if (line.offset > 0 && lineHasSecret(file, line, redaction)) count += 1;
  }
  return count;
}

function lineHasSecret(file: OpenFile, { bytes, offset, length, isOverlong }: FileLine, redaction: Redaction): boolean {
  if (!isOverlong) {
    const text = bytes.toString("utf8");
    return (isJsonObjectText(text) ? redactEntryText(text, redaction) : redaction.redact(text)) !== text;
  }
  // Only the start of a line beyond the limit is in memory, so the line is scanned in overlapping chunks.
  for (let position = offset; position < offset + length; position += SCAN_CHUNK_BYTES) {
    const chunk = Buffer.allocUnsafe(Math.min(SCAN_CHUNK_BYTES + SCAN_OVERLAP_BYTES, offset + length - position));
    const text = chunk.subarray(0, file.read(chunk, position)).toString("utf8");
    if (redaction.redact(text) !== text) return true;
  }
  return false;
}

const SCAN_CHUNK_BYTES = 1024 * 1024;
const SCAN_OVERLAP_BYTES = 16 * 1024;

function isJsonObjectText(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    // Not JSON: the line is scanned as plain text.
    return false;
  }
}

/** Finds backups, torn ends, leftover blobs and a prepared summary that contain secrets. They are not part of the session, so they are removed, not redacted. */
function findFilesWithSecrets(sessionPath: string, { files, redaction }: SecretScanOptions): readonly string[] {
  return listStrayFiles(sessionPath, files).filter((path) => {
    const text = readFileText(path, files);
    return text !== null && redaction.redact(text) !== text;
  });
}

function listStrayFiles(sessionPath: string, files: Files): readonly string[] {
  const [folder, blobs] = [dirname(sessionPath), blobFolder(sessionPath)];
  const siblings = files.list(folder).filter((name) => name.startsWith(`${basename(sessionPath)}.`));
  const strays = files.list(blobs).filter((name) => readBlobSync(sessionPath, name, { files }).type !== "read");
  const summary = basename(preparedSummaryPath(sessionPath));
  const summaries = files.list(sidecarFolder(sessionPath)).filter((name) => name.startsWith(summary));
  return [
    ...siblings.map((name) => join(folder, name)),
    ...summaries.map((name) => join(sidecarFolder(sessionPath), name)),
    ...strays.map((name) => join(blobs, name)),
  ];
}

function readFileText(path: string, files: Files): string | null {
  if (files.stat(path)?.kind !== "file") return null;
  const file = files.open(path, "read");
  try {
    const bytes = new Uint8Array(file.stat().size);
    file.read(bytes, 0);
    return Buffer.from(bytes).toString("utf8");
  } finally {
    file.close();
  }
}
