/** Implements a session store in memory: the bytes of a session file and the tree of its entries. */

import type { BranchSummaryEntry, Entry, Header } from "../entry.ts";
import type { Damage } from "../format/damage.ts";
import { readReservedNumber, resolveEntryNumber, withEntryNumber } from "../format/entry-line.ts";
import { withTrailer } from "../format/line-checksum.ts";
import type { EntryLine } from "../format/link-entries.ts";
import {
  createHeader,
  decodeSession,
  encodeSession,
  isNewerFormat,
  migrateSession,
  type SessionFile,
  type SessionOrigin,
} from "../format/session-file.ts";
import type { Runtime } from "../runtime.ts";
import {
  addToTree,
  ancestors,
  buildTree,
  collectLabels,
  commonAncestor,
  findBranchSummaries,
  type MutableTree,
} from "../tree.ts";
import { decideAppend, listAppendLookups, readAppendFacts } from "./append-rules.ts";
import { type LoadedBranch, loadBranchFrom } from "./loaded-branch.ts";
import { type AppendGuard, type AppendResult, BaseStore, type EntryReader, type Refusal, requireId } from "./store.ts";

type StoreRuntime = Pick<Runtime, "now" | "sessionId" | "checksum">;

/** A store in memory, which is opened from the bytes of a session file and can return such bytes. */
export class MemoryStore extends BaseStore {
  /** The damage in the bytes that the store was opened from. */
  readonly damage: readonly Damage[];
  readonly #runtime: StoreRuntime;
  #header: Header;
  readonly #entries: InMemoryEntries;
  #chunks: Uint8Array[];
  #isPithFormat: boolean;
  /** The file as it was opened; null after the first append. */
  #openedFile: SessionFile | null;
  #isTakenOver = false;

  /** Creates an empty session. */
  static create(runtime: StoreRuntime, origin: SessionOrigin = { cwd: "" }): MemoryStore {
    return MemoryStore.open(encodeSession([JSON.stringify(createHeader(origin, runtime))], runtime.checksum), runtime);
  }

  /** Opens a session from the bytes of a file of any version, even a damaged one. The bytes do not change before the first append. */
  static open(bytes: Uint8Array, runtime: StoreRuntime): MemoryStore {
    return new MemoryStore(bytes, decodeSession(bytes, runtime), runtime);
  }

  private constructor(bytes: Uint8Array, file: SessionFile, runtime: StoreRuntime) {
    super();
    this.#runtime = runtime;
    this.#chunks = [bytes];
    this.#openedFile = file;
    this.#isPithFormat = file.isPithFormat;
    this.#header = file.header ?? createHeader({ cwd: "" }, runtime);
    this.damage = file.damage;
    this.#entries = new InMemoryEntries(file.lines, readReservedNumber(this.#header));
  }

  get header(): Header {
    return this.#header;
  }

  /** Returns the session as the bytes of a file. */
  bytes(): Uint8Array {
    if (this.#chunks.length > 1) this.#chunks = [concatBytes(this.#chunks)];
    return this.#chunks[0] ?? new Uint8Array();
  }

  async append(batch: readonly Entry[], guard: AppendGuard): Promise<AppendResult> {
    if (this.#isTakenOver) return this.#refuse("lease-lost");
    const facts = readAppendFacts(this.#entries, listAppendLookups(batch, guard));
    const decision = decideAppend(batch, guard, facts);
    if (decision.type !== "write") return decision;
    if (this.#openedFile && isNewerFormat(this.#openedFile)) return this.#refuse("newer-version");
    this.#write(decision.texts);
    for (const [index, entry] of batch.entries()) this.#entries.addEntry(entry, decision.texts[index] ?? "");
    return { type: "appended", leaf: this.#entries.leaf };
  }

  /** Opens the session for another writer. This store refuses every append from then on. */
  takeOver(): MemoryStore {
    this.#isTakenOver = true;
    return MemoryStore.open(this.bytes(), this.#runtime);
  }

  #refuse(why: Refusal): AppendResult {
    return { type: "refused", why, leaf: this.#entries.leaf };
  }

  protected async reader(): Promise<EntryReader> {
    return this.#entries;
  }

  #write(texts: readonly string[]): void {
    if (this.#openedFile) this.#makeAppendable(this.#openedFile);
    this.#openedFile = null;
    const { checksum } = this.#runtime;
    const size = texts.length;
    const line = (text: string, index: number): string =>
      this.#isPithFormat ? withTrailer(text, size > 1 ? { batch: [index + 1, size] } : {}, checksum) : text;
    this.#chunks.push(new TextEncoder().encode(texts.map((text, index) => `${line(text, index)}\n`).join("")));
  }

  // LOG5: the first append migrates an old file and cuts off a torn end. Opening changes nothing.
  #makeAppendable(file: SessionFile): void {
    if (file.needsRewrite) {
      const { header, bytes } = migrateSession(file, this.header, this.#runtime.checksum);
      this.#chunks = [bytes];
      this.#header = header;
      this.#isPithFormat = true;
      return;
    }
    const intactBytes = this.bytes().subarray(0, file.end);
    this.#chunks = intactBytes.at(-1) === LINE_END ? [intactBytes] : [intactBytes, Uint8Array.of(LINE_END)];
  }
}

const LINE_END = 0x0a;

function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** The entries of a session, all in memory. */
export class InMemoryEntries implements EntryReader {
  readonly #tree: MutableTree;
  readonly #texts: Map<string, () => string | null>;
  readonly #byNumber = new Map<number, Entry>();
  readonly #reservedNumber: number;
  #highestNumber = 0;
  #leaf: string | null;
  #name: string | undefined;

  /** `reservedNumber` is the highest number in use in the session that this one was copied from. */
  constructor(lines: readonly EntryLine[], reservedNumber: number) {
    this.#reservedNumber = reservedNumber;
    this.#tree = buildTree(lines.map((line) => line.entry));
    for (const { entry } of lines) this.#indexNumber(entry);
    this.#texts = new Map(lines.map((line) => [line.entry.id, line.text]));
    this.#leaf = lines.findLast((line) => !line.isStray)?.entry.id ?? null;
    for (const { entry } of lines) this.#updateName(entry);
  }

  get leaf(): string | null {
    return this.#leaf;
  }

  get lastNumber(): number {
    return Math.max(this.#highestNumber, this.#reservedNumber);
  }

  get count(): number {
    return this.#tree.entries.size;
  }

  entriesFrom(position: number, limit: number): readonly Entry[] {
    return [...this.#tree.entries.values()].slice(position, position + limit);
  }

  addEntry(newEntry: Entry, text: string): void {
    const number = resolveEntryNumber(newEntry.number, {
      previous: this.#highestNumber,
      reserved: this.#reservedNumber,
    });
    const entry = withEntryNumber(newEntry, number);
    addToTree(this.#tree, entry);
    this.#indexNumber(entry);
    this.#texts.set(entry.id, () => text);
    this.#leaf = entry.id;
    this.#updateName(entry);
  }

  has(id: string): boolean {
    return this.#tree.entries.has(id);
  }

  entry(id: string): Entry | undefined {
    return this.#tree.entries.get(id);
  }

  entryByNumber(number: number): Entry | undefined {
    return this.#byNumber.get(number);
  }

  text(id: string): string | undefined {
    return this.#tree.entries.get(id)?.type === "gap" ? undefined : (this.#texts.get(id)?.() ?? undefined);
  }

  children(id: string | null): readonly Entry[] {
    return this.#tree.children.get(id) ?? [];
  }

  ancestry(leaf: string | null): Iterable<Entry> {
    return ancestors(this.#tree, requireId(this, leaf));
  }

  loadBranch(leaf: string | null): LoadedBranch {
    return loadBranchFrom(this.ancestry(leaf));
  }

  commonAncestor(one: string | null, other: string | null): string | null {
    return commonAncestor(this.#tree, requireId(this, one), requireId(this, other));
  }

  branchSummaries(fromIds: ReadonlySet<string>): readonly BranchSummaryEntry[] {
    return findBranchSummaries(this.#tree.entries.values(), fromIds);
  }

  labels(): ReadonlyMap<string, string> {
    return collectLabels(this.#tree.entries.values());
  }

  name(): string | undefined {
    return this.#name;
  }

  #indexNumber(entry: Entry): void {
    if (entry.number === undefined) return;
    this.#byNumber.set(entry.number, entry);
    this.#highestNumber = entry.number;
  }

  #updateName(entry: Entry): void {
    if (entry.type === "session_info") this.#name = entry.name?.trim() || undefined;
  }
}
