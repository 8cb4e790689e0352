/** Reads the header and the end of a session file without reading all of it, and finds the ancestors of a line. */

import { basename, dirname } from "node:path";
import type { Entry, Header } from "../../entry.ts";
import type { Damage } from "../../format/damage.ts";
import { parseEntry } from "../../format/entry-line.ts";
import { type LineRules, readLine } from "../../format/read-line.ts";
import { CURRENT_VERSION, findHeader, forbidsTrailers } from "../../format/session-file.ts";
import { type DropTornTailResult, dropTornTail, findRunStart, type LineRecord } from "../../format/torn-tail.ts";
import type { Checksum } from "../../runtime.ts";
import { type FormatLimits, formatLimits } from "../../settings.ts";
import { type Files, type OpenFile, readFolderCwd, sessionIdFromFileName, sessionTimeFromFileName } from "../files.ts";
import { decodeUtf8Native, MAX_PREFIX_BYTES, ReverseLineReader, readLinePrefix } from "./read-lines.ts";

/** A session file whose header and end are valid. */
export interface ValidFile {
  readonly file: OpenFile;
  readonly header: Header;
  readonly rules: LineRules;
  readonly limits: FormatLimits;
  /** The offset of the first line after the header. */
  readonly start: number;
  /** The offset after the last intact line and its line end; the bytes after it are torn. */
  readonly end: number;
  /** Whether the last intact line has a line end. */
  readonly hasLineEnd: boolean;
  /** The id of the last entry; null for none. */
  readonly leaf: string | null;
  /** The damage of the torn end. The line numbers are 0; see `withLineNumbers`. */
  readonly damage: readonly Damage[];
}

/** Reads the header and the end of a file. Returns null if the whole file must be decoded: another version, another encoding, or damage. */
export function readValidFile(
  file: OpenFile,
  checksum: Checksum,
  limits: FormatLimits = formatLimits,
): ValidFile | null {
  const { size } = file.stat();
  const headerBytes = readFirstLine(file, size);
  if (headerBytes === null || headerBytes[0] !== OPEN_BRACE || headerBytes[1] === 0) return null;
  const raw = { bytes: headerBytes, offset: 0, length: headerBytes.length, number: 1, hasLineEnd: true };
  const { header, isPithFormat, damage } = findHeader([raw], { checksum, limits });
  if (!header || damage.length > 0 || header.version !== CURRENT_VERSION) return null;
  const rules = { isPithFormat, checksum, limits, decode: decodeUtf8Native, forbidsTrailers: forbidsTrailers(header) };
  const start = headerBytes.length + 1;
  const tail = readTail(file, { rules, limits, start, size });
  return tail && { file, header, rules, limits, start, ...tail };
}

interface FileBody {
  readonly rules: LineRules;
  readonly limits: FormatLimits;
  readonly start: number;
  readonly size: number;
}

function readTail(file: OpenFile, body: FileBody): Pick<ValidFile, "end" | "hasLineEnd" | "leaf" | "damage"> | null {
  const tail = readIntactTail(file, body);
  if (tail === null) return null;
  const { damage } = tail;
  const lastLine = tail.lines.at(-1);
  if (!lastLine) return { end: damage.length > 0 ? body.start : body.size, hasLineEnd: true, leaf: null, damage };
  const entry = lastLine.parsed.type === "intact" ? parseEntry(lastLine.parsed.value) : null;
  const isIntact = tail.lines.every(({ parsed }) => parsed.type === "intact" && !parsed.minorDamage);
  if (!isIntact || !entry || entry.type === "gap") return null;
  const { offset, length, hasLineEnd } = lastLine.raw;
  // Blank bytes after the last line stay in the file.
  const end = damage.length > 0 ? offset + length + (hasLineEnd ? 1 : 0) : body.size;
  return { end, hasLineEnd, leaf: entry.id, damage };
}

// Reads back to the start of the last batch and of the unsynced run, and one line further.
function readIntactTail(file: OpenFile, { rules, limits, start, size }: FileBody): DropTornTailResult | null {
  const reader = new ReverseLineReader(file, { start, end: size, limits });
  let lines: readonly LineRecord[] = [];
  // At most 64 lines are unsynced. If the marks of a file claim more, the whole file is decoded.
  for (let round = 0; round < MAX_TAIL_ROUNDS && lines.length < MAX_TAIL_LINES; round++) {
    const earlierLines = readLinesToBatchStart(reader, rules);
    lines = earlierLines.concat(lines);
    if (reader.failed) return null;
    const tail = dropTornTail(lines, -1);
    const last = tail.lines.at(-1);
    const isComplete = last && (lines[0]?.raw.offset ?? 0) < (findRunStart(tail.lines) ?? last.raw.offset);
    if (isComplete || earlierLines.length === 0) return tail;
  }
  return null;
}

/** Reads backwards to the start of a batch, or to a line without a batch. Returns the lines in file order. */
function readLinesToBatchStart(reader: ReverseLineReader, rules: LineRules): LineRecord[] {
  const lines: LineRecord[] = [];
  for (let line = reader.next(); line && lines.length < MAX_TAIL_LINES; line = reader.next()) {
    const parsed = readLine(line.bytes, rules);
    lines.push({ raw: { ...line, bytes: Buffer.from(line.bytes), length: line.bytes.length, number: 0 }, parsed });
    if (parsed.type === "intact" && (parsed.marks.batch?.[0] ?? 1) <= 1) break;
  }
  return lines.reverse();
}

function readFirstLine(file: OpenFile, size: number): Buffer | null {
  for (let length = FIRST_READ_BYTES; ; length *= 4) {
    const bytes = Buffer.allocUnsafe(Math.min(length, size, MAX_HEADER_BYTES));
    const end = bytes.subarray(0, file.read(bytes, 0)).indexOf(LINE_END);
    if (end !== -1) return bytes.subarray(0, end);
    if (length >= size || length >= MAX_HEADER_BYTES) return null;
  }
}

const OPEN_BRACE = 0x7b;
const LINE_END = 0x0a;
const FIRST_READ_BYTES = 4096;
const MAX_TAIL_ROUNDS = 200;
const MAX_TAIL_LINES = 20_000;
const MAX_HEADER_BYTES = 1024 * 1024;

/**
 * Reads the ancestors of a line backwards, without an index. Stops early and sets `failed` if a line is damaged or a parent does not come
 * before its child.
 */
export class AncestorReader {
  failed = false;
  readonly #file: ValidFile;
  #reader: ReverseLineReader;

  /** `end` is the offset where the first line to read ends. */
  constructor(file: ValidFile, end: number) {
    this.#file = file;
    this.#reader = this.#createReader(end);
  }

  /** Yields the entries from the leaf to the root. */
  *entries(): Generator<Entry> {
    let wantedId: string | null = null;
    // The line before is usually the parent. Off the branch, only the id of each line is read.
    let isOffBranch = false;
    for (let line = this.#reader.next(); line; line = this.#reader.next()) {
      if (isOffBranch && hasOtherId(line.bytes, wantedId)) continue;
      const parsed = readLine(line.bytes, this.#file.rules);
      const entry = parsed.type === "intact" && !parsed.minorDamage ? parseEntry(parsed.value) : null;
      if (parsed.type === "damaged" || !entry) break;
      isOffBranch = wantedId !== null && entry.id !== wantedId;
      if (isOffBranch) continue;
      yield entry;
      if (entry.parentId === null) return;
      wantedId = entry.parentId;
      if (parsed.marks.up !== undefined) this.#jump(parsed.marks.up, wantedId, line.offset);
    }
    this.failed = true;
  }

  // MOVE2: the offset is a hint. If the parent is not there, the lines before are read one by one.
  #jump(offset: number, id: string, limit: number): void {
    if (offset < this.#file.start || offset >= limit) return;
    const head = Buffer.alloc(Math.min(MAX_PREFIX_BYTES, limit - offset));
    this.#file.file.read(head, offset);
    if (readLinePrefix(head)?.id !== id) return;
    const end = findNextLineEnd(this.#file, offset, limit);
    if (end !== null) this.#reader = this.#createReader(end);
  }

  #createReader(end: number): ReverseLineReader {
    const { file, start, limits } = this.#file;
    return new ReverseLineReader(file, { start, end, limits });
  }
}

function hasOtherId(line: Buffer, wantedId: string | null): boolean {
  const prefix = readLinePrefix(line);
  return prefix !== null && prefix.id !== wantedId;
}

function findNextLineEnd({ file }: ValidFile, offset: number, limit: number): number | null {
  for (let chunkStart = offset; chunkStart < limit; chunkStart += SEEK_CHUNK_BYTES) {
    const chunk = Buffer.allocUnsafe(Math.min(SEEK_CHUNK_BYTES, limit - chunkStart));
    const newlineIndex = chunk.subarray(0, file.read(chunk, chunkStart)).indexOf(LINE_END);
    if (newlineIndex !== -1) return chunkStart + newlineIndex;
  }
  return null;
}

const SEEK_CHUNK_BYTES = 64 * 1024;

/** Adds line numbers, counted from 1, to damage. Opening a file does not count lines, so this is done on request. */
export function withLineNumbers(
  { file, start }: Pick<ValidFile, "file" | "start">,
  damage: readonly Damage[],
): readonly Damage[] {
  let line = 2;
  let offset = start;
  const sortedDamage = damage.toSorted((a, b) => a.offset - b.offset);
  return sortedDamage.map((item) => {
    line += countNewlines(file, offset, item.offset);
    offset = item.offset;
    return { ...item, line };
  });
}

function countNewlines(file: OpenFile, start: number, end: number): number {
  let count = 0;
  for (let chunkStart = start; chunkStart < end; chunkStart += COUNT_CHUNK_BYTES) {
    const chunk = Buffer.alloc(Math.min(COUNT_CHUNK_BYTES, end - chunkStart));
    file.read(chunk, chunkStart);
    for (
      let newlineIndex = chunk.indexOf(LINE_END);
      newlineIndex !== -1;
      newlineIndex = chunk.indexOf(LINE_END, newlineIndex + 1)
    )
      count++;
  }
  return count;
}

const COUNT_CHUNK_BYTES = 1024 * 1024;

/** Builds a header for a file whose own header is unreadable. The result is always the same and takes nothing from the damaged line. */
export function headerFromPath(
  path: string,
  { files, ours }: { readonly files: Files; readonly ours: boolean },
): Header {
  const name = basename(path);
  return {
    type: "session",
    version: CURRENT_VERSION,
    id: sessionIdFromFileName(name) ?? basename(path, ".jsonl"),
    timestamp: sessionTimeFromFileName(name) ?? "",
    cwd: readFolderCwd(dirname(path), files) ?? "",
    ...(ours && { pith: { format: 1 as const } }),
  };
}
