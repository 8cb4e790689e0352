/** Indexes the lines of a session file in 24 bytes each: offset, length, parent, hash of the id, number and kind. */

import type { Entry, Header } from "../../entry.ts";
import { entryAlone } from "../../format/entry-line.ts";
import { entryNumber, reservedNumber } from "../../format/entry-number.ts";
import { sealHolds, sealOf } from "../../format/line-checksum.ts";
import { type LineRules, readLine, readRaw } from "../../format/read-line.ts";
import type { FormatLimits } from "../../settings.ts";
import type { OpenFile } from "../files.ts";
import { forwards, LONGEST_HEAD, type PassedLine, peek } from "./read-lines.ts";

export interface ParentRows {
  readonly rows: number;
  /** The row of a row's parent, -1 for none. */
  parent(row: number): number;
}

/** Two numbers a row, so that the children of one are found without looking at all others. */
export class ChildRows {
  /** By parent, one further on, since -1 has children, too; rows are kept one higher, so that 0 means none. */
  #first: Int32Array = new Int32Array(1);
  #next: Int32Array = new Int32Array(0);
  #covers = 0;

  /** In file order. */
  of(parent: number, index: ParentRows): number[] {
    if (index.rows - this.#covers > AT_MOST_BEHIND) this.#cover(index);
    const found: number[] = [];
    for (let row = this.#first[parent + 1] ?? 0; row !== 0; row = this.#next[row - 1] ?? 0) found.push(row - 1);
    for (let row = this.#covers; row < index.rows; row++) if (index.parent(row) === parent) found.push(row);
    return found;
  }

  #cover(index: ParentRows): void {
    this.#first = new Int32Array(index.rows + 1);
    this.#next = new Int32Array(index.rows);
    this.#covers = index.rows;
    for (let row = index.rows - 1; row >= 0; row--) {
      const parent = index.parent(row) + 1;
      this.#next[row] = this.#first[parent] ?? 0;
      this.#first[parent] = row + 1;
    }
  }
}

/** Rows that are looked at one by one: a session that grows is not gone through anew for each line. */
const AT_MOST_BEHIND = 256;

/** The kinds that are told apart; every other is `other`. */
export const kinds = [
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
export type Kind = (typeof kinds)[number];

export interface IndexedLine {
  readonly id: string;
  readonly offset: number;
  readonly length: number;
  /** The row of its parent; ROOT for none. */
  readonly parent: number;
  readonly kind: Kind;
  /** The entry's number; 0 for none. */
  readonly number: number;
}

export const ROOT = -1;
/** Bytes of a row: offset as a double, then length, parent, a hash of the id, and in one word the highest number so far and the kind. */
export const ROW = 24;
/** The bits of a kind. */
const KIND = 5;

export class LineIndex {
  #rows: number;
  #buffer: ArrayBuffer;
  #doubles: Float64Array;
  #words: Int32Array;
  /** Rows by the hash of their id; empty until somebody asks. */
  #slots: Int32Array = new Int32Array(0);
  readonly #children = new ChildRows();

  /** Of rows as `bytes()` gave them. */
  constructor(rows: Uint8Array<ArrayBuffer> = new Uint8Array()) {
    this.#rows = Math.floor(rows.length / ROW);
    this.#buffer = rows.slice(0, this.#rows * ROW).buffer;
    this.#doubles = new Float64Array(this.#buffer);
    this.#words = new Int32Array(this.#buffer);
  }

  get rows(): number {
    return this.#rows;
  }

  add({ id, offset, length, parent, kind, number }: IndexedLine): number {
    const row = this.#rows;
    const highest = Math.max(number, this.lastNumber);
    this.#makeRoom();
    this.#doubles[row * 3] = offset;
    this.#words[row * 6 + 2] = length;
    this.#words[row * 6 + 3] = parent;
    this.#words[row * 6 + 4] = hashOf(id);
    this.#words[row * 6 + 5] = (highest << KIND) | kinds.indexOf(kind);
    this.#rows++;
    if (this.#slots.length > 0) this.#enter(row);
    return row;
  }

  offset(row: number): number {
    return this.#doubles[row * 3] ?? 0;
  }

  length(row: number): number {
    return this.#words[row * 6 + 2] ?? 0;
  }

  parent(row: number): number {
    return this.#words[row * 6 + 3] ?? ROOT;
  }

  kind(row: number): Kind {
    return kinds[this.#kindAt(row)] ?? "other";
  }

  /** The number of a row; 0 for none. */
  number(row: number): number {
    const highest = this.#highestAt(row);
    return highest > this.#highestAt(row - 1) ? highest : 0;
  }

  /** The highest number of all rows; 0 for none. */
  get lastNumber(): number {
    return this.#highestAt(this.#rows - 1);
  }

  /** The row that has this number, found by halving: numbers only grow. -1 for none. */
  findNumber(number: number): number {
    let [low, high] = [0, this.#rows];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#highestAt(middle) < number) low = middle + 1;
      else high = middle;
    }
    return number > 0 && this.#highestAt(low) === number ? low : -1;
  }

  /** The row that bears this id; `isIt` looks at the line, for two ids may have one hash. -1 for none. */
  find(id: string, isIt: (row: number) => boolean): number {
    if (this.#slots.length < this.#rows * 2) this.#enterAll();
    const hash = hashOf(id);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = (this.#slots[slot] ?? 0) - 1;
      if (row === -1) return -1;
      if (this.#words[row * 6 + 4] === hash && isIt(row)) return row;
    }
  }

  /** In file order. */
  children(parent: number): number[] {
    return this.#children.of(parent, this);
  }

  /** In file order. */
  ofKind(kind: Kind): number[] {
    const wanted = kinds.indexOf(kind);
    const found: number[] = [];
    for (let row = 0; row < this.#rows; row++) if (this.#kindAt(row) === wanted) found.push(row);
    return found;
  }

  /** All rows, as they are kept on disk. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#buffer, 0, this.#rows * ROW);
  }

  #kindAt(row: number): number {
    return (this.#words[row * 6 + 5] ?? 0) & ((1 << KIND) - 1);
  }

  #highestAt(row: number): number {
    return row < 0 || row >= this.#rows ? 0 : (this.#words[row * 6 + 5] ?? 0) >>> KIND;
  }

  #makeRoom(): void {
    if ((this.#rows + 1) * ROW <= this.#buffer.byteLength) return;
    const grown = new Uint8Array(Math.max(64, this.#rows * 2) * ROW);
    grown.set(this.bytes());
    this.#buffer = grown.buffer;
    this.#doubles = new Float64Array(this.#buffer);
    this.#words = new Int32Array(this.#buffer);
  }

  #enterAll(): void {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(64, this.#rows * 4))));
    for (let row = 0; row < this.#rows; row++) this.#enter(row);
  }

  #enter(row: number): void {
    if (this.#slots.length < this.#rows * 2) {
      this.#enterAll();
      return;
    }
    const mask = this.#slots.length - 1;
    let slot = (this.#words[row * 6 + 4] ?? 0) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = row + 1;
  }
}

// FNV-1a: short, and good enough for a table whose answers are checked.
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return hash | 0;
}

export interface Sketch {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: Kind;
  /** As it stands on the line. */
  readonly number: unknown;
}

/**
 * A line of ours whose seal holds is as it was written, so it is not parsed. Null for a line that is not as it should be: then the whole
 * file must be read with care.
 */
export function sketchOf(line: PassedLine, rules: LineRules): Sketch | null {
  const glimpse = line.overlong || !isSealed(line.bytes, rules) ? null : peek(line.bytes);
  if (glimpse) {
    const { id, parentId, number } = glimpse;
    return { id, parentId, number, kind: kindOf(glimpse.kind, glimpse.role) };
  }
  const reading = readRaw(line, rules);
  if (reading.type === "damaged" || reading.blemish) return null;
  const entry = entryAlone(reading.value);
  return entry && { ...sketchOfEntry(entry), number: reading.value.number };
}

export function sketchOfEntry(entry: Entry): Sketch {
  const role = entry.type === "message" ? entry.message.role : undefined;
  return { id: entry.id, parentId: entry.parentId, number: entry.number, kind: kindOf(entry.type, role) };
}

function kindOf(type: unknown, role: unknown): Kind {
  if (type === "message" && role === "assistant") return "assistant";
  return kinds.find((kind) => kind === type) ?? "other";
}

function isSealed(bytes: Buffer, { ours, checksum }: LineRules): boolean {
  const seal = ours ? sealOf(bytes) : null;
  return seal !== null && sealHolds(seal, bytes, checksum);
}

export interface Indexed {
  readonly file: OpenFile;
  readonly header: Header;
  readonly index: LineIndex;
  readonly rules: LineRules;
  readonly limits: FormatLimits;
}

export function bytesAt(
  { file, index }: Pick<Indexed, "file" | "index">,
  row: number,
  most: number = Number.POSITIVE_INFINITY,
): Buffer {
  const bytes = Buffer.allocUnsafe(Math.min(index.length(row), most));
  return bytes.subarray(0, file.read(bytes, index.offset(row)));
}

/** The id on a line; a line that no longer says is named by its place. */
export function idAt(ground: Indexed, row: number): string {
  const seen = peek(bytesAt(ground, row, LONGEST_HEAD));
  if (seen) return seen.id;
  const reading = readLine(bytesAt(ground, row), ground.rules);
  const id = reading.type === "whole" ? reading.value.id : reading.legible.id;
  return typeof id === "string" ? id : `gap-${ground.index.offset(row)}`;
}

/** The lines between two places of the file, added to the index. Yields after every piece; returns whether all of it was sound. */
export function* indexed(ground: Indexed, start: number, end: number): Generator<undefined, boolean> {
  let yielded = start;
  let last = ground.index.rows === 0 ? null : { id: idAt(ground, ground.index.rows - 1), row: ground.index.rows - 1 };
  for (const line of forwards(ground.file, { start, end, limits: ground.limits })) {
    if (line.offset - yielded > PIECE) {
      yielded = line.offset;
      yield undefined;
    }
    const sketch = sketchOf(line, ground.rules);
    const row: number | null = sketch && addedRow(ground, sketch, { line, last });
    if (sketch === null || row === null) return false;
    last = { id: sketch.id, row };
  }
  return true;
}

interface Before {
  readonly line: PassedLine;
  readonly last: { readonly id: string; readonly row: number } | null;
}

function addedRow(ground: Indexed, sketch: Sketch, { line, last }: Before): number | null {
  const { id, parentId, kind } = sketch;
  const { index } = ground;
  const bears = (wanted: string) => (row: number) => idAt(ground, row) === wanted;
  if (index.find(id, bears(id)) !== -1) return null;
  const follows = parentId !== null && parentId === last?.id ? last.row : null;
  const parent = follows ?? (parentId === null ? ROOT : index.find(parentId, bears(parentId)));
  if (parent === ROOT && parentId !== null) return null;
  return index.add({ id, kind, parent, offset: line.offset, length: line.length, number: numberOf(ground, sketch) });
}

/** The number of the row that comes next. */
export function numberOf({ index, header }: Pick<Indexed, "index" | "header">, { number }: Sketch): number {
  return entryNumber(number, { previous: index.lastNumber, reserved: reservedNumber(header) });
}

const PIECE = 4 * 1024 * 1024;
