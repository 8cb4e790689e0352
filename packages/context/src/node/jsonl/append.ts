/** Appends batches of lines to a session file. An incomplete write is undone; after a failed sync nothing more is written. */

import { checksumSuffix, type LineMarks, lineBodyWithMarks } from "../../format/line-checksum.ts";
import type { Checksum } from "../../runtime.ts";
import type { Refusal } from "../../session/store.ts";
import { appendAll, diskErrorCode, type Files, type OpenFile } from "../files.ts";

/** When an append is synced: `durable` before it returns, `fast` at most a second later or on `sync()`. */
export type Durability = "durable" | "fast";

/** A session file that is appended to, with its size and the lines that are not synced yet. */
export class LogFile {
  readonly path: string;
  readonly file: OpenFile;
  readonly #files: Files;
  readonly #identity: string;
  /** The size of the file as far as it was read or written here. */
  #size: number;
  /** Set after a disk error. What a failed sync leaves on the disk is unknown, so it is never retried. */
  #failure: Refusal | null = null;
  #unsyncedLines = 0;
  #unsyncedStart = 0;
  #timer: NodeJS.Timeout | null = null;
  /** Whether bytes of other writers may not be synced: their process may have died before its sync. */
  #mayHaveUnsyncedBytes = true;
  /** Whether the last line is known to have a line end; reset when another process writes. */
  #isLastLineEnded = false;

  constructor(path: string, file: OpenFile, files: Files) {
    const { identity, size } = file.stat();
    this.path = path;
    this.file = file;
    this.#files = files;
    this.#identity = identity;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether the disk has failed, so that nothing more is written. */
  get isBroken(): boolean {
    return this.#failure !== null;
  }

  /** The number of lines written here that are not synced yet. */
  get unsyncedLines(): number {
    return this.#unsyncedLines;
  }

  /** The offset where the unsynced lines begin. */
  get unsyncedStart(): number {
    return this.#unsyncedLines === 0 ? this.#size : this.#unsyncedStart;
  }

  // LOG13: a run starts where everything before it is synced, so the lines of other writers are synced first.
  /** Syncs the lines of other writers, so that all unsynced lines were written here. Returns false if the disk failed. */
  startUnsyncedRun(): boolean {
    return !this.#mayHaveUnsyncedBytes || this.sync();
  }

  /** Compares the file on disk with the last known size and identity. */
  detectChange(): "none" | "grown" | Refusal {
    if (this.#failure) return this.#failure;
    const stats = this.#files.stat(this.path);
    if (stats === null) return "file-removed";
    if (stats.identity !== this.#identity) return "file-replaced";
    if (stats.size < this.#size) return "file-shortened";
    if (stats.size > this.#size) return "grown";
    return stats.readOnly ? "not-writable" : "none";
  }

  /** Accepts the bytes that another process has appended. */
  acceptGrowth(): void {
    this.#size = this.file.stat().size;
    this.#isLastLineEnded = false;
    this.#mayHaveUnsyncedBytes = true;
  }

  /** Whether the last line has a line end, so that a line can be appended. */
  isLastLineEnded(): boolean {
    this.#isLastLineEnded ||= this.followsLineEnd(this.#size);
    return this.#isLastLineEnded;
  }

  /** Whether the byte before this offset is a line end. True for offset 0. */
  followsLineEnd(offset: number): boolean {
    const lastByte = new Uint8Array(1);
    return offset === 0 || (this.file.read(lastByte, offset - 1) === 1 && lastByte[0] === LINE_END);
  }

  /** Writes bytes at the end of the file, and syncs them if the durability asks for it. */
  append(
    bytes: Uint8Array,
    { lines, durability }: { readonly lines: number; readonly durability: Durability },
  ): LogAppendResult {
    if (this.#failure) return { type: "refused", why: this.#failure };
    const before = this.#size;
    if (this.#unsyncedLines === 0) this.#unsyncedStart = before;
    try {
      appendAll(this.file, bytes);
    } catch (error) {
      return this.#undoWrite(bytes, error);
    }
    this.#size += bytes.length;
    this.#isLastLineEnded = bytes.at(-1) === LINE_END;
    this.#unsyncedLines += lines;
    if (durability === "fast" && this.#unsyncedLines < MAX_UNSYNCED_LINES) this.#timer ??= this.#syncSoon();
    else if (!this.sync()) return { type: "refused", why: "disk-error" };
    return { type: "written", offset: before };
  }

  /** Syncs the file. After a failure it returns false and the file stays read-only. */
  sync(): boolean {
    if (this.#failure) return false;
    if (this.#unsyncedLines === 0 && !this.#mayHaveUnsyncedBytes) return true;
    try {
      this.file.sync();
      this.#unsyncedLines = 0;
      this.#mayHaveUnsyncedBytes = false;
      return true;
    } catch (error) {
      this.#recordDiskError(error);
      return false;
    }
  }

  /** Closes the file without a sync. */
  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.file.close();
  }

  /** Refuses all further writes, because the content of the disk is unknown. */
  markBroken(): void {
    this.#failure = "disk-error";
  }

  /** Cuts off torn bytes. The caller has saved them before. */
  truncate(size: number): void {
    this.file.truncate(size);
    this.#size = size;
    this.#isLastLineEnded = false;
    // Until the next sync, a power cut may bring back the bytes that were cut off.
    this.#mayHaveUnsyncedBytes = true;
  }

  // D5: an incomplete line is removed, so that the next line is not appended to its remains.
  #undoWrite(bytes: Uint8Array, error: unknown): LogAppendResult {
    const why = toRefusal(error);
    try {
      if (!this.#hasOnlyOwnBytes(bytes)) this.markBroken();
      else this.truncate(this.#size);
    } catch (undoError) {
      this.#recordDiskError(undoError);
    }
    if (why !== "disk-full") this.markBroken();
    return { type: "refused", why: this.#failure ?? why };
  }

  // Bytes that another process wrote at the same time must not be removed.
  #hasOnlyOwnBytes(bytes: Uint8Array): boolean {
    const addedBytes = new Uint8Array(Math.max(0, this.file.stat().size - this.#size));
    return (
      this.file.read(addedBytes, this.#size) === addedBytes.length &&
      addedBytes.every((byte, index) => byte === bytes[index])
    );
  }

  #syncSoon(): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timer = null;
      this.sync();
    }, SYNC_DELAY_MS);
    return timer.unref();
  }

  #recordDiskError(error: unknown): void {
    if (diskErrorCode(error) === "") throw error;
    this.#failure = "disk-error";
  }
}

/** The result of a write: the offset, or the reason why nothing was written. */
export type LogAppendResult =
  | { readonly type: "written"; readonly offset: number }
  | { readonly type: "refused"; readonly why: Refusal };

/** Converts a disk error to a refusal. Throws any other error again. */
export function toRefusal(error: unknown): Refusal {
  const code = diskErrorCode(error);
  if (code === "") throw error;
  if (["ENOSPC", "EDQUOT", "EFBIG"].includes(code)) return "disk-full";
  return ["EACCES", "EPERM", "EROFS"].includes(code) ? "not-writable" : "disk-error";
}

const LINE_END = 0x0a;
/** After a power cut, opening the file checks at most this many lines. */
const MAX_UNSYNCED_LINES = 64;
/** Milliseconds. With the time that a sync takes, still less than a second. */
const SYNC_DELAY_MS = 800;

/** Options for `encodeBatch`. */
export interface EncodeBatchOptions {
  /** Whether the lines get trailers. */
  readonly isPithFormat: boolean;
  readonly checksum: Checksum;
  /** The offset of the first entry's parent, if the parent is not the line before. */
  readonly parentOffset: number | undefined;
  /** The offset where the unsynced lines begin; undefined if every line is synced. */
  readonly unsyncedStart: number | undefined;
  /** Whether the last line of the file has no line end. */
  readonly needsLeadingNewline: boolean;
}

/** The encoded lines of a batch. */
export interface BatchBytes {
  readonly bytes: Uint8Array;
  /** The offsets are relative to the start of `bytes`. */
  readonly lineRanges: readonly { readonly offset: number; readonly length: number }[];
}

/** Encodes the lines of a batch with their marks and checksums. */
export function encodeBatch(texts: readonly string[], options: EncodeBatchOptions): BatchBytes {
  const lines = texts.map((text, index) => encodeLine(text, createLineMarks(index, texts.length, options), options));
  const prefix = options.needsLeadingNewline ? [NEWLINE] : [];
  let offset = prefix.length;
  const lineRanges = lines.map(({ length }) => {
    const range = { offset, length: length - 1 };
    offset += length;
    return range;
  });
  const [firstLine = NO_BYTES] = lines;
  return {
    bytes: lines.length === 1 && !options.needsLeadingNewline ? firstLine : Buffer.concat([...prefix, ...lines]),
    lineRanges,
  };
}

// The line is encoded once: the checksum covers the same bytes that are written.
function encodeLine(text: string, marks: LineMarks, { isPithFormat, checksum }: EncodeBatchOptions): Buffer {
  if (!isPithFormat) return Buffer.from(`${text}\n`);
  const body = lineBodyWithMarks(text, marks);
  const line = Buffer.allocUnsafe(Buffer.byteLength(body) + TRAILER_END_BYTES);
  const length = line.write(body);
  line.write(`${checksumSuffix(checksum(line.subarray(0, length)))}\n`, length, "latin1");
  return line;
}

function createLineMarks(index: number, size: number, { parentOffset, unsyncedStart }: EncodeBatchOptions): LineMarks {
  return {
    ...(index === 0 && parentOffset !== undefined && { up: parentOffset }),
    ...(unsyncedStart !== undefined && { run: unsyncedStart }),
    ...(size > 1 && { batch: [index + 1, size] as const }),
  };
}

const NO_BYTES = Buffer.alloc(0);
const NEWLINE = Buffer.from("\n");
/** The bytes of `,"crc":"`, eight digits, `"}` and the line end. */
const TRAILER_END_BYTES = 19;
