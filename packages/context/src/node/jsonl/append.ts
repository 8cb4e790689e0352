/** Appends batches of lines to a session file. An incomplete write is taken back; after a failed sync nothing more is written. */

import { checksumSuffix, type LineMarks, lineBodyWithMarks } from "../../format/line-checksum.ts";
import type { Checksum } from "../../runtime.ts";
import type { Refusal } from "../../session/store.ts";
import { appendAll, diskErrorCode, type Files, type OpenFile } from "../files.ts";

/** `durable` waits for the disk at every append; `fast` at most a second later, and when asked to. */
export type Durability = "durable" | "fast";

export class LogFile {
  readonly path: string;
  readonly file: OpenFile;
  readonly #files: Files;
  readonly #identity: string;
  /** How many bytes of the file are known. */
  #size: number;
  /** Set once the disk has failed: what a failed sync left behind nobody knows, so it is never tried again. */
  #failure: Refusal | null = null;
  #unsyncedLines = 0;
  #unsyncedStart = 0;
  #timer: NodeJS.Timeout | null = null;
  /** Whether lines that were there before us may not be on the disk: their writer may have died before it waited. */
  #mayHaveUnsyncedBytes = true;
  /** Known to be so; a file that another hand wrote to is looked at again. */
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

  get isBroken(): boolean {
    return this.#failure !== null;
  }

  /** Lines of ours that the disk may not have yet. */
  get unsyncedLines(): number {
    return this.#unsyncedLines;
  }

  /** Where those begin. */
  get unsyncedStart(): number {
    return this.#unsyncedLines === 0 ? this.#size : this.#unsyncedStart;
  }

  // LOG13: a run counts from where all is on the disk, so lines of another hand are waited for first.
  /** Makes sure that every line the disk may not have is one of ours. */
  startUnsyncedRun(): boolean {
    return !this.#mayHaveUnsyncedBytes || this.sync();
  }

  /** What has happened to the file since we last looked. */
  detectChange(): "none" | "grown" | Refusal {
    if (this.#failure) return this.#failure;
    const stats = this.#files.stat(this.path);
    if (stats === null) return "file-removed";
    if (stats.identity !== this.#identity) return "file-replaced";
    if (stats.size < this.#size) return "file-shortened";
    if (stats.size > this.#size) return "grown";
    return stats.readOnly ? "not-writable" : "none";
  }

  /** Takes note of what another hand has added. */
  acceptGrowth(): void {
    this.#size = this.file.stat().size;
    this.#isLastLineEnded = false;
    this.#mayHaveUnsyncedBytes = true;
  }

  /** Whether the last line has a line end, so that the next can follow. */
  isLastLineEnded(): boolean {
    this.#isLastLineEnded ||= this.followsLineEnd(this.#size);
    return this.#isLastLineEnded;
  }

  /** Whether the byte before this place is a line end; an empty file ends in one as it were. */
  followsLineEnd(offset: number): boolean {
    const lastByte = new Uint8Array(1);
    return offset === 0 || (this.file.read(lastByte, offset - 1) === 1 && lastByte[0] === LINE_END);
  }

  /** Writes behind all that is there. */
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

  /** Waits for the disk; false, and for ever read-only, if it fails. */
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

  /** Whatever is not on the disk yet has been waited for, or will not be. */
  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.file.close();
  }

  /** Nothing is written any more: nobody knows what the disk holds. */
  markBroken(): void {
    this.#failure = "disk-error";
  }

  /** Cuts off what was torn; the caller has set it aside. */
  truncate(size: number): void {
    this.file.truncate(size);
    this.#size = size;
    this.#isLastLineEnded = false;
    // Until the disk has it, what was cut off may come back and show through.
    this.#mayHaveUnsyncedBytes = true;
  }

  // D5: a line that did not fit is taken back, so that the next one does not stick to its remains.
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

  // What another hand wrote in the same moment is not ours to take back.
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

export type LogAppendResult =
  | { readonly type: "written"; readonly offset: number }
  | { readonly type: "refused"; readonly why: Refusal };

/** What a disk's error means for whoever wanted to append; anything else is thrown on. */
export function toRefusal(error: unknown): Refusal {
  const code = diskErrorCode(error);
  if (code === "") throw error;
  if (["ENOSPC", "EDQUOT", "EFBIG"].includes(code)) return "disk-full";
  return ["EACCES", "EPERM", "EROFS"].includes(code) ? "not-writable" : "disk-error";
}

const LINE_END = 0x0a;
/** Lines; after a power cut they are looked through together. */
const MAX_UNSYNCED_LINES = 64;
/** Milliseconds; with the time a sync takes, still less than a second. */
const SYNC_DELAY_MS = 800;

export interface EncodeBatchOptions {
  /** Whether the file's lines carry a seal. */
  readonly isPithFormat: boolean;
  readonly checksum: Checksum;
  /** Where the first parent stands, if it is not the line before. */
  readonly parentOffset: number | undefined;
  /** Where the lines begin that the disk may not have yet; undefined where every line waits for the disk. */
  readonly unsyncedStart: number | undefined;
  /** The last line of the file has no line end yet. */
  readonly needsLeadingNewline: boolean;
}

export interface BatchBytes {
  readonly bytes: Uint8Array;
  /** Counted from where the bytes are written. */
  readonly lineRanges: readonly { readonly offset: number; readonly length: number }[];
}

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

// Made into bytes once: the checksum sums up the same bytes that are written.
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
/** `,"crc":"` and eight digits, `"}`, line end. */
const TRAILER_END_BYTES = 19;
