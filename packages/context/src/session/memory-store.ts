/** Implements a session store in memory: the bytes of the session file, and the tree of its entries. */

import type { BranchSummaryEntry, Entry, Header } from "../entry.ts";
import type { Damage } from "../format/damage.ts";
import { entryNumber, reservedNumber, withNumber } from "../format/entry-number.ts";
import { sealed } from "../format/line-checksum.ts";
import type { Line } from "../format/link-entries.ts";
import {
  decodeSession,
  encodeSession,
  isNewer,
  migrated,
  newHeader,
  type Origin,
  type SessionFile,
} from "../format/session-file.ts";
import type { Ports } from "../runtime.ts";
import { ancestry, branchSummaries, commonAncestor, type GrowingTree, grow, labels, treeOf } from "../tree.ts";
import { type Window, windowAt } from "./loaded-branch.ts";
import { type Appended, type Fence, known, LineStore, type Lines, verdict } from "./store.ts";

export class HeldLines implements Lines {
  readonly #tree: GrowingTree;
  readonly #texts: Map<string, () => string | null>;
  readonly #byNumber = new Map<number, Entry>();
  readonly #reserved: number;
  #highest = 0;
  #leaf: string | null;
  #name: string | undefined;

  /** `reserved` is what the header says of the numbers in use elsewhere. */
  constructor(lines: readonly Line[], reserved: number) {
    this.#reserved = reserved;
    this.#tree = treeOf(lines.map((line) => line.entry));
    for (const { entry } of lines) this.#count(entry);
    this.#texts = new Map(lines.map((line) => [line.entry.id, line.text]));
    this.#leaf = lines.findLast((line) => !line.isStray)?.entry.id ?? null;
    for (const { entry } of lines) this.#rename(entry);
  }

  get leaf(): string | null {
    return this.#leaf;
  }

  get lastNumber(): number {
    return Math.max(this.#highest, this.#reserved);
  }

  get count(): number {
    return this.#tree.entries.size;
  }

  /** In file order, beginning with the one that has so many before it. */
  entriesFrom(at: number): readonly Entry[] {
    return [...this.#tree.entries.values()].slice(at);
  }

  take(written: Entry, text: string): void {
    const number = entryNumber(written.number, { previous: this.#highest, reserved: this.#reserved });
    const entry = withNumber(written, number);
    grow(this.#tree, entry);
    this.#count(entry);
    this.#texts.set(entry.id, () => text);
    this.#leaf = entry.id;
    this.#rename(entry);
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
    return ancestry(this.#tree, known(this, leaf));
  }

  window(leaf: string | null): Window {
    return windowAt(this.ancestry(leaf));
  }

  commonAncestor(one: string | null, other: string | null): string | null {
    return commonAncestor(this.#tree, known(this, one), known(this, other));
  }

  branchSummaries(fromIds: ReadonlySet<string>): readonly BranchSummaryEntry[] {
    return branchSummaries(this.#tree.entries.values(), fromIds);
  }

  labels(): ReadonlyMap<string, string> {
    return labels(this.#tree.entries.values());
  }

  name(): string | undefined {
    return this.#name;
  }

  #count(entry: Entry): void {
    if (entry.number === undefined) return;
    this.#byNumber.set(entry.number, entry);
    this.#highest = entry.number;
  }

  #rename(entry: Entry): void {
    if (entry.type === "session_info") this.#name = entry.name?.trim() || undefined;
  }
}

type StorePorts = Pick<Ports, "now" | "sessionId" | "checksum">;

/** A store without a disk: made from the bytes of a file, and given back as such. */
export class MemoryStore extends LineStore {
  /** What was wrong with the bytes it was opened from. */
  readonly damage: readonly Damage[];
  readonly #ports: StorePorts;
  #header: Header;
  readonly #lines: HeldLines;
  #chunks: Uint8Array[];
  #ours: boolean;
  /** Set until the first append: the file as it was found. */
  #found: SessionFile | null;

  /** A new, empty session. */
  static create(ports: StorePorts, origin: Origin = { cwd: "" }): MemoryStore {
    return MemoryStore.open(encodeSession([JSON.stringify(newHeader(origin, ports))], ports.checksum), ports);
  }

  /** A session from the bytes of its file, of any version and in any state. Opening changes nothing. */
  static open(bytes: Uint8Array, ports: StorePorts): MemoryStore {
    return new MemoryStore(bytes, decodeSession(bytes, ports), ports);
  }

  private constructor(bytes: Uint8Array, file: SessionFile, ports: StorePorts) {
    super();
    this.#ports = ports;
    this.#chunks = [bytes];
    this.#found = file;
    this.#ours = file.ours;
    this.#header = file.header ?? newHeader({ cwd: "" }, ports);
    this.damage = file.damage;
    this.#lines = new HeldLines(file.lines, reservedNumber(this.#header));
  }

  get header(): Header {
    return this.#header;
  }

  /** The session as a file. */
  bytes(): Uint8Array {
    if (this.#chunks.length > 1) this.#chunks = [joined(this.#chunks)];
    return this.#chunks[0] ?? new Uint8Array();
  }

  async append(batch: readonly Entry[], fence: Fence): Promise<Appended> {
    const found = verdict(this.#lines, batch, fence);
    if (found.type !== "to-write") return found;
    if (this.#found && isNewer(this.#found)) return { type: "refused", why: "newer-version", leaf: this.#lines.leaf };
    this.#write(found.texts);
    for (const [at, entry] of batch.entries()) this.#lines.take(entry, found.texts[at] ?? "");
    return { type: "appended", leaf: this.#lines.leaf };
  }

  protected async lines(): Promise<Lines> {
    return this.#lines;
  }

  #write(texts: readonly string[]): void {
    if (this.#found) this.#makeAppendable(this.#found);
    this.#found = null;
    const { checksum } = this.#ports;
    const size = texts.length;
    const line = (text: string, at: number): string =>
      this.#ours ? sealed(text, size > 1 ? { batch: [at + 1, size] } : {}, checksum) : text;
    this.#chunks.push(new TextEncoder().encode(texts.map((text, at) => `${line(text, at)}\n`).join("")));
  }

  // LOG5: a file is migrated at the first append, never by opening it; a torn end goes, everything whole stays as it is.
  #makeAppendable(file: SessionFile): void {
    if (file.outdated) {
      const { header, bytes } = migrated(file, this.header, this.#ports.checksum);
      this.#chunks = [bytes];
      this.#header = header;
      this.#ours = true;
      return;
    }
    const whole = this.bytes().subarray(0, file.end);
    this.#chunks = whole.at(-1) === LINE_END ? [whole] : [whole, Uint8Array.of(LINE_END)];
  }
}

const LINE_END = 0x0a;

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
