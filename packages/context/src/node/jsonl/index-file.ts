/** Loads, completes and saves the line index beside a session file. An index that does not match the file is ignored and rebuilt. */

import type { Checksum } from "../../runtime.ts";
import { appendAll, type Files, ignoreDiskErrors, indexPath, type OpenFile } from "../files.ts";
import type { FileEntries } from "./file-entries.ts";
import { LineIndex, ROW_BYTES } from "./line-index.ts";

export interface IndexSnapshot {
  readonly index: LineIndex;
  /** Up to here the lines of the file are in it. */
  readonly coveredEnd: number;
}

export interface IndexFileOptions {
  readonly files: Files;
  readonly checksum: Checksum;
  /** The session file, open. */
  readonly file: OpenFile;
  /** Where its lines begin: the header is a part of what is compared. */
  readonly start: number;
}

/** Null where there is none that fits. */
export function loadIndexSnapshot(path: string, options: IndexFileOptions): IndexSnapshot | null {
  const bytes = readIndexFile(path, options.files);
  if (bytes === null || bytes.length < INDEX_HEADER_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, INDEX_HEADER_BYTES);
  const [magic, rows, coveredEnd] = [view.getUint32(0), view.getUint32(4), view.getFloat64(8)];
  const body = bytes.subarray(INDEX_HEADER_BYTES);
  if (magic !== INDEX_MAGIC || body.length !== rows * ROW_BYTES || coveredEnd > options.file.stat().size) return null;
  if (view.getUint32(16) !== options.checksum(body)) return null;
  const index = new LineIndex(body);
  return view.getUint32(20) === computeFingerprint(options, index, coveredEnd) ? { index, coveredEnd } : null;
}

/** Replaces the index beside the file. Where that is not possible, the session does without. */
export function saveIndexSnapshot(path: string, { index, coveredEnd }: IndexSnapshot, options: IndexFileOptions): void {
  const head = new DataView(new ArrayBuffer(INDEX_HEADER_BYTES));
  const rows = index.bytes();
  head.setUint32(0, INDEX_MAGIC);
  head.setUint32(4, index.rows);
  head.setFloat64(8, coveredEnd);
  head.setUint32(16, options.checksum(rows));
  head.setUint32(20, computeFingerprint(options, index, coveredEnd));
  replaceIndexFile(path, [new Uint8Array(head.buffer), rows], options.files);
}

// Header and last line tell whether it is still the same file; every line that is read later is checked for itself.
function computeFingerprint({ file, checksum, start }: IndexFileOptions, index: LineIndex, coveredEnd: number): number {
  const lastLineStart = index.rows === 0 ? start : index.offset(index.rows - 1);
  const bytes = new Uint8Array(start + Math.max(0, coveredEnd - lastLineStart));
  file.read(bytes.subarray(0, start), 0);
  file.read(bytes.subarray(start), lastLineStart);
  return checksum(bytes);
}

function readIndexFile(path: string, files: Files): Uint8Array<ArrayBuffer> | null {
  if (files.stat(path)?.kind !== "file") return null;
  return ignoreDiskErrors(() => {
    const file = files.open(path, "read");
    try {
      const bytes = new Uint8Array(file.stat().size);
      return bytes.subarray(0, file.read(bytes, 0));
    } finally {
      file.close();
    }
  });
}

function replaceIndexFile(path: string, chunks: readonly Uint8Array[], files: Files): void {
  const temporaryPath = `${path}.new`;
  // An index can always be made again, so a disk that will not have it is no reason to stop.
  ignoreDiskErrors(() => {
    if (files.stat(temporaryPath)) files.remove(temporaryPath);
    const file = files.create(temporaryPath);
    try {
      for (const chunk of chunks) appendAll(file, chunk);
    } finally {
      file.close();
    }
    files.rename(temporaryPath, path);
  });
}

/** Another one whenever rows mean something else: there is no reading of old ones, only making them again. */
const INDEX_MAGIC = 0x70697834;
const INDEX_HEADER_BYTES = 24;

export class IndexFile {
  readonly #path: string;
  readonly #files: Files;
  readonly #checksum: Checksum;
  #savedEnd = 0;

  constructor(path: string, files: Files, checksum: Checksum) {
    this.#path = indexPath(path);
    this.#files = files;
    this.#checksum = checksum;
  }

  /** Lets others work in between; returns whether every line is sound. */
  async complete(entries: FileEntries, file: OpenFile): Promise<boolean> {
    if (entries.index.coveredEnd === entries.start) this.#loadSaved(entries, file);
    const steps = entries.completeIndex();
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Whether so many bytes have been added since the last copy. */
  shouldSave(entries: FileEntries, minBytes: number = MIN_SAVE_BYTES): boolean {
    return entries.isIndexed && entries.index.coveredEnd - this.#savedEnd >= minBytes;
  }

  save(entries: FileEntries, file: OpenFile): void {
    saveIndexSnapshot(this.#path, entries.index, this.#options(entries, file));
    this.#savedEnd = entries.index.coveredEnd;
  }

  #loadSaved(entries: FileEntries, file: OpenFile): void {
    const snapshot = loadIndexSnapshot(this.#path, this.#options(entries, file));
    // One that reaches past the last whole line knows lines that do not count any more.
    if (!snapshot || snapshot.coveredEnd > entries.end) return;
    entries.useIndex(snapshot);
    this.#savedEnd = snapshot.coveredEnd;
  }

  #options({ start }: FileEntries, file: OpenFile) {
    return { files: this.#files, checksum: this.#checksum, file, start };
  }
}

// A short file is indexed faster than an index is read.
const MIN_SAVE_BYTES = 1024 * 1024;
