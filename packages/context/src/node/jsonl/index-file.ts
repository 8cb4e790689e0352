/** Loads, completes and saves the line index beside a session file. An index that does not match the file is ignored and rebuilt. */

import type { Checksum } from "../../runtime.ts";
import { appendAll, type Files, indexPath, type OpenFile, orNull } from "../files.ts";
import type { FileLines } from "./file-entries.ts";
import { LineIndex, ROW } from "./line-index.ts";

export interface KeptIndex {
  readonly index: LineIndex;
  /** Up to here the lines of the file are in it. */
  readonly covers: number;
}

export interface IndexParts {
  readonly files: Files;
  readonly checksum: Checksum;
  /** The session file, open. */
  readonly file: OpenFile;
  /** Where its lines begin: the header is a part of what is compared. */
  readonly start: number;
}

/** Null where there is none that fits. */
export function keptIndex(path: string, parts: IndexParts): KeptIndex | null {
  const bytes = contents(path, parts.files);
  if (bytes === null || bytes.length < HEAD) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEAD);
  const [magic, rows, covers] = [view.getUint32(0), view.getUint32(4), view.getFloat64(8)];
  const body = bytes.subarray(HEAD);
  if (magic !== MAGIC || body.length !== rows * ROW || covers > parts.file.stat().size) return null;
  if (view.getUint32(16) !== parts.checksum(body)) return null;
  const index = new LineIndex(body);
  return view.getUint32(20) === fingerprint(parts, index, covers) ? { index, covers } : null;
}

/** Replaces the index beside the file. Where that is not possible, the session does without. */
export function keepIndex(path: string, { index, covers }: KeptIndex, parts: IndexParts): void {
  const head = new DataView(new ArrayBuffer(HEAD));
  const rows = index.bytes();
  head.setUint32(0, MAGIC);
  head.setUint32(4, index.rows);
  head.setFloat64(8, covers);
  head.setUint32(16, parts.checksum(rows));
  head.setUint32(20, fingerprint(parts, index, covers));
  replace(path, [new Uint8Array(head.buffer), rows], parts.files);
}

// Header and last line tell whether it is still the same file; every line that is read later is checked for itself.
function fingerprint({ file, checksum, start }: IndexParts, index: LineIndex, covers: number): number {
  const from = index.rows === 0 ? start : index.offset(index.rows - 1);
  const bytes = new Uint8Array(start + Math.max(0, covers - from));
  file.read(bytes.subarray(0, start), 0);
  file.read(bytes.subarray(start), from);
  return checksum(bytes);
}

function contents(path: string, files: Files): Uint8Array<ArrayBuffer> | null {
  if (files.stat(path)?.kind !== "file") return null;
  return orNull(() => {
    const file = files.open(path, "read");
    try {
      const bytes = new Uint8Array(file.stat().size);
      return bytes.subarray(0, file.read(bytes, 0));
    } finally {
      file.close();
    }
  });
}

function replace(path: string, parts: readonly Uint8Array[], files: Files): void {
  const fresh = `${path}.new`;
  // An index can always be made again, so a disk that will not have it is no reason to stop.
  orNull(() => {
    if (files.stat(fresh)) files.remove(fresh);
    const file = files.create(fresh);
    try {
      for (const part of parts) appendAll(file, part);
    } finally {
      file.close();
    }
    files.rename(fresh, path);
  });
}

/** Another one whenever rows mean something else: there is no reading of old ones, only making them again. */
const MAGIC = 0x70697834;
const HEAD = 24;

export class Indexing {
  readonly #path: string;
  readonly #files: Files;
  readonly #checksum: Checksum;
  #keptUpTo = 0;

  constructor(path: string, files: Files, checksum: Checksum) {
    this.#path = indexPath(path);
    this.#files = files;
    this.#checksum = checksum;
  }

  /** Lets others work in between; returns whether every line is sound. */
  async complete(lines: FileLines, file: OpenFile): Promise<boolean> {
    if (lines.index.covers === lines.start) this.#useKept(lines, file);
    const building = lines.complete();
    for (let step = building.next(); ; step = building.next()) {
      if (step.done) return step.value;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Whether so many bytes have been added since the last copy. */
  isWorthKeeping(lines: FileLines, every: number = WORTH_KEEPING): boolean {
    return lines.isIndexed && lines.index.covers - this.#keptUpTo >= every;
  }

  keep(lines: FileLines, file: OpenFile): void {
    keepIndex(this.#path, lines.index, this.#parts(lines, file));
    this.#keptUpTo = lines.index.covers;
  }

  #useKept(lines: FileLines, file: OpenFile): void {
    const kept = keptIndex(this.#path, this.#parts(lines, file));
    // One that reaches past the last whole line knows lines that do not count any more.
    if (!kept || kept.covers > lines.end) return;
    lines.useIndex(kept);
    this.#keptUpTo = kept.covers;
  }

  #parts({ start }: FileLines, file: OpenFile) {
    return { files: this.#files, checksum: this.#checksum, file, start };
  }
}

// A short file is indexed faster than an index is read.
const WORTH_KEEPING = 1024 * 1024;
