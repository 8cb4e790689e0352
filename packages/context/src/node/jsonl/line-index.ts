/** Indexes the lines of a session file in 24 bytes each: offset, length, parent, hash of the id, number and kind. */

import type { Entry, Header } from "../../entry.ts";
import { parseEntry } from "../../format/entry-line.ts";
import { readReservedNumber, resolveEntryNumber } from "../../format/entry-number.ts";
import { isTrailerValid, readTrailer } from "../../format/line-checksum.ts";
import { type LineRules, readLine, readRawLine } from "../../format/read-line.ts";
import type { FormatLimits } from "../../settings.ts";
import type { OpenFile } from "../files.ts";
import { type FileLine, MAX_PREFIX_BYTES, readLinePrefix, readLines } from "./read-lines.ts";

export interface ParentLookup {
  readonly rows: number;
  /** The row of a row's parent, -1 for none. */
  parent(row: number): number;
}

/** Two numbers a row, so that the children of one are found without looking at all others. */
export class ChildIndex {
  /** By parent, one further on, since -1 has children, too; rows are kept one higher, so that 0 means none. */
  #first: Int32Array = new Int32Array(1);
  #next: Int32Array = new Int32Array(0);
  #coveredRows = 0;

  /** In file order. */
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

/** Rows that are looked at one by one: a session that grows is not gone through anew for each line. */
const MAX_UNCOVERED_ROWS = 256;

/** The kinds that are told apart; every other is `other`. */
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
export type LineKind = (typeof lineKinds)[number];

export interface IndexRow {
  readonly id: string;
  readonly offset: number;
  readonly length: number;
  /** The row of its parent; ROOT for none. */
  readonly parent: number;
  readonly kind: LineKind;
  /** The entry's number; 0 for none. */
  readonly number: number;
}

export const ROOT_ROW = -1;
/** Bytes of a row: offset as a double, then length, parent, a hash of the id, and in one word the highest number so far and the kind. */
export const ROW_BYTES = 24;
/** The bits of a kind. */
const KIND_BITS = 5;

export class LineIndex {
  #rows: number;
  #buffer: ArrayBuffer;
  #doubles: Float64Array;
  #words: Int32Array;
  /** Rows by the hash of their id; empty until somebody asks. */
  #slots: Int32Array = new Int32Array(0);
  readonly #children = new ChildIndex();

  /** Of rows as `bytes()` gave them. */
  constructor(rows: Uint8Array<ArrayBuffer> = new Uint8Array()) {
    this.#rows = Math.floor(rows.length / ROW_BYTES);
    this.#buffer = rows.slice(0, this.#rows * ROW_BYTES).buffer;
    this.#doubles = new Float64Array(this.#buffer);
    this.#words = new Int32Array(this.#buffer);
  }

  get rows(): number {
    return this.#rows;
  }

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

  /** The number of a row; 0 for none. */
  number(row: number): number {
    const highest = this.#highestNumber(row);
    return highest > this.#highestNumber(row - 1) ? highest : 0;
  }

  /** The highest number of all rows; 0 for none. */
  get lastNumber(): number {
    return this.#highestNumber(this.#rows - 1);
  }

  /** The row that has this number, found by halving: numbers only grow. -1 for none. */
  findNumber(number: number): number {
    let [low, high] = [0, this.#rows];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#highestNumber(middle) < number) low = middle + 1;
      else high = middle;
    }
    return number > 0 && this.#highestNumber(low) === number ? low : -1;
  }

  /** The row that bears this id; `isIt` looks at the line, for two ids may have one hash. -1 for none. */
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

  /** In file order. */
  children(parent: number): number[] {
    return this.#children.findChildren(parent, this);
  }

  /** In file order. */
  rowsOfKind(kind: LineKind): number[] {
    const kindNumber = lineKinds.indexOf(kind);
    const matchingRows: number[] = [];
    for (let row = 0; row < this.#rows; row++) if (this.#kindNumber(row) === kindNumber) matchingRows.push(row);
    return matchingRows;
  }

  /** All rows, as they are kept on disk. */
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

// FNV-1a: short, and good enough for a table whose answers are checked.
function hashEntryId(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  return hash | 0;
}

export interface LineFields {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: LineKind;
  /** As it stands on the line. */
  readonly number: unknown;
}

/**
 * A line of ours whose seal holds is as it was written, so it is not parsed. Null for a line that is not as it should be: then the whole
 * file must be read with care.
 */
export function readLineFields(line: FileLine, rules: LineRules): LineFields | null {
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

export interface FileWithIndex {
  readonly file: OpenFile;
  readonly header: Header;
  readonly index: LineIndex;
  readonly rules: LineRules;
  readonly limits: FormatLimits;
}

export function readRowBytes(
  { file, index }: Pick<FileWithIndex, "file" | "index">,
  row: number,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Buffer {
  const bytes = Buffer.allocUnsafe(Math.min(index.length(row), maxBytes));
  return bytes.subarray(0, file.read(bytes, index.offset(row)));
}

/** The id on a line; a line that no longer says is named by its place. */
export function readRowId(source: FileWithIndex, row: number): string {
  const prefix = readLinePrefix(readRowBytes(source, row, MAX_PREFIX_BYTES));
  if (prefix) return prefix.id;
  const parsed = readLine(readRowBytes(source, row), source.rules);
  const id = parsed.type === "intact" ? parsed.value.id : parsed.legible.id;
  return typeof id === "string" ? id : `gap-${source.index.offset(row)}`;
}

/** The lines between two places of the file, added to the index. Yields after every piece; returns whether all of it was sound. */
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

/** The number of the row that comes next. */
export function nextRowNumber(
  { index, header }: Pick<FileWithIndex, "index" | "header">,
  { number }: LineFields,
): number {
  return resolveEntryNumber(number, { previous: index.lastNumber, reserved: readReservedNumber(header) });
}

const YIELD_EVERY_BYTES = 4 * 1024 * 1024;
