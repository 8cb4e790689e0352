/** Reads the entries of a valid file on demand: the end of the active branch without an index, everything else through it. */

import type { BranchSummaryEntry, Entry } from "../../entry.ts";
import { type Damage, type DamageKind, damageNotes, named } from "../../format/damage.ts";
import { entryAlone } from "../../format/entry-line.ts";
import { reservedNumber, withNumber } from "../../format/entry-number.ts";
import { lineText, readLine } from "../../format/read-line.ts";
import { settledBy, type Window, windowAt } from "../../session/loaded-branch.ts";
import { carriedBy } from "../../session/state.ts";
import { known, type Lines } from "../../session/store.ts";
import { branchSummaries, labels } from "../../tree.ts";
import {
  bytesAt,
  type Indexed,
  idAt,
  indexed,
  type Kind,
  LineIndex,
  numberOf,
  ROOT,
  sketchOfEntry,
} from "./line-index.ts";
import { Ascent, type SoundFile } from "./valid-file.ts";

export class FileLines implements Lines {
  #file: SoundFile & Indexed;
  #covers: number;
  /** By the place of their lines. */
  readonly #damaged = new Map<number, Damage>();

  constructor(file: SoundFile) {
    this.#file = { ...file, index: new LineIndex() };
    this.#covers = file.start;
  }

  /** Lines that were found damaged when they were read through the index; their line numbers are not counted. */
  get damage(): readonly Damage[] {
    return [...this.#damaged.values()];
  }

  get leaf(): string | null {
    return this.#file.leaf;
  }

  get isIndexed(): boolean {
    return this.#covers >= this.#file.end;
  }

  /** The index, and how far into the file it reaches. */
  get index(): { readonly index: LineIndex; readonly covers: number } {
    return { index: this.#index, covers: this.#covers };
  }

  /** Where the first line begins. */
  get start(): number {
    return this.#file.start;
  }

  /** Where the last whole line ends. */
  get end(): number {
    return this.#file.end;
  }

  /** How many entries there are; the index must be complete. */
  get count(): number {
    return this.#index.rows;
  }

  /** An index that was kept on disk, instead of making one. */
  useIndex({ index, covers }: { readonly index: LineIndex; readonly covers: number }): void {
    this.#file = { ...this.#file, index };
    this.#covers = covers;
  }

  /** In file order, beginning with the one that has so many before it. */
  entriesFrom(at: number): readonly Entry[] {
    return Array.from({ length: Math.max(0, this.count - at) }, (_, more) => this.#entryAt(at + more));
  }

  /** The window at the leaf, read from the end of the file; null where it cannot be told that way. */
  glance(): Window | null {
    if (this.leaf === null) return windowAt([]);
    const ascent = new Ascent(this.#file, this.#file.end);
    const window = windowAt(ascent.entries(), { settle: false });
    return ascent.astray ? null : window;
  }

  /** Completes the index, a piece at a time; returns whether every line is sound. */
  *complete(): Generator<undefined, boolean> {
    if (this.isIndexed) return true;
    // The file may grow while this goes on; what is added then is for the next time.
    const { end } = this.#file;
    const sound = yield* indexed(this.#file, this.#covers, end);
    this.#covers = end;
    return sound;
  }

  /** The same file, grown by another hand; the index follows when it is completed. */
  grownTo(file: SoundFile): void {
    const { index } = this.#file;
    const last = index.rows - 1;
    // If the other hand wrote in the same moment as we did, our line stands elsewhere than we noted.
    const fits = last < 0 || idAt(this.#file, last) === this.leaf || this.#covers < this.#file.end;
    this.#file = { ...file, index: fits ? index : new LineIndex() };
    if (!fits) this.#covers = file.start;
  }

  /** A line that was just written; the index must be complete. */
  take(entry: Entry, _text: string, { offset, length }: { readonly offset: number; readonly length: number }): void {
    const sketch = sketchOfEntry(entry);
    const { id, kind } = sketch;
    const end = offset + length + 1;
    // The leaf is the last line: mostly it is the parent, and nobody needs to look for it.
    const parent = entry.parentId !== null && entry.parentId === this.leaf ? this.count - 1 : this.#row(entry.parentId);
    this.#index.add({ id, kind, offset, length, parent, number: numberOf(this.#file, sketch) });
    this.#covers = end;
    this.#file = { ...this.#file, end, leaf: id, ended: true };
  }

  /** The index must be complete. */
  get lastNumber(): number {
    return Math.max(this.#index.lastNumber, reservedNumber(this.#file.header));
  }

  entryByNumber(number: number): Entry | undefined {
    const row = this.#index.findNumber(number);
    return row === ROOT ? undefined : this.#entryAt(row);
  }

  /** Where the line of an entry begins. */
  offsetOf(id: string): number {
    return this.#index.offset(this.#row(id));
  }

  has(id: string): boolean {
    return id === this.leaf || this.#row(id) !== ROOT;
  }

  entry(id: string): Entry | undefined {
    const row = this.#row(id);
    return row === ROOT ? undefined : this.#entryAt(row);
  }

  text(id: string): string | undefined {
    const row = this.#row(id);
    if (row === ROOT || this.#entryAt(row).type === "gap") return undefined;
    return lineText(bytesAt(this.#file, row), this.#file.rules.ours);
  }

  children(id: string | null): readonly Entry[] {
    const parent = this.#row(id);
    if (parent === ROOT && id !== null) return [];
    return this.#index.children(parent).map((row) => this.#entryAt(row));
  }

  *ancestry(leaf: string | null): Generator<Entry> {
    for (let row = this.#row(known(this, leaf)); row !== ROOT; row = this.#index.parent(row)) yield this.#entryAt(row);
  }

  window(leaf: string | null): Window {
    const window = windowAt(this.ancestry(leaf), { settle: false });
    return window.settled ? window : settledBy(window, this.#stateBefore(window.entries[0]));
  }

  commonAncestor(one: string | null, other: string | null): string | null {
    let [a, b] = [this.#row(known(this, one)), this.#row(known(this, other))];
    // A parent stands before its children, so the later of two rows is never the shared one.
    while (a !== b)
      if (a > b) a = this.#index.parent(a);
      else b = this.#index.parent(b);
    return a === ROOT ? null : idAt(this.#file, a);
  }

  branchSummaries(fromIds: ReadonlySet<string>): readonly BranchSummaryEntry[] {
    return branchSummaries(this.#ofKind("branch_summary"), fromIds);
  }

  labels(): ReadonlyMap<string, string> {
    return labels(this.#ofKind("label"));
  }

  name(): string | undefined {
    for (const row of this.#index.ofKind("session_info").reverse()) {
      const entry = this.#entryAt(row);
      // A line may be of another shape than its kind promises; then it says nothing.
      if (entry.type === "session_info") return entry.name?.trim() || undefined;
    }
    return undefined;
  }

  #ofKind(kind: Kind): readonly Entry[] {
    return this.#index.ofKind(kind).map((row) => this.#entryAt(row));
  }

  // Only lines of kinds that set something are read; of most the newest decides, and a compaction of ours holds them all.
  #stateBefore(first: Entry | undefined): readonly Entry[] {
    const before: Entry[] = [];
    const wanted = new Set<Kind>([
      "assistant",
      "model_change",
      "thinking_level_change",
      "active_tools_change",
      ...PILING_UP,
    ]);
    for (let row = this.#index.parent(this.#row(first?.id ?? null)); row !== ROOT; row = this.#index.parent(row)) {
      const kind = this.#index.kind(row);
      if (!wanted.has(kind)) continue;
      const entry = this.#entryAt(row);
      if (entry.type === "unknown" || entry.type === "gap") continue;
      before.push(entry);
      if (carriedBy(entry)) break;
      if (kind === "assistant" || kind === "model_change") for (const settled of MODEL) wanted.delete(settled);
      else if (!PILING_UP.includes(kind)) wanted.delete(kind);
    }
    return before.reverse();
  }

  #row(id: string | null): number {
    if (id === null) return ROOT;
    return this.#index.find(id, (row) => idAt(this.#file, row) === id);
  }

  // A line may have been damaged since it was indexed: then a gap stands in its place.
  #entryAt(row: number): Entry {
    const reading = readLine(bytesAt(this.#file, row), this.#file.rules);
    const entry = reading.type === "whole" ? entryAlone(reading.value) : null;
    const number = this.#index.number(row);
    if (reading.type === "whole" && reading.blemish) this.#noteDamage(row, reading.blemish);
    if (entry) return withNumber(entry, number);
    const parent = this.#index.parent(row);
    const kind = reading.type === "damaged" ? reading.kind : "malformed";
    const lost = reading.type === "damaged" ? reading.legible.kind : undefined;
    this.#noteDamage(row, kind);
    const gap: Entry = {
      type: "gap",
      id: idAt(this.#file, row),
      parentId: parent === ROOT ? null : idAt(this.#file, parent),
      timestamp: "",
      why: damageNotes[kind],
      ...(lost && { kind: lost }),
    };
    return withNumber(gap, number);
  }

  #noteDamage(row: number, kind: DamageKind): void {
    const offset = this.#index.offset(row);
    this.#damaged.set(offset, named(kind, { number: 0, offset, length: this.#index.length(row) }));
  }

  get #index(): LineIndex {
    return this.#file.index;
  }
}

const MODEL: readonly Kind[] = ["assistant", "model_change"];
/** Kinds of which each says something of its own: pins come and go. */
const PILING_UP: readonly Kind[] = ["compaction", "custom", "custom_message", "context_edit"];
