/** A session kept in a file: one line an entry, appended and never changed. Whatever happens to the process, the file is whole. */

import type { Entry, Header } from "../../entry.ts";
import type { FormatLimits } from "../../limits.ts";
import type { Ports } from "../../ports.ts";
import type { Damage } from "../../session/codec/damage.ts";
import { isNewer } from "../../session/codec/session-file.ts";
import { LineStore, verdict } from "../../session/line-store.ts";
import type { Lines } from "../../session/lines.ts";
import type { Appended, Fence, Refusal } from "../../session/store.ts";
import type { Window } from "../../session/window.ts";
import { diskError, type Files } from "../files/files.ts";
import type { Lease } from "../lease/lease.ts";
import type { Processes } from "../lease/owner.ts";
import { type Found, foundGrown, foundIn, foundWhole } from "./found.ts";
import { Indexing } from "./indexing/indexing.ts";
import { FileLines } from "./lines/file-lines.ts";
import { type Following, polled } from "./polled.ts";
import { encodedBatch } from "./writing/encode-batch.ts";
import { type Durability, LogFile, refusalOf } from "./writing/log-file.ts";
import { madeAppendable } from "./writing/make-appendable.ts";

/** What a store is made of; what is not said is the real machine's. */
export interface StoreParts {
  readonly files?: Files;
  readonly ports?: Pick<Ports, "now" | "sessionId" | "nonce" | "checksum">;
  readonly processes?: Processes;
  readonly limits?: FormatLimits;
  readonly durability?: Durability;
}

export type AllParts = Required<StoreParts>;

export class JsonlStore extends LineStore {
  readonly path: string;
  readonly #parts: AllParts;
  /** Null for a follower. */
  readonly #lease: Lease | null;
  readonly #indexing: Indexing;
  #log: LogFile;
  #found: Found;
  #indexed: Promise<void> | null = null;
  #closed = false;

  /** By `openStore` and `createStore` only. */
  constructor(log: LogFile, lease: Lease | null, parts: AllParts) {
    super();
    this.path = log.path;
    this.#parts = parts;
    this.#lease = lease;
    this.#log = log;
    this.#found = foundIn(log, parts);
    this.#indexing = new Indexing(log.path, parts.files, parts.ports.checksum);
  }

  get header(): Header {
    return this.#found.header;
  }

  /** What was found to be wrong so far; `check` looks at every line. */
  get damage(): readonly Damage[] {
    return this.#found.damage;
  }

  /** Whether this process may write. */
  get isWriter(): boolean {
    return !this.#closed && !this.#log.isBroken && (this.#lease?.holds() ?? false);
  }

  override async leaf(): Promise<string | null> {
    this.#look();
    return this.#found.lines.leaf;
  }

  override async window(leaf: string | null): Promise<Window> {
    const { lines } = this.#found;
    const atOnce = lines instanceof FileLines && !lines.isIndexed && leaf === lines.leaf ? lines.glance() : null;
    return atOnce ?? super.window(leaf);
  }

  async append(batch: readonly Entry[], fence: Fence): Promise<Appended> {
    if (this.#closed) return this.#refused("closed");
    try {
      if (!this.#isIndexed()) await this.lines();
      const news = this.#look();
      if (!this.#isIndexed()) await this.lines();
      const { lines } = this.#found;
      // From here on nothing waits, so nothing comes between.
      const why = this.#whyNot(news);
      if (why) return this.#refused(why);
      const found = verdict(lines, batch, fence);
      if (found.type !== "to-write") return found;
      const refusal = this.#tryToWrite(batch, found.texts);
      return refusal ? this.#refused(refusal) : { type: "appended", leaf: this.#found.lines.leaf };
    } catch (error) {
      return this.#refused(refusalOf(error));
    }
  }

  /** Waits until all that was appended is on the disk; in `fast` mode the end of a turn asks for it. False if the disk failed. */
  async sync(): Promise<boolean> {
    return this.#log.sync();
  }

  /** Looks at every line of the file. */
  async check(): Promise<readonly Damage[]> {
    return foundWhole(this.#log, this.#parts).damage;
  }

  /** The index, made before anybody asks for what needs it. Others work in between. */
  async prepare(): Promise<void> {
    await this.lines();
  }

  /** The entries that come in from the first look on, whoever writes them: each once, in file order. Ends when aborted, or when the file is gone. */
  async *follow(following: Following): AsyncGenerator<readonly Entry[]> {
    await this.lines();
    let seen = this.#found.lines.count;
    yield* polled(following, async () => {
      if (this.#look() === "file-removed") return null;
      await this.lines();
      const fresh = this.#found.lines.entriesFrom(seen);
      seen += fresh.length;
      return fresh;
    });
  }

  /** Waits for the disk, keeps the index and gives up the lease. A second time there is nothing to do. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#log.sync();
    try {
      this.#keepIndex();
      this.#lease?.release();
    } catch (error) {
      // Neither is needed: an index is made again, and the lease of a process that has ended is anybody's.
      if (diskError(error) === "") throw error;
    } finally {
      this.#log.close();
    }
  }

  protected async lines(): Promise<Lines> {
    if (this.#closed) throw new Error(`${this.path} was closed; open it again`);
    this.#indexed ??= this.#index();
    try {
      await this.#indexed;
    } catch (error) {
      this.#indexed = null;
      throw error;
    }
    return this.#found.lines;
  }

  #isIndexed(): boolean {
    return !(this.#found.lines instanceof FileLines) || this.#found.lines.isIndexed;
  }

  async #index(): Promise<void> {
    const { lines } = this.#found;
    if (!(lines instanceof FileLines) || lines.isIndexed) return;
    const sound = await this.#indexing.complete(lines, this.#log.file);
    if (!sound) this.#found = foundWhole(this.#log, this.#parts);
    this.#keepIndex();
  }

  // The look at the lease comes last: it is a look at the disk.
  #keepIndex(every?: number): void {
    const { lines } = this.#found;
    if (!(lines instanceof FileLines) || !this.#indexing.isWorthKeeping(lines, every) || !this.#lease?.holds()) return;
    this.#indexing.keep(lines, this.#log.file);
  }

  // Takes in what another hand has added; whatever else happened to the file is for whoever wants to append.
  #look(): "none" | Refusal {
    if (this.#closed) throw new Error(`${this.path} was closed; open it again`);
    const news = this.#log.news();
    if (news === "grown") this.#takeIn(() => foundGrown(this.#found, this.#log, this.#parts));
    // A follower goes along with its writer: one that cuts off a torn end, or puts a migrated file in the old one's place.
    else if (news === "file-shortened" && !this.#lease) this.#takeIn(() => foundIn(this.#log, this.#parts));
    else if (news === "file-replaced" && !this.#lease) return this.#openAgain();
    else return news;
    return "none";
  }

  #takeIn(find: () => Found): void {
    this.#log.acknowledge();
    this.#found = find();
    this.#indexed = null;
  }

  #openAgain(): "none" | Refusal {
    const { files } = this.#parts;
    // A link or a folder is no successor.
    if (files.stat(this.path)?.kind !== "file") return "file-replaced";
    const log = new LogFile(this.path, files.open(this.path, "read"), files);
    this.#log.close();
    this.#log = log;
    this.#takeIn(() => foundIn(log, this.#parts));
    return "none";
  }

  #whyNot(news: "none" | Refusal): Refusal | null {
    const { unready } = this.#found;
    if (!this.#lease) return "read-only";
    // The lease lies beside the file, and goes where it goes.
    if (news === "file-removed") return news;
    if (!this.#lease.holds()) return "lease-lost";
    if (unready?.type === "whole" && isNewer(unready.file)) return "newer-version";
    return news === "none" ? null : news;
  }

  #refused(why: Refusal): Appended {
    return { type: "refused", why, leaf: this.#found.lines.leaf };
  }

  #tryToWrite(batch: readonly Entry[], texts: readonly string[]): Refusal | null {
    try {
      return this.#write(batch, texts);
    } catch (error) {
      const why = refusalOf(error);
      if (why === "disk-error") this.#log.giveUp();
      return why;
    }
  }

  #write(batch: readonly Entry[], texts: readonly string[]): Refusal | null {
    const { files, ports } = this.#parts;
    ({ log: this.#log, found: this.#found } = madeAppendable(
      { log: this.#log, found: this.#found },
      files,
      ports.checksum,
    ));
    const { ours } = this.#found;
    // A file of pi has no marks to tell by what is missing, so every line waits for the disk.
    const durability = ours ? this.#parts.durability : "durable";
    if (durability === "fast" && !this.#log.startRun()) return "disk-error";
    const { bytes, places } = encodedBatch(texts, {
      ours,
      checksum: ports.checksum,
      up: this.#up(batch[0]),
      run: durability === "fast" ? this.#log.runStart : undefined,
      afterUnended: !this.#log.isEnded(),
    });
    const written = this.#log.append(bytes, { lines: texts.length, durability });
    if (written.type === "refused") return written.why;
    const { lines } = this.#found;
    batch.forEach((entry, at) => {
      const { offset = 0, length = 0 } = places[at] ?? {};
      lines.take(entry, texts[at] ?? "", { offset: written.offset + offset, length });
    });
    this.#keepIndex(KEEP_EVERY);
    return null;
  }

  // MOVE2: where the line before is not the parent, the line says where the parent stands.
  #up(first: Entry | undefined): number | undefined {
    const { lines } = this.#found;
    const parentId = first?.parentId ?? null;
    if (parentId === null || parentId === lines.leaf || !(lines instanceof FileLines)) return undefined;
    return lines.offsetOf(parentId);
  }
}

const KEEP_EVERY = 8 * 1024 * 1024;
