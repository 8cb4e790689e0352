/** Parses ripgrep's JSON output and verifies each line against the file. For a record that is too long, only the positions are kept. */

import type { FileHandle } from "node:fs/promises";
import type { GrepHit, GrepQuery } from "../../ports.ts";
import { detectUtf16 } from "../../text.ts";
import { cutLineAround } from "../../tools/search.ts";
import { type OpenOptions, openNoFollow } from "../safe-files.ts";

const MAX_RECORD_BYTES = 256 * 1024;
const PREFIX_BYTES = 64;
const POSITION_BYTES = 64;
/** The JSON after the text of the line and after that of its first match. Quotes inside JSON strings are escaped, so these occur nowhere else. */
const POSITION_MARKS = ['"},"line_number":', '"},"start":'];

/** Collects a record: short ones whole, of long ones only the beginning and the positions after their texts. */
class RecordBuffer {
  #pieces: Buffer[] = [];
  #length = 0;
  #prefix = "";
  /** For a long record: bytes that may be the start of the next mark. */
  #unscanned: Buffer = Buffer.alloc(0);
  #positions: string[] = [];

  /** Does not copy the piece; its bytes must not change. */
  write(piece: Buffer): void {
    const wasLong = this.#length > MAX_RECORD_BYTES;
    this.#length += piece.length;
    if (wasLong) this.#scanForMarks(piece);
    else this.#append(piece);
  }

  /** Null where the record is too long. */
  wholeRecord(): Buffer | null {
    return this.#length > MAX_RECORD_BYTES ? null : Buffer.concat(this.#pieces);
  }

  prefix(): string {
    return this.#prefix;
  }

  /** The text after each mark. Call it after the last write. */
  positions(): readonly string[] {
    this.#scanForMarks(Buffer.alloc(POSITION_BYTES));
    return this.#positions;
  }

  #append(piece: Buffer): void {
    this.#pieces.push(piece);
    if (this.#length <= MAX_RECORD_BYTES) return;
    const first = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#prefix = first.toString("latin1", 0, PREFIX_BYTES);
    this.#scanForMarks(first);
  }

  #scanForMarks(piece: Buffer): void {
    let bytes = Buffer.concat([this.#unscanned, piece]);
    for (
      let mark = POSITION_MARKS[this.#positions.length];
      mark !== undefined;
      mark = POSITION_MARKS[this.#positions.length]
    ) {
      const markStart = bytes.indexOf(mark);
      const markEnd = markStart + mark.length;
      if (markStart < 0 || markEnd + POSITION_BYTES > bytes.length) {
        // Copied, because a subarray would keep the whole buffer in memory.
        this.#unscanned = Buffer.from(bytes.subarray(markStart < 0 ? 1 - mark.length : markStart));
        return;
      }
      this.#positions.push(bytes.toString("latin1", markEnd, markEnd + POSITION_BYTES));
      bytes = bytes.subarray(markEnd);
    }
  }
}

export type RipgrepRecord =
  | { readonly type: "begin"; readonly path: Buffer }
  | { readonly type: "line"; readonly line: RipgrepLine }
  | { readonly type: "end"; readonly isBinary: boolean }
  | { readonly type: "summary" };

export interface RipgrepLine {
  readonly number: number;
  readonly isContext: boolean;
  /** The byte offset of the line in the file. */
  readonly offset: number;
  /** The byte offset of the first match in the line. */
  readonly hit: number;
  /** Null if the line is too long. */
  readonly bytes: Buffer | null;
}

const NEWLINE = 0x0a;

export async function* parseRipgrepRecords(output: AsyncIterable<Buffer>): AsyncGenerator<RipgrepRecord> {
  let record = new RecordBuffer();
  for await (const chunk of output) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      record.write(chunk.subarray(start, end));
      yield parseRecord(record);
      record = new RecordBuffer();
      start = end + 1;
    }
    record.write(chunk.subarray(start));
  }
}

function parseRecord(buffer: RecordBuffer): RipgrepRecord {
  const whole = buffer.wholeRecord();
  return whole === null ? { type: "line", line: toLongLine(buffer) } : toRecord(JSON.parse(whole.toString()));
}

type JsonRecord =
  | { readonly type: "begin"; readonly data: { readonly path: JsonBytes } }
  | { readonly type: "match" | "context"; readonly data: JsonLine }
  | { readonly type: "end"; readonly data: { readonly binary_offset: number | null } }
  | { readonly type: "summary" };

interface JsonLine {
  readonly lines: JsonBytes;
  readonly line_number: number;
  readonly absolute_offset: number;
  readonly submatches: readonly { readonly start: number }[];
}

/** Text, or base64 where it is not valid UTF-8. */
type JsonBytes = { readonly text: string } | { readonly bytes: string };

function toRecord(record: JsonRecord): RipgrepRecord {
  switch (record.type) {
    case "begin":
      return { type: "begin", path: decodeBytes(record.data.path) };
    case "match":
    case "context":
      return { type: "line", line: toLine(record.data, { isContext: record.type === "context" }) };
    case "end":
      return { type: "end", isBinary: record.data.binary_offset !== null };
    case "summary":
      return { type: "summary" };
  }
}

function toLine(line: JsonLine, { isContext }: Pick<RipgrepLine, "isContext">): RipgrepLine {
  const { lines, line_number: number, absolute_offset: offset, submatches } = line;
  return { number, isContext, offset, hit: submatches[0]?.start ?? 0, bytes: decodeBytes(lines) };
}

function decodeBytes(value: JsonBytes): Buffer {
  return "text" in value ? Buffer.from(value.text) : Buffer.from(value.bytes, "base64");
}

function toLongLine(buffer: RecordBuffer): RipgrepLine {
  const [afterText = "", afterHit = "0"] = buffer.positions();
  const [, number, offset] = /^(\d+),"absolute_offset":(\d+)/.exec(afterText) ?? [];
  return {
    number: Number(number),
    isContext: buffer.prefix().startsWith('{"type":"context"'),
    offset: Number(offset),
    hit: Number.parseInt(afterHit, 10),
    bytes: null,
  };
}

export class RipgrepFileHits {
  readonly hits: GrepHit[] = [];
  readonly #path: string;
  readonly #source: FileSource;
  readonly #redaction: GrepQuery["redaction"];
  #count = 0;

  constructor(path: string, source: FileSource, { redaction }: Pick<GrepQuery, "redaction">) {
    this.#path = path;
    this.#source = source;
    this.#redaction = redaction;
  }

  /** The number of hits, without context lines. */
  get count(): number {
    return this.#count;
  }

  /** Ignores a line that is not in the file: ripgrep then read another file that was put in its place. */
  async add(line: RipgrepLine): Promise<void> {
    const { bytes, hit } = await this.#excerpt(line);
    if (line.bytes !== null && !(await this.#source.hasLine(line.bytes, line.offset))) return;
    if (!line.isContext) this.#count += 1;
    const text = bytes.length === 0 ? "[a very long line]" : this.#formatLine(bytes, hit);
    this.hits.push({ path: this.#path, line: line.number, text, isContext: line.isContext });
  }

  async close(): Promise<void> {
    await this.#source.close();
  }

  /** Reads the text of a line that was too long to keep from the file. */
  async #excerpt({ bytes, hit, offset }: RipgrepLine): Promise<{ readonly bytes: Buffer; readonly hit: number }> {
    if (bytes !== null) return { bytes, hit };
    const before = Math.min(hit, BYTES_BEFORE_HIT);
    return { bytes: await this.#source.readBytes(offset + hit - before, before + BYTES_AFTER_HIT), hit: before };
  }

  #formatLine(bytes: Buffer, hit: number): string {
    const text = bytes.toString().replace(/\r?\n$/, "");
    return cutLineAround(text, bytes.toString("utf8", 0, hit).length, { redaction: this.#redaction });
  }
}

/** More than is displayed before and after the hit. */
const BYTES_BEFORE_HIT = 1_024;
const BYTES_AFTER_HIT = 3_072;

export interface FileSource {
  /** Returns fewer bytes at the end of the file, and none on an error. */
  readBytes(start: number, length: number): Promise<Buffer>;
  /** Whether the file has this line at about this offset. */
  hasLine(line: Buffer, offset: number): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Ripgrep opens files by path, and a path may be replaced while it searches. Its lines must therefore be found in this file, which is
 * opened without following links. Null where that fails.
 */
export async function openSource(options: OpenOptions): Promise<FileSource | null> {
  const opened = await openNoFollow(options).catch(() => null);
  if (opened === null) return null;
  const { file } = opened;
  const readBytes = (start: number, length: number): Promise<Buffer> => readAt(file, start, length);
  const encoding = detectUtf16(await readBytes(0, BYTE_ORDER_MARK_BYTES));
  return {
    readBytes,
    hasLine: async (line, offset) =>
      encoding === null
        ? (
            await readBytes(Math.max(0, offset - BYTE_ORDER_MARK_BYTES), line.length + 2 * BYTE_ORDER_MARK_BYTES)
          ).includes(line)
        : await containsBytes(readBytes, toUtf16(line, encoding)),
    close: () => file.close(),
  };
}

/** Ripgrep's offsets do not count a byte order mark. */
const BYTE_ORDER_MARK_BYTES = 3;

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const result = await file.read(Buffer.alloc(length), { position }).catch(() => null);
  return result === null ? Buffer.alloc(0) : result.buffer.subarray(0, result.bytesRead);
}

/** Searches the whole file: ripgrep's offset counts UTF-8 bytes, and the file is UTF-16. */
async function containsBytes(readBytes: FileSource["readBytes"], wanted: Buffer): Promise<boolean> {
  for (let start = 0; ; start += CHUNK_BYTES) {
    const chunk = await readBytes(start, CHUNK_BYTES + wanted.length);
    if (chunk.includes(wanted)) return true;
    if (chunk.length < CHUNK_BYTES) return false;
  }
}

const CHUNK_BYTES = 1024 * 1024;

function toUtf16(line: Buffer, encoding: "utf-16le" | "utf-16be"): Buffer {
  const littleEndian = Buffer.from(line.toString(), "utf16le");
  return encoding === "utf-16le" ? littleEndian : littleEndian.swap16();
}
