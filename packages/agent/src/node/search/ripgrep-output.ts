/** Parses ripgrep's JSON output and verifies each line against the file. Of a record too long to hold, only its positions are kept. */

import type { FileHandle } from "node:fs/promises";
import type { GrepHit, GrepWish } from "../../ports.ts";
import { wideEncoding } from "../../text.ts";
import { cutAround } from "../../tools/search/grep.ts";
import { type Opening, openHeld } from "../safe-files.ts";

const LONGEST = 256 * 1024;
const BEGINNING_LENGTH = 64;
const PLACE_LENGTH = 64;
/** What follows the text of the line, and that of its first hit. Within a text in JSON every quote has a backslash before it, so that they stand nowhere else. */
const MARKS = ['"},"line_number":', '"},"start":'];

/** A record while it arrives: kept whole while it is short, else only its beginning and what follows its texts. */
export class RecordDraft {
  #pieces: Buffer[] = [];
  #length = 0;
  #beginning = "";
  /** Of a long one: what may be the first part of the next mark. */
  #rest: Buffer = Buffer.alloc(0);
  #places: string[] = [];

  /** The piece is kept as it is; its bytes must not change. */
  write(piece: Buffer): void {
    const wasLong = this.#length > LONGEST;
    this.#length += piece.length;
    if (wasLong) this.#skim(piece);
    else this.#keep(piece);
  }

  /** Null where it is too long. */
  whole(): Buffer | null {
    return this.#length > LONGEST ? null : Buffer.concat(this.#pieces);
  }

  beginning(): string {
    return this.#beginning;
  }

  /** What follows each of the marks, to be asked once all is written. */
  places(): readonly string[] {
    this.#skim(Buffer.alloc(PLACE_LENGTH));
    return this.#places;
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    if (this.#length <= LONGEST) return;
    const first = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#beginning = first.toString("latin1", 0, BEGINNING_LENGTH);
    this.#skim(first);
  }

  #skim(piece: Buffer): void {
    let seen = Buffer.concat([this.#rest, piece]);
    for (let mark = MARKS[this.#places.length]; mark !== undefined; mark = MARKS[this.#places.length]) {
      const at = seen.indexOf(mark);
      const place = at + mark.length;
      if (at < 0 || place + PLACE_LENGTH > seen.length) {
        // Copied, because a part would keep the whole of it in memory.
        this.#rest = Buffer.from(seen.subarray(at < 0 ? 1 - mark.length : at));
        return;
      }
      this.#places.push(seen.toString("latin1", place, place + PLACE_LENGTH));
      seen = seen.subarray(place);
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
  readonly isAround: boolean;
  /** Where in the file it starts, in bytes. */
  readonly offset: number;
  /** Where in it the first hit starts, in bytes. */
  readonly hit: number;
  /** Null: too long to be told. */
  readonly bytes: Buffer | null;
}

const NEWLINE = 0x0a;

export async function* ripgrepRecords(output: AsyncIterable<Buffer>): AsyncGenerator<RipgrepRecord> {
  let draft = new RecordDraft();
  for await (const chunk of output) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      draft.write(chunk.subarray(start, end));
      yield recordOf(draft);
      draft = new RecordDraft();
      start = end + 1;
    }
    draft.write(chunk.subarray(start));
  }
}

function recordOf(draft: RecordDraft): RipgrepRecord {
  const whole = draft.whole();
  return whole === null ? { type: "line", line: longLine(draft) } : told(JSON.parse(whole.toString()));
}

type Told =
  | { readonly type: "begin"; readonly data: { readonly path: Bytes } }
  | { readonly type: "match" | "context"; readonly data: ToldLine }
  | { readonly type: "end"; readonly data: { readonly binary_offset: number | null } }
  | { readonly type: "summary" };

interface ToldLine {
  readonly lines: Bytes;
  readonly line_number: number;
  readonly absolute_offset: number;
  readonly submatches: readonly { readonly start: number }[];
}

/** Text, or in base64 what is none. */
type Bytes = { readonly text: string } | { readonly bytes: string };

function told(record: Told): RipgrepRecord {
  switch (record.type) {
    case "begin":
      return { type: "begin", path: bytesOf(record.data.path) };
    case "match":
    case "context":
      return { type: "line", line: lineOf(record.data, { isAround: record.type === "context" }) };
    case "end":
      return { type: "end", isBinary: record.data.binary_offset !== null };
    case "summary":
      return { type: "summary" };
  }
}

function lineOf(line: ToldLine, { isAround }: Pick<RipgrepLine, "isAround">): RipgrepLine {
  const { lines, line_number: number, absolute_offset: offset, submatches } = line;
  return { number, isAround, offset, hit: submatches[0]?.start ?? 0, bytes: bytesOf(lines) };
}

function bytesOf(told: Bytes): Buffer {
  return "text" in told ? Buffer.from(told.text) : Buffer.from(told.bytes, "base64");
}

function longLine(draft: RecordDraft): RipgrepLine {
  const [afterText = "", afterHit = "0"] = draft.places();
  const [, number, offset] = /^(\d+),"absolute_offset":(\d+)/.exec(afterText) ?? [];
  return {
    number: Number(number),
    isAround: draft.beginning().startsWith('{"type":"context"'),
    offset: Number(offset),
    hit: Number.parseInt(afterHit, 10),
    bytes: null,
  };
}

export class FileDraft {
  readonly hits: GrepHit[] = [];
  readonly #path: string;
  readonly #source: Source;
  readonly #redaction: GrepWish["redaction"];
  #count = 0;

  constructor(path: string, source: Source, { redaction }: Pick<GrepWish, "redaction">) {
    this.#path = path;
    this.#source = source;
    this.#redaction = redaction;
  }

  /** Of hits, not of lines around them. */
  get count(): number {
    return this.#count;
  }

  /** What does not stand in the file was read from another, which somebody had put in its place. */
  async add(line: RipgrepLine): Promise<void> {
    const { bytes, hit } = await this.#partOf(line);
    if (line.bytes !== null && !(await this.#source.has(line.bytes, line.offset))) return;
    if (!line.isAround) this.#count += 1;
    const text = bytes.length === 0 ? "[a very long line]" : this.#shown(bytes, hit);
    this.hits.push({ path: this.#path, line: line.number, text, isAround: line.isAround });
  }

  async close(): Promise<void> {
    await this.#source.close();
  }

  /** What ripgrep told of it may have been too much to be kept, but it stands in the file. */
  async #partOf({ bytes, hit, offset }: RipgrepLine): Promise<{ readonly bytes: Buffer; readonly hit: number }> {
    if (bytes !== null) return { bytes, hit };
    const before = Math.min(hit, BEFORE);
    return { bytes: await this.#source.bytes(offset + hit - before, before + AFTER), hit: before };
  }

  #shown(bytes: Buffer, hit: number): string {
    const text = bytes.toString().replace(/\r?\n$/, "");
    return cutAround(text, bytes.toString("utf8", 0, hit).length, { redaction: this.#redaction });
  }
}

/** More than is shown, before the hit and after it. */
const BEFORE = 1_024;
const AFTER = 3_072;

export interface Source {
  /** As many as are there; none where it cannot be read. */
  bytes(start: number, length: number): Promise<Buffer>;
  /** Whether it has a line, told with its place. */
  has(line: Buffer, offset: number): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Ripgrep goes by paths, which may be exchanged meanwhile, so what it reports must be found in this file. Null where it is gone, or lies
 * elsewhere by now.
 */
export async function openSource(opening: Opening): Promise<Source | null> {
  const held = await openHeld(opening).catch(() => null);
  if (held === null) return null;
  const { file } = held;
  const bytes = (start: number, length: number): Promise<Buffer> => read(file, start, length);
  const wide = wideEncoding(await bytes(0, MARK));
  return {
    bytes,
    has: async (line, offset) =>
      wide === null
        ? (await bytes(Math.max(0, offset - MARK), line.length + 2 * MARK)).includes(line)
        : await hasSomewhere(bytes, wideBytes(line, wide)),
    close: () => file.close(),
  };
}

/** Ripgrep counts from behind a byte order mark. */
const MARK = 3;

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const piece = await file.read(Buffer.alloc(length), { position }).catch(() => null);
  return piece === null ? Buffer.alloc(0) : piece.buffer.subarray(0, piece.bytesRead);
}

/** The place that ripgrep tells is one in another encoding. */
async function hasSomewhere(bytes: Source["bytes"], wanted: Buffer): Promise<boolean> {
  for (let start = 0; ; start += PIECE) {
    const piece = await bytes(start, PIECE + wanted.length);
    if (piece.includes(wanted)) return true;
    if (piece.length < PIECE) return false;
  }
}

const PIECE = 1024 * 1024;

function wideBytes(line: Buffer, encoding: "utf-16le" | "utf-16be"): Buffer {
  const little = Buffer.from(line.toString(), "utf16le");
  return encoding === "utf-16le" ? little : little.swap16();
}
