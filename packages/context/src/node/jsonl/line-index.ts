/** Indexes the lines of a session file in 24 bytes per line: offset, length, parent, hash of the id, number and kind. */

import type { Entry, Header } from "../../entry.ts";
import { parseEntry, readReservedNumber, resolveEntryNumber } from "../../format/entry-line.ts";
import { isTrailerValid, readTrailer } from "../../format/line-checksum.ts";
import { type LineRules, readLine, readRawLine } from "../../format/read-line.ts";
import type { FormatLimits } from "../../settings.ts";
import type { OpenFile } from "../files.ts";
import { type FileLine, MAX_PREFIX_BYTES, readLinePrefix, readLines } from "./read-lines.ts";

/** The kinds of lines that the index distinguishes. */
export const lineKinds = [
  "other",
  "message",
  "assistant",
  "compaction",
  "label",
  "session_info",
  "model_change",
  "thinking_level_change",
  "active_tools_change",
  "custom",
  "custom_message",
  "context_edit",
  "branch_summary",
] as const;

/** The kind of an indexed line. */
export type LineKind = (typeof lineKinds)[number];

/** One line of the index. */
export interface IndexRow {
  readonly id: string;
  readonly offset: number;
  readonly length: number;
  /** The row of the parent; ROOT_ROW for none. */
  readonly parent: number;
  readonly kind: LineKind;
  /** The number of the entry; 0 for none. */
  readonly number: number;
}

/** The parent row of a root. */
export const ROOT_ROW = -1;

/** The bytes of a row: the offset as a double, then length, parent, hash of the id, and one word with the highest number so far and the kind. */
export const ROW_BYTES = 24;

const KIND_BITS = 5;

/** A compact index of lines by row, id, number, kind and parent. */
export class LineIndex {
  #rows: number;
  #buffer: ArrayBuffer;
  #doubles: Float64Array;
  #words: Int32Array;
  /** A hash table from id to row + 1; empty until the first lookup. */
  #slots: Int32Array = new Int32Array(0);
  readonly #children = new ChildIndex();

  /** Takes rows as returned by `bytes()`. */
  constructor(rows: Uint8Array<ArrayBuffer> = new Uint8Array()) {
    this.#rows = Math.floor(rows.length / ROW_BYTES);
    this.#buffer = rows.slice(0, this.#rows * ROW_BYTES).buffer;
    this.#doubles = new Float64Array(this.#buffer);
    this.#words = new Int32Array(this.#buffer);
  }

  /** The number of rows. */
  get rows(): number {
    return this.#rows;
  }

  /** Adds a row and returns its index. */
  add({ id, offset, length, parent, kind, number }: IndexRow): number {
    const row = this.#rows;
    const highest = Math.max(number, this.lastNumber);
    this.#growBuffer();
    this.#doubles[row * 3] = offset;
    this.#words[row * 6 + 2] = length;
    this.#words[row * 6 + 3] = parent;
    this.#words[row * 6 + 4] = hashEntryId(id);
    this.#words[row * 6 + 5] = (highest << KIND_BITS) | lineKinds.indexOf(kind);
    this.#rows++;
    if (this.#slots.length > 0) this.#addSlot(row);
    return row;
  }

  offset(row: number): number {
    return this.#doubles[row * 3] ?? 0;
  }

  length(row: number): number {
    return this.#words[row * 6 + 2] ?? 0;
  }

  parent(row: number): number {
    return this.#words[row * 6 + 3] ?? ROOT_ROW;
  }

  kind(row: number): LineKind {
    return lineKinds[this.#kindNumber(row)] ?? "other";
  }

  /** Returns the number of a row; 0 for none. */
  number(row: number): number {
    const highest = this.#highestNumber(row);
    return highest > this.#highestNumber(row - 1) ? highest : 0;
  }

  /** The highest number of all rows; 0 for none. */
  get lastNumber(): number {
    return this.#highestNumber(this.#rows - 1);
  }

  /** Returns the row with this number, or -1. Numbers only grow, so this is a binary search. */
  findNumber(number: number): number {
    let [low, high] = [0, this.#rows];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#highestNumber(middle) < number) low = middle + 1;
      else high = middle;
    }
    return number > 0 && this.#highestNumber(low) === number ? low : -1;
  }

  /** Returns the row with this id, or -1. `isMatch` compares the id on the line, because two ids may have the same hash. */
  find(id: string, isMatch: (row: number) => boolean): number {
    if (this.#slots.length < this.#rows * 2) this.#rebuildSlots();
    const hash = hashEntryId(id);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = (this.#slots[slot] ?? 0) - 1;
      if (row === -1) return -1;
      if (this.#words[row * 6 + 4] === hash && isMatch(row)) return row;
    }
  }

  /** Returns the children of a row in file order. */
  children(parent: number): number[] {
    return this.#children.findChildren(parent, this);
  }

  /** Returns the rows of a kind in file order. */
  rowsOfKind(kind: LineKind): number[] {
    const kindNumber = lineKinds.indexOf(kind);
    const matchingRows: number[] = [];
    for (let row = 0; row < this.#rows; row++) if (this.#kindNumber(row) === kindNumber) matchingRows.push(row);
    return matchingRows;
  }

  /** Returns all rows as they are saved on disk. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#buffer, 0, this.#rows * ROW_BYTES);
  }

  #kindNumber(row: number): number {
    return (this.#words[row * 6 + 5] ?? 0) & ((1 << KIND_BITS) - 1);
  }

  #highestNumber(row: number): number {
    return row < 0 || row >= this.#rows ? 0 : (this.#words[row * 6 + 5] ?? 0) >>> KIND_BITS;
  }

  #growBuffer(): void {
    if ((this.#rows + 1) * ROW_BYTES <= this.#buffer.byteLength) return;
    const largerBuffer = new Uint8Array(Math.max(64, this.#rows * 2) * ROW_BYTES);
    largerBuffer.set(this.bytes());
    this.#buffer = largerBuffer.buffer;
    this.#doubles = new Float64Array(this.#buffer);
    this.#words = new Int32Array(this.#buffer);
  }

  #rebuildSlots(): void {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(64, this.#rows * 4))));
    for (let row = 0; row < this.#rows; row++) this.#addSlot(row);
  }

  #addSlot(row: number): void {
    if (this.#slots.length < this.#rows * 2) {
      this.#rebuildSlots();
      return;
    }
    const mask = this.#slots.length - 1;
    let slot = (this.#words[row * 6 + 4] ?? 0) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = row + 1;
  }
}

// FNV-1a: simple, and good enough because every match is checked.
function hashEntryId(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  return hash | 0;
}

/** The parents of all rows. */
export interface ParentLookup {
  readonly rows: number;
  /** Returns the row of a row's parent; -1 for none. */
  parent(row: number): number;
}

/** Finds the children of a row without a scan of all rows. Uses two numbers per row. */
export class ChildIndex {
  /** The first child by parent + 1, because -1 has children too. Rows are stored as row + 1, so that 0 means none. */
  #first: Int32Array = new Int32Array(1);
  #next: Int32Array = new Int32Array(0);
  #coveredRows = 0;

  /** Returns the children of a row in file order. */
  findChildren(parent: number, index: ParentLookup): number[] {
    if (index.rows - this.#coveredRows > MAX_UNCOVERED_ROWS) this.#rebuild(index);
    const childRows: number[] = [];
    for (let row = this.#first[parent + 1] ?? 0; row !== 0; row = this.#next[row - 1] ?? 0) childRows.push(row - 1);
    for (let row = this.#coveredRows; row < index.rows; row++) if (index.parent(row) === parent) childRows.push(row);
    return childRows;
  }

  #rebuild(index: ParentLookup): void {
    this.#first = new Int32Array(index.rows + 1);
    this.#next = new Int32Array(index.rows);
    this.#coveredRows = index.rows;
    for (let row = index.rows - 1; row >= 0; row--) {
      const parent = index.parent(row) + 1;
      this.#next[row] = this.#first[parent] ?? 0;
      this.#first[parent] = row + 1;
    }
  }
}

/** New rows up to this number are scanned, so that the index is not rebuilt after each append. */
const MAX_UNCOVERED_ROWS = 256;

/** A session file and its index. */
export interface FileWithIndex {
  readonly file: OpenFile;
  readonly header: Header;
  readonly index: LineIndex;
  readonly rules: LineRules;
  readonly limits: FormatLimits;
}

/** Adds the lines between two offsets to the index. Yields regularly; returns whether every line is valid. */
export function* indexLines(source: FileWithIndex, start: number, end: number): Generator<undefined, boolean> {
  let lastYieldOffset = start;
  let previous =
    source.index.rows === 0 ? null : { id: readRowId(source, source.index.rows - 1), row: source.index.rows - 1 };
  for (const line of readLines(source.file, { start, end, limits: source.limits })) {
    if (line.offset - lastYieldOffset > YIELD_EVERY_BYTES) {
      lastYieldOffset = line.offset;
      yield undefined;
    }
    const fields = readLineFields(line, source.rules);
    const row: number | null = fields && addRow(source, fields, { line, previous });
    if (fields === null || row === null) return false;
    previous = { id: fields.id, row };
  }
  return true;
}

interface RowContext {
  readonly line: FileLine;
  readonly previous: { readonly id: string; readonly row: number } | null;
}

function addRow(source: FileWithIndex, fields: LineFields, { line, previous }: RowContext): number | null {
  const { id, parentId, kind } = fields;
  const { index } = source;
  const hasId = (wantedId: string) => (row: number) => readRowId(source, row) === wantedId;
  if (index.find(id, hasId(id)) !== -1) return null;
  const previousRow = parentId !== null && parentId === previous?.id ? previous.row : null;
  const parent = previousRow ?? (parentId === null ? ROOT_ROW : index.find(parentId, hasId(parentId)));
  if (parent === ROOT_ROW && parentId !== null) return null;
  return index.add({
    id,
    kind,
    parent,
    offset: line.offset,
    length: line.length,
    number: nextRowNumber(source, fields),
  });
}

/** Returns the number of the next row. */
export function nextRowNumber(
  { index, header }: Pick<FileWithIndex, "index" | "header">,
  { number }: LineFields,
): number {
  return resolveEntryNumber(number, { previous: index.lastNumber, reserved: readReservedNumber(header) });
}

const YIELD_EVERY_BYTES = 4 * 1024 * 1024;

/** The fields of a line that the index needs. */
export interface LineFields {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: LineKind;
  /** The value on the line, not validated. */
  readonly number: unknown;
}

/**
 * Reads the indexed fields of a line. A line with a valid trailer is not parsed. Returns null for a damaged or unusual line; the whole file
 * must be decoded then.
 */
function readLineFields(line: FileLine, rules: LineRules): LineFields | null {
  const prefix = line.isOverlong || !isTrailerIntact(line.bytes, rules) ? null : readLinePrefix(line.bytes);
  if (prefix) {
    const { id, parentId, number } = prefix;
    return { id, parentId, number, kind: toLineKind(prefix.kind, prefix.role) };
  }
  const parsed = readRawLine(line, rules);
  if (parsed.type === "damaged" || parsed.minorDamage) return null;
  const entry = parseEntry(parsed.value);
  return entry && { ...toLineFields(entry), number: parsed.value.number };
}

/** Returns the indexed fields of an entry. */
export function toLineFields(entry: Entry): LineFields {
  const role = entry.type === "message" ? entry.message.role : undefined;
  return { id: entry.id, parentId: entry.parentId, number: entry.number, kind: toLineKind(entry.type, role) };
}

function toLineKind(type: unknown, role: unknown): LineKind {
  if (type === "message" && role === "assistant") return "assistant";
  return lineKinds.find((kind) => kind === type) ?? "other";
}

function isTrailerIntact(bytes: Buffer, { isPithFormat, checksum }: LineRules): boolean {
  const trailer = isPithFormat ? readTrailer(bytes) : null;
  return trailer !== null && isTrailerValid(trailer, bytes, checksum);
}

/** Reads the line of a row, or its first `maxBytes`. */
export function readRowBytes(
  { file, index }: Pick<FileWithIndex, "file" | "index">,
  row: number,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Buffer {
  const bytes = Buffer.allocUnsafe(Math.min(index.length(row), maxBytes));
  return bytes.subarray(0, file.read(bytes, index.offset(row)));
}

/** Reads the id of a row. If the line is damaged, the id is derived from its offset. */
export function readRowId(source: FileWithIndex, row: number): string {
  const prefix = readLinePrefix(readRowBytes(source, row, MAX_PREFIX_BYTES));
  if (prefix) return prefix.id;
  const parsed = readLine(readRowBytes(source, row), source.rules);
  const id = parsed.type === "intact" ? parsed.value.id : parsed.legible.id;
  return typeof id === "string" ? id : `gap-${source.index.offset(row)}`;
}
