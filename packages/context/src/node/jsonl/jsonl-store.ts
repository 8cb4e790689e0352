/** Stores a session in a file: one line per entry, appended and never changed. The file stays valid if the process dies. */

import type { Entry, Header } from "../../entry.ts";
import type { Damage } from "../../format/damage.ts";
import { isNewer } from "../../format/session-file.ts";
import type { Ports } from "../../runtime.ts";
import type { Window } from "../../session/loaded-branch.ts";
import { type Appended, type Fence, LineStore, type Lines, type Refusal, verdict } from "../../session/store.ts";
import type { FormatLimits } from "../../settings.ts";
import { type Files, orNull } from "../files.ts";
import type { Lease } from "../lease.ts";
import type { Processes } from "../process-owner.ts";
import { type Durability, encodedBatch, type LogFile, refusalOf } from "./append.ts";
import { FileLines } from "./file-entries.ts";
import { foundWhole, madeAppendable, type News, WatchedFile } from "./watched-file.ts";

export interface Following {
  readonly signal: AbortSignal;
  /** Milliseconds between two looks that find nothing. */
  readonly every?: number;
}

export async function* polled<Item>(
  { signal, every = 100 }: Following,
  /** Null ends it. */
  fresh: () => Promise<readonly Item[] | null>,
): AsyncGenerator<readonly Item[]> {
  while (!signal.aborted) {
    const items = await fresh();
    if (items === null) return;
    if (items.length > 0) yield items;
    else await pause(every, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

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
  readonly #file: WatchedFile;

  /** By `openStore` and `createStore` only. */
  constructor(log: LogFile, lease: Lease | null, parts: AllParts) {
    super();
    this.path = log.path;
    this.#parts = parts;
    this.#lease = lease;
    this.#file = new WatchedFile(log, lease === null, parts);
  }

  get header(): Header {
    return this.#file.found.header;
  }

  /** What was found to be wrong so far; `check` looks at every line. */
  get damage(): readonly Damage[] {
    return this.#file.found.damage();
  }

  /** Whether this process may write. */
  get isWriter(): boolean {
    return !this.#file.isClosed && !this.#file.log.isBroken && this.#isLeased();
  }

  override async leaf(): Promise<string | null> {
    this.#file.look();
    return this.#file.found.lines.leaf;
  }

  override async window(leaf: string | null): Promise<Window> {
    const { lines } = this.#file.found;
    const atOnce = lines instanceof FileLines && !lines.isIndexed && leaf === lines.leaf ? lines.glance() : null;
    return atOnce ?? super.window(leaf);
  }

  async append(batch: readonly Entry[], fence: Fence): Promise<Appended> {
    try {
      if (!this.#file.isIndexed) await this.#file.indexed();
      const news = this.#file.look();
      if (!this.#file.isIndexed) await this.#file.indexed();
      return this.#appendNow(batch, fence, news);
    } catch (error) {
      return this.#refused(this.#file.isClosed ? "closed" : refusalOf(error));
    }
  }

  /** Waits until all that was appended is on the disk; in `fast` mode the end of a turn asks for it. False if the disk failed. */
  async sync(): Promise<boolean> {
    return this.#file.log.sync();
  }

  /** What is wrong with the part of the file that opening reads. A short file is read whole, a long one as far as the context needs. */
  async damageAtOpening(): Promise<readonly Damage[]> {
    if (this.#file.log.size <= SHORT) await this.#file.indexed();
    else await this.window(await this.leaf());
    return this.damage;
  }

  /** Looks at every line of the file. */
  async check(): Promise<readonly Damage[]> {
    return foundWhole(this.#file.log, this.#parts).damage();
  }

  /** Makes the index before anybody asks for what needs it. Others work in between. */
  async prepare(): Promise<void> {
    try {
      await this.#file.indexed();
      this.#file.keepIndex(this.#isLeased);
    } catch (error) {
      // Whoever closed it wants no index any more.
      if (!this.#file.isClosed) throw error;
    }
  }

  /** The entries that come in from the first look on, whoever writes them: each once, in file order. Ends when aborted, or when the file is gone. */
  async *follow(following: Following): AsyncGenerator<readonly Entry[]> {
    let seen = (await this.#file.indexed()).count;
    yield* polled(following, async () => {
      if (this.#file.isClosed || this.#file.look() === "file-removed") return null;
      const lines = await this.#file.indexed();
      const fresh = lines.entriesFrom(seen);
      seen = lines.count;
      return fresh;
    });
  }

  /** Waits for the disk, keeps the index and gives up the lease. A second time there is nothing to do. False if the disk failed. */
  async close(): Promise<boolean> {
    if (this.#file.isClosed) return true;
    const synced = this.#file.log.sync();
    this.#file.keepIndex(this.#isLeased);
    this.#file.close();
    // A lease that cannot be given back ends with this process.
    orNull(() => this.#lease?.release());
    return synced;
  }

  protected lines(): Promise<Lines> {
    return this.#file.indexed();
  }

  /** Waits for nothing, so that nothing comes between the look at the file and the write. */
  #appendNow(batch: readonly Entry[], fence: Fence, news: News): Appended {
    const why = this.#whyNot(news);
    if (why) return this.#refused(why);
    const { lines, unready } = this.#file.found;
    // Half a line that was not there before is somebody's write under way: it is left alone until nothing is added any more.
    if (news === "grown" && unready?.type === "torn") return { type: "leaf-moved", leaf: lines.leaf };
    const found = verdict(lines, batch, fence, this.#parts.limits);
    if (found.type !== "to-write") return found;
    const outcome = this.#tryToWrite(batch, found.texts, fence);
    if (outcome === "written") return { type: "appended", leaf: lines.leaf };
    return outcome === "leaf-moved" ? { type: "leaf-moved", leaf: lines.leaf } : this.#refused(outcome);
  }

  #whyNot(news: News): Refusal | null {
    const { unready } = this.#file.found;
    if (!this.#lease) return "read-only";
    // The lease lies beside the file, and goes where it goes.
    if (news === "file-removed") return news;
    if (!this.#isLeased()) return "lease-lost";
    if (unready?.type === "whole" && isNewer(unready.file)) return "newer-version";
    return news === "none" || news === "grown" ? null : news;
  }

  #refused(why: Refusal): Appended {
    return { type: "refused", why, leaf: this.#file.found.lines.leaf };
  }

  #tryToWrite(batch: readonly Entry[], texts: readonly string[], fence: Fence): Outcome {
    try {
      return this.#write(batch, texts, fence);
    } catch (error) {
      const why = refusalOf(error);
      if (why === "disk-error") this.#file.log.giveUp();
      return why;
    }
  }

  #write(batch: readonly Entry[], texts: readonly string[], fence: Fence): Outcome {
    const { files, ports } = this.#parts;
    const appendable = madeAppendable(this.#file, files, ports.checksum);
    if (appendable === null) return "leaf-moved";
    this.#file.adopt(appendable);
    const { log, found } = appendable;
    // A file of pi has no marks to tell by what is missing, so every line waits for the disk.
    const durability = found.ours ? this.#durabilityOf(fence) : "durable";
    if (durability === "fast" && !log.startRun()) return "disk-error";
    const { bytes, places } = encodedBatch(texts, {
      ours: found.ours,
      checksum: ports.checksum,
      up: this.#up(batch[0]),
      // LOG13: also one that waits names them, if lines before it may not be on the disk yet.
      run: durability === "fast" || log.unsynced > 0 ? log.runStart : undefined,
      afterUnended: !log.isEnded(),
    });
    const written = log.append(bytes, { lines: texts.length, durability });
    if (written.type === "refused") return written.why;
    batch.forEach((entry, at) => {
      const { offset = 0, length = 0 } = places[at] ?? {};
      found.lines.take(entry, texts[at] ?? "", { offset: written.offset + offset, length });
    });
    this.#file.keepIndex(this.#isLeased, KEEP_EVERY);
    return "written";
  }

  #durabilityOf({ isReplaceable }: Fence): Durability {
    return isReplaceable ? "fast" : this.#parts.durability;
  }

  // MOVE2: where the line before is not the parent, the line says where the parent stands.
  #up(first: Entry | undefined): number | undefined {
    const { lines } = this.#file.found;
    const parentId = first?.parentId ?? null;
    if (parentId === null || parentId === lines.leaf || !(lines instanceof FileLines)) return undefined;
    return lines.offsetOf(parentId);
  }

  readonly #isLeased = (): boolean => this.#lease?.holds() ?? false;
}

type Outcome = "written" | "leaf-moved" | Refusal;

/** Bytes; a file up to this size is read in a few milliseconds. */
const SHORT = 1024 * 1024;

/** Bytes; a process that dies costs the next one no more than to look through so many. */
const KEEP_EVERY = 8 * 1024 * 1024;
