/** Loads, completes and saves the line index beside a session file. An index that does not match the file is ignored and rebuilt. */

import type { Checksum } from "../../runtime.ts";
import { appendAll, type Files, ignoreDiskErrors, indexPath, type OpenFile } from "../files.ts";
import type { FileEntries } from "./file-entries.ts";
import { LineIndex, ROW_BYTES } from "./line-index.ts";

/** A line index and the part of the file that it covers. */
export interface IndexSnapshot {
  readonly index: LineIndex;
  /** The offset up to which the lines are indexed. */
  readonly coveredEnd: number;
}

/** What loading and saving an index needs. */
export interface IndexFileOptions {
  readonly files: Files;
  readonly checksum: Checksum;
  /** The open session file. */
  readonly file: OpenFile;
  /** The offset of the first line after the header. The fingerprint covers the header. */
  readonly start: number;
}

/** Loads the saved index. Returns null if there is none or it does not match the file. */
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

/** Saves the index beside the session file. A disk error is ignored, because the index can be rebuilt. */
function saveIndexSnapshot(path: string, { index, coveredEnd }: IndexSnapshot, options: IndexFileOptions): void {
  const head = new DataView(new ArrayBuffer(INDEX_HEADER_BYTES));
  const rows = index.bytes();
  head.setUint32(0, INDEX_MAGIC);
  head.setUint32(4, index.rows);
  head.setFloat64(8, coveredEnd);
  head.setUint32(16, options.checksum(rows));
  head.setUint32(20, computeFingerprint(options, index, coveredEnd));
  replaceIndexFile(path, [new Uint8Array(head.buffer), rows], options.files);
}

// The header and the last indexed line identify the file. Every line is checked again when it is read.
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
  // The index can be rebuilt, so a disk error is ignored.
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

/** Changes with the row format. An index with another number is rebuilt. */
const INDEX_MAGIC = 0x70697834;
const INDEX_HEADER_BYTES = 24;

/** The saved index of one session file. */
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

  /** Completes the index and lets other tasks run in between. Returns whether every line is valid. */
  async complete(entries: FileEntries, file: OpenFile): Promise<boolean> {
    if (entries.index.coveredEnd === entries.start) this.#loadSaved(entries, file);
    const steps = entries.completeIndex();
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Whether at least `minBytes` were indexed since the last save. */
  shouldSave(entries: FileEntries, minBytes: number = MIN_SAVE_BYTES): boolean {
    return entries.isIndexed && entries.index.coveredEnd - this.#savedEnd >= minBytes;
  }

  /** Saves the index. */
  save(entries: FileEntries, file: OpenFile): void {
    saveIndexSnapshot(this.#path, entries.index, this.#options(entries, file));
    this.#savedEnd = entries.index.coveredEnd;
  }

  #loadSaved(entries: FileEntries, file: OpenFile): void {
    const snapshot = loadIndexSnapshot(this.#path, this.#options(entries, file));
    // An index that covers more than the intact part of the file contains torn lines.
    if (!snapshot || snapshot.coveredEnd > entries.end) return;
    entries.useIndex(snapshot);
    this.#savedEnd = snapshot.coveredEnd;
  }

  #options({ start }: FileEntries, file: OpenFile) {
    return { files: this.#files, checksum: this.#checksum, file, start };
  }
}

// Indexing a short file is faster than loading an index.
const MIN_SAVE_BYTES = 1024 * 1024;
