/** Where every line stands, what it follows and of what kind it is: 24 bytes a line, so that a million lines are a small file. */

import { ChildRows } from "./child-rows.ts";

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
}

export const ROOT = -1;
/** Bytes of a row: offset as a double, then length, parent, a hash of the id, kind. */
export const ROW = 24;

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

  add({ id, offset, length, parent, kind }: IndexedLine): number {
    const row = this.#rows;
    this.#makeRoom();
    this.#doubles[row * 3] = offset;
    this.#words[row * 6 + 2] = length;
    this.#words[row * 6 + 3] = parent;
    this.#words[row * 6 + 4] = hashOf(id);
    this.#words[row * 6 + 5] = kinds.indexOf(kind);
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
    return kinds[this.#words[row * 6 + 5] ?? 0] ?? "other";
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
    for (let row = 0; row < this.#rows; row++) if (this.#words[row * 6 + 5] === wanted) found.push(row);
    return found;
  }

  /** All rows, as they are kept on disk. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#buffer, 0, this.#rows * ROW);
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
