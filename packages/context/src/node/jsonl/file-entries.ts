/** Reads the entries of a valid file on demand: the end of the active branch without the line index, everything else through it. */

import type { BranchSummaryEntry, Entry } from "../../entry.ts";
import { createDamage, type Damage, type DamageKind, damageNotes } from "../../format/damage.ts";
import { parseEntry, readReservedNumber, withEntryNumber } from "../../format/entry-line.ts";
import { lineText, readLine } from "../../format/read-line.ts";
import { type LoadedBranch, loadBranchFrom, withEarlierState } from "../../session/loaded-branch.ts";
import { stateInCompaction } from "../../session/state.ts";
import { type EntryReader, requireId } from "../../session/store.ts";
import { collectLabels, findBranchSummaries } from "../../tree.ts";
import {
  type FileWithIndex,
  indexLines,
  LineIndex,
  type LineKind,
  nextRowNumber,
  ROOT_ROW,
  readRowBytes,
  readRowId,
  toLineFields,
} from "./line-index.ts";
import { AncestorReader, type ValidFile } from "./read-header-and-tail.ts";

/** The entries of a session file, read when they are needed. */
export class FileEntries implements EntryReader {
  #file: ValidFile & FileWithIndex;
  #coveredEnd: number;
  /** The damage by offset. */
  readonly #damaged = new Map<number, Damage>();

  constructor(file: ValidFile) {
    this.#file = { ...file, index: new LineIndex() };
    this.#coveredEnd = file.start;
  }

  /** The lines that turned out damaged when they were read through the index. Their line numbers are 0. */
  get damage(): readonly Damage[] {
    return [...this.#damaged.values()];
  }

  get leaf(): string | null {
    return this.#file.leaf;
  }

  /** Whether the index covers the whole file. */
  get isIndexed(): boolean {
    return this.#coveredEnd >= this.#file.end;
  }

  /** The index, and the offset up to which it covers the file. */
  get index(): { readonly index: LineIndex; readonly coveredEnd: number } {
    return { index: this.#index, coveredEnd: this.#coveredEnd };
  }

  /** The offset of the first line after the header. */
  get start(): number {
    return this.#file.start;
  }

  /** The offset where the last intact line ends. */
  get end(): number {
    return this.#file.end;
  }

  /** The number of entries. The index must be complete. */
  get count(): number {
    return this.#index.rows;
  }

  /** Uses an index that was saved on disk. */
  useIndex({ index, coveredEnd }: { readonly index: LineIndex; readonly coveredEnd: number }): void {
    this.#file = { ...this.#file, index };
    this.#coveredEnd = coveredEnd;
  }

  /** The index must be complete. */
  entriesFrom(position: number, limit: number): readonly Entry[] {
    const length = Math.max(0, Math.min(limit, this.count - position));
    return Array.from({ length }, (_, index) => this.#readEntry(position + index));
  }

  /** Loads the branch at the leaf from the end of the file, without the index. Returns null if that is not possible. */
  tryLoadLeafBranch(): LoadedBranch | null {
    if (this.leaf === null) return loadBranchFrom([]);
    const ancestors = new AncestorReader(this.#file, this.#file.end);
    const branch = loadBranchFrom(ancestors.entries(), { requireState: false });
    return ancestors.failed ? null : branch;
  }

  /** Completes the index in steps. Returns whether every line is valid. */
  *completeIndex(): Generator<undefined, boolean> {
    if (this.isIndexed) return true;
    // Lines that are appended during this loop are indexed by the next call.
    const { end } = this.#file;
    const isValid = yield* indexLines(this.#file, this.#coveredEnd, end);
    this.#coveredEnd = end;
    return isValid;
  }

  /** Updates the file after another process has appended to it. The new lines are indexed by `completeIndex`. */
  updateFile(file: ValidFile): void {
    const { index } = this.#file;
    const last = index.rows - 1;
    // If another process wrote at the same time, the last line is not at the offset in the index.
    const indexMatches = last < 0 || readRowId(this.#file, last) === this.leaf || this.#coveredEnd < this.#file.end;
    this.#file = { ...file, index: indexMatches ? index : new LineIndex() };
    if (!indexMatches) this.#coveredEnd = file.start;
  }

  /** Adds an entry that was just written. The index must be complete. */
  addEntry(
    entry: Entry,
    _text: string,
    { offset, length }: { readonly offset: number; readonly length: number },
  ): void {
    const fields = toLineFields(entry);
    const { id, kind } = fields;
    const end = offset + length + 1;
    // The parent is usually the leaf, which is the last row.
    const parent =
      entry.parentId !== null && entry.parentId === this.leaf ? this.count - 1 : this.#findRow(entry.parentId);
    this.#index.add({ id, kind, offset, length, parent, number: nextRowNumber(this.#file, fields) });
    this.#coveredEnd = end;
    this.#file = { ...this.#file, end, leaf: id, hasLineEnd: true };
  }

  /** The highest number in use. The index must be complete. */
  get lastNumber(): number {
    return Math.max(this.#index.lastNumber, readReservedNumber(this.#file.header));
  }

  entryByNumber(number: number): Entry | undefined {
    const row = this.#index.findNumber(number);
    return row === ROOT_ROW ? undefined : this.#readEntry(row);
  }

  /** Returns the offset of the line of an entry. */
  lineOffset(id: string): number {
    return this.#index.offset(this.#findRow(id));
  }

  has(id: string): boolean {
    return id === this.leaf || this.#findRow(id) !== ROOT_ROW;
  }

  entry(id: string): Entry | undefined {
    const row = this.#findRow(id);
    return row === ROOT_ROW ? undefined : this.#readEntry(row);
  }

  text(id: string): string | undefined {
    const row = this.#findRow(id);
    if (row === ROOT_ROW || this.#readEntry(row).type === "gap") return undefined;
    return lineText(readRowBytes(this.#file, row), this.#file.rules.isPithFormat);
  }

  children(id: string | null): readonly Entry[] {
    const parent = this.#findRow(id);
    if (parent === ROOT_ROW && id !== null) return [];
    return this.#index.children(parent).map((row) => this.#readEntry(row));
  }

  *ancestry(leaf: string | null): Generator<Entry> {
    for (let row = this.#findRow(requireId(this, leaf)); row !== ROOT_ROW; row = this.#index.parent(row))
      yield this.#readEntry(row);
  }

  loadBranch(leaf: string | null): LoadedBranch {
    const branch = loadBranchFrom(this.ancestry(leaf), { requireState: false });
    return branch.isStateComplete ? branch : withEarlierState(branch, this.#earlierStateEntries(branch.entries[0]));
  }

  commonAncestor(one: string | null, other: string | null): string | null {
    let [a, b] = [this.#findRow(requireId(this, one)), this.#findRow(requireId(this, other))];
    // A parent comes before its children, so the later of two different rows is not the common ancestor.
    while (a !== b)
      if (a > b) a = this.#index.parent(a);
      else b = this.#index.parent(b);
    return a === ROOT_ROW ? null : readRowId(this.#file, a);
  }

  branchSummaries(fromIds: ReadonlySet<string>): readonly BranchSummaryEntry[] {
    return findBranchSummaries(this.#entriesOfKind("branch_summary"), fromIds);
  }

  labels(): ReadonlyMap<string, string> {
    return collectLabels(this.#entriesOfKind("label"));
  }

  name(): string | undefined {
    for (const row of this.#index.rowsOfKind("session_info").reverse()) {
      const entry = this.#readEntry(row);
      // A malformed line is read as an unknown entry, and the name before it counts.
      if (entry.type === "session_info") return entry.name?.trim() || undefined;
    }
    return undefined;
  }

  #entriesOfKind(kind: LineKind): readonly Entry[] {
    return this.#index.rowsOfKind(kind).map((row) => this.#readEntry(row));
  }

  // Reads only lines that set state. For most kinds only the newest counts; a compaction with stored state ends the search.
  #earlierStateEntries(first: Entry | undefined): readonly Entry[] {
    const entries: Entry[] = [];
    const wantedKinds = new Set<LineKind>([
      "assistant",
      "model_change",
      "thinking_level_change",
      "active_tools_change",
      ...CUMULATIVE_KINDS,
    ]);
    for (
      let row = this.#index.parent(this.#findRow(first?.id ?? null));
      row !== ROOT_ROW;
      row = this.#index.parent(row)
    ) {
      const kind = this.#index.kind(row);
      if (!wantedKinds.has(kind)) continue;
      const entry = this.#readEntry(row);
      if (entry.type === "unknown" || entry.type === "gap") continue;
      entries.push(entry);
      if (stateInCompaction(entry)) break;
      if (kind === "assistant" || kind === "model_change")
        for (const modelKind of MODEL_KINDS) wantedKinds.delete(modelKind);
      else if (!CUMULATIVE_KINDS.includes(kind)) wantedKinds.delete(kind);
    }
    return entries.reverse();
  }

  #findRow(id: string | null): number {
    if (id === null) return ROOT_ROW;
    return this.#index.find(id, (row) => readRowId(this.#file, row) === id);
  }

  // A line may have been damaged after it was indexed; it is read as a gap then.
  #readEntry(row: number): Entry {
    const parsed = readLine(readRowBytes(this.#file, row), this.#file.rules);
    const entry = parsed.type === "intact" ? parseEntry(parsed.value) : null;
    const number = this.#index.number(row);
    if (parsed.type === "intact" && parsed.minorDamage) this.#recordDamage(row, parsed.minorDamage);
    if (entry) return withEntryNumber(entry, number);
    const parent = this.#index.parent(row);
    const kind = parsed.type === "damaged" ? parsed.kind : "malformed";
    const lostKind = parsed.type === "damaged" ? parsed.legible.kind : undefined;
    this.#recordDamage(row, kind);
    const gap: Entry = {
      type: "gap",
      id: readRowId(this.#file, row),
      parentId: parent === ROOT_ROW ? null : readRowId(this.#file, parent),
      timestamp: "",
      why: damageNotes[kind],
      ...(lostKind && { kind: lostKind }),
    };
    return withEntryNumber(gap, number);
  }

  #recordDamage(row: number, kind: DamageKind): void {
    const offset = this.#index.offset(row);
    this.#damaged.set(offset, createDamage(kind, { number: 0, offset, length: this.#index.length(row) }));
  }

  get #index(): LineIndex {
    return this.#file.index;
  }
}

const MODEL_KINDS: readonly LineKind[] = ["assistant", "model_change"];
/** Kinds of which every entry counts, such as pins and unpins. */
const CUMULATIVE_KINDS: readonly LineKind[] = ["compaction", "custom", "custom_message", "context_edit"];
