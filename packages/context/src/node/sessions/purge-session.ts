/** Removes secrets from a session's lines, blobs and side files. No other operation takes content out of old lines. */

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { replaceBlobDigits } from "../../references.ts";
import type { Redaction } from "../../session/session.ts";
import type { FormatLimits } from "../../settings.ts";
import { blobContent, blobHashes, blobPath, syncBlobFolders } from "../blobs.ts";
import {
  blobFolder,
  type Files,
  indexPath,
  leasePath,
  type OpenFile,
  orNull,
  orUnavailable,
  sideFolder,
  type Unavailable,
} from "../files.ts";
import { forwards, type PassedLine } from "../jsonl/read-lines.ts";
import { createWhole } from "../jsonl/rewrite.ts";
import { takeLease } from "../lease.ts";
import { copiedLines, redactedText, type Source, sourceLines, writeCopy } from "./copy-lines.ts";
import type { Held } from "./move-session.ts";
import { type HomeParts, settled } from "./paths.ts";

export interface ChangedBlob {
  /** Hashes. */
  readonly from: string;
  readonly to: string;
  readonly bytes: Uint8Array;
}

export interface Looking {
  readonly files: Files;
  readonly redaction: Redaction;
}

/** Redacted copies of the blobs that hold secrets. A blob is named by its content, so each copy has a new name. */
export function changedBlobs(sessionPath: string, { files, redaction }: Looking): readonly ChangedBlob[] {
  return blobHashes(sessionPath, files).flatMap((from) => {
    const read = blobContent(sessionPath, from, { files });
    const bytes = read.type === "read" ? withoutSecrets(read.bytes, redaction) : null;
    return bytes ? [{ from, to: createHash("sha256").update(bytes).digest("hex"), bytes }] : [];
  });
}

/** Null where there are none. What is no text is looked at byte by byte: the environment of a process is none, and is full of them. */
function withoutSecrets(bytes: Uint8Array, redaction: Redaction): Uint8Array | null {
  const encoding = isUtf8(bytes) ? "utf8" : "latin1";
  const text = Buffer.from(bytes).toString(encoding);
  const clean = redaction.redacted(text);
  return clean === text ? null : Buffer.from(clean, encoding);
}

/** A line that names them by their new names. */
export function renamed(text: string, blobs: readonly ChangedBlob[]): string {
  if (blobs.length === 0) return text;
  const whole = blobs.reduce((line, { from, to }) => line.replaceAll(from, to), text);
  return replaceBlobDigits(whole, (digits) =>
    blobs.find(({ from }) => from.startsWith(digits))?.to.slice(0, digits.length),
  );
}

interface Straying extends Pick<Looking, "redaction"> {
  readonly limits: FormatLimits;
}

/**
 * Damaged and torn lines belong to no session, but they may hold secrets. How many lines tell one, whoever can read them; the header is
 * not looked at.
 */
export function strayLines(file: OpenFile, { redaction, limits }: Straying): number {
  let count = 0;
  for (const line of forwards(file, { start: 0, end: file.stat().size, limits })) {
    if (line.offset > 0 && tellsSecret(file, line, redaction)) count += 1;
  }
  return count;
}

function tellsSecret(file: OpenFile, { bytes, offset, length, overlong }: PassedLine, redaction: Redaction): boolean {
  if (!overlong) {
    const text = bytes.toString("utf8");
    return (isObject(text) ? redactedText(text, redaction) : redaction.redacted(text)) !== text;
  }
  // Only the beginning of a line beyond the limit is held: it is looked through piece by piece, each a little into the next.
  for (let at = offset; at < offset + length; at += PIECE) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE + OVERLAP, offset + length - at));
    const text = piece.subarray(0, file.read(piece, at)).toString("utf8");
    if (redaction.redacted(text) !== text) return true;
  }
  return false;
}

const PIECE = 1024 * 1024;
const OVERLAP = 16 * 1024;

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    // What is no JSON is looked at as it stands.
    return false;
  }
}

/** Backups, torn ends and blobs left by a crash are no part of the session, so they are not redacted. Their paths. */
export function tellingFiles(sessionPath: string, { files, redaction }: Looking): readonly string[] {
  return filesBeside(sessionPath, files).filter((path) => {
    const text = textOf(path, files);
    return text !== null && redaction.redacted(text) !== text;
  });
}

function filesBeside(sessionPath: string, files: Files): readonly string[] {
  const [folder, blobs] = [dirname(sessionPath), blobFolder(sessionPath)];
  const others = files.list(folder).filter((name) => name.startsWith(`${basename(sessionPath)}.`));
  const strays = files.list(blobs).filter((name) => blobContent(sessionPath, name, { files }).type !== "read");
  return [...others.map((name) => join(folder, name)), ...strays.map((name) => join(blobs, name))];
}

function textOf(path: string, files: Files): string | null {
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

export interface PurgePlan extends HomeParts {
  /** What it changes is what is taken out. */
  readonly redaction: Redaction;
  /** Only look: nothing is written. */
  readonly isDry?: boolean;
}

export type Purging =
  | {
      readonly type: "purged";
      /** Lines that held something. */
      readonly lines: number;
      readonly blobs: number;
      /** Files beside it that held something and were removed: `.bak`, `.damaged` and their like. */
      readonly removed: readonly string[];
    }
  | Held
  | Unavailable;

/** Nobody may be writing it. */
export async function purgeSession(path: string, { redaction, isDry = false, ...parts }: PurgePlan): Promise<Purging> {
  const all = settled(parts);
  const { files, ports, processes } = all;
  return orUnavailable<Purging>(`${path} cannot be purged`, async () => {
    if (isDry) return await purged(path, { ...all, redaction, isDry });
    files.makeFolder(sideFolder(path));
    const leasing = takeLease(leasePath(path), { files, processes, now: ports.now, nonce: ports.nonce });
    if (leasing.type === "held") return leasing;
    try {
      return await purged(path, { ...all, redaction, isDry });
    } finally {
      // What is done is done: a lease that cannot be given up ends with this process.
      orNull(() => leasing.lease.release());
    }
  });
}

type PurgeParts = Required<HomeParts> & Required<Pick<PurgePlan, "redaction" | "isDry">>;

async function purged(path: string, parts: PurgeParts): Promise<Purging> {
  const { files, redaction, isDry } = parts;
  const blobs = changedBlobs(path, parts);
  const change = (text: string): string => renamed(redactedText(text, redaction), blobs);
  const file = files.open(path, "read");
  try {
    const source = await sourceLines(file, { ...parts, path });
    const lines = Math.max(countOf(source, change), source.isWhole ? 0 : strayLines(file, parts));
    const removed = tellingFiles(path, parts);
    if (!isDry) {
      for (const { bytes, to } of blobs)
        if (!files.stat(blobPath(path, to))) createWhole(blobPath(path, to), bytes, files);
      if (blobs.length > 0) syncBlobFolders(path, files);
      if (lines > 0) await rewritten(path, source, { ...parts, change });
      for (const { from } of blobs) files.remove(blobPath(path, from));
      for (const each of removed) files.remove(each);
    }
    return { type: "purged", lines, blobs: blobs.length, removed: removed.map((each) => basename(each)) };
  } finally {
    file.close();
  }
}

function countOf({ lines }: Source, change: (text: string) => string): number {
  let count = 0;
  for (const line of lines()) {
    const text = line.text();
    if (change(text) !== text) count += 1;
  }
  return count;
}

/** The old file has no copy left: that would keep what is to be gone. */
async function rewritten(
  path: string,
  { header, headerText, lines }: Source,
  { files, ports, change }: PurgeParts & { readonly change: (text: string) => string },
): Promise<void> {
  const fresh = `${path}.purged`;
  if (files.stat(fresh)) files.remove(fresh);
  const all = header.pith?.format
    ? copiedLines({ header: headerText, lines: lines(), checksum: ports.checksum, change })
    : plainLines(headerText, lines(), change);
  await writeCopy(fresh, all, files);
  // One says where lines begin, the other quotes them: both are made again. Before, so that a crash leaves nothing to find here.
  for (const stale of [indexPath(path), join(dirname(path), ".pith", "list.json")])
    if (files.stat(stale)) files.remove(stale);
  files.rename(fresh, path);
  files.syncFolder(dirname(path));
}

function* plainLines(
  header: string,
  lines: ReturnType<Source["lines"]>,
  change: (text: string) => string,
): Generator<Uint8Array> {
  yield Buffer.from(`${header}\n`);
  for (const { text } of lines) yield Buffer.from(`${change(text())}\n`);
}
