/** A session kept in memory: the bytes of its file, and the tree that they mean. */

import type { Entry, Header } from "../entry.ts";
import type { Ports } from "../ports.ts";
import { checkBatch } from "./check-batch.ts";
import type { Damage } from "./codec/damage.ts";
import { newHeader, type Origin } from "./codec/header.ts";
import { sealed } from "./codec/line/seal.ts";
import { entryText } from "./codec/line/write-line.ts";
import { decodeSession, encodeSession, markedHeader, type SessionFile } from "./codec/session-file.ts";
import type { Appended, Fence, Store } from "./store.ts";
import { ancestry, branch, commonAncestor, type GrowingTree, grow, labels, treeOf } from "./tree.ts";
import { type Window, windowAt } from "./window.ts";

type StorePorts = Pick<Ports, "now" | "sessionId" | "checksum">;

export class MemoryStore implements Store {
  /** What was wrong with the bytes it was opened from. */
  readonly damage: readonly Damage[];
  readonly #ports: StorePorts;
  #header: Header;
  readonly #tree: GrowingTree;
  readonly #texts: Map<string, () => string | null>;
  #chunks: Uint8Array[];
  #ours: boolean;
  /** Set until the first append: the file as it was found. */
  #found: SessionFile | null;
  #leaf: string | null;
  #name: string | undefined;

  /** A new, empty session. */
  static create(ports: StorePorts, origin: Origin = { cwd: "" }): MemoryStore {
    return MemoryStore.open(encodeSession([JSON.stringify(newHeader(origin, ports))], ports.checksum), ports);
  }

  /** A session from the bytes of its file, of any version and in any state. Opening changes nothing. */
  static open(bytes: Uint8Array, ports: StorePorts): MemoryStore {
    return new MemoryStore(bytes, decodeSession(bytes, ports), ports);
  }

  private constructor(bytes: Uint8Array, file: SessionFile, ports: StorePorts) {
    this.#ports = ports;
    this.#chunks = [bytes];
    this.#found = file;
    this.#ours = file.ours;
    this.#header = file.header ?? newHeader({ cwd: "" }, ports);
    this.damage = file.damage;
    this.#tree = treeOf(file.lines.map((line) => line.entry));
    this.#texts = new Map(file.lines.map((line) => [line.entry.id, line.text]));
    this.#leaf = file.lines.findLast((line) => line.entry.type !== "gap")?.entry.id ?? null;
    this.#name = nameAfter(undefined, this.#tree.entries.values());
  }

  get header(): Header {
    return this.#header;
  }

  /** The session as a file. */
  bytes(): Uint8Array {
    if (this.#chunks.length > 1) this.#chunks = [joined(this.#chunks)];
    return this.#chunks[0] ?? new Uint8Array();
  }

  async append(batch: readonly Entry[], { expectedLeaf }: Fence): Promise<Appended> {
    const texts = batch.map((entry) => entryText(entry));
    if (batch.every((entry, at) => this.#texts.get(entry.id)?.() === texts[at]))
      return { type: "appended", leaf: this.#leaf };
    if (expectedLeaf !== this.#leaf) return { type: "leaf-moved", leaf: this.#leaf };
    checkBatch(batch, {
      above: () => ancestry(this.#tree, batch[0]?.parentId ?? null),
      has: (id) => this.#tree.entries.has(id),
    });
    this.#write(texts);
    for (const [at, entry] of batch.entries()) this.#take(entry, texts[at] ?? "");
    return { type: "appended", leaf: this.#leaf };
  }

  async leaf(): Promise<string | null> {
    return this.#leaf;
  }

  async window(leaf: string | null): Promise<Window> {
    return windowAt(ancestry(this.#tree, this.#known(leaf)));
  }

  async entry(id: string): Promise<Entry | undefined> {
    return this.#tree.entries.get(id);
  }

  async children(id: string | null): Promise<readonly Entry[]> {
    return this.#tree.children.get(id) ?? [];
  }

  async branch(leaf: string | null): Promise<readonly Entry[]> {
    return branch(this.#tree, this.#known(leaf));
  }

  async commonAncestor(one: string | null, other: string | null): Promise<string | null> {
    return commonAncestor(this.#tree, this.#known(one), this.#known(other));
  }

  async labels(): Promise<ReadonlyMap<string, string>> {
    return labels(this.#tree);
  }

  async name(): Promise<string | undefined> {
    return this.#name;
  }

  async line(id: string): Promise<string | undefined> {
    return this.#texts.get(id)?.() ?? undefined;
  }

  #known(id: string | null): string | null {
    if (id !== null && !this.#tree.entries.has(id)) throw new Error(`entry ${id} is not in this session`);
    return id;
  }

  #take(entry: Entry, text: string): void {
    grow(this.#tree, entry);
    this.#texts.set(entry.id, () => text);
    this.#leaf = entry.id;
    this.#name = nameAfter(this.#name, [entry]);
  }

  #write(texts: readonly string[]): void {
    if (this.#found) this.#makeAppendable(this.#found);
    this.#found = null;
    const { checksum } = this.#ports;
    const size = texts.length;
    const line = (text: string, at: number): string =>
      this.#ours ? sealed(text, size > 1 ? [at + 1, size] : null, checksum) : text;
    this.#chunks.push(new TextEncoder().encode(texts.map((text, at) => `${line(text, at)}\n`).join("")));
  }

  // LOG5: a file is migrated at the first append, never by opening it; a torn end goes, everything whole stays as it is.
  #makeAppendable(file: SessionFile): void {
    if (file.damage.some(({ kind }) => kind === "future-version"))
      throw new Error("a newer program wrote this session; it can only be read here, or forked");
    if (file.outdated) {
      const texts = file.lines.map((line) => line.text() ?? entryText(line.entry));
      const header = markedHeader(file.headerText ?? JSON.stringify(this.header));
      this.#chunks = [encodeSession([header, ...texts], this.#ports.checksum)];
      this.#header = JSON.parse(header) as Header;
      this.#ours = true;
      return;
    }
    const whole = this.bytes().subarray(0, file.end);
    this.#chunks = whole.at(-1) === LINE_END ? [whole] : [whole, Uint8Array.of(LINE_END)];
  }
}

const LINE_END = 0x0a;

function nameAfter(name: string | undefined, entries: Iterable<Entry>): string | undefined {
  let latest = name;
  for (const entry of entries) if (entry.type === "session_info") latest = entry.name?.trim() || undefined;
  return latest;
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
