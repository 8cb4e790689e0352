/** Stores a session in a JSONL file: one line per entry, appended and never changed. The file stays valid if the process dies. */

import type { Entry, Header } from "../../entry.ts";
import type { Damage } from "../../format/damage.ts";
import { isNewerFormat } from "../../format/session-file.ts";
import type { Runtime } from "../../runtime.ts";
import { decideAppend, listAppendLookups, readAppendFacts } from "../../session/append-rules.ts";
import type { LoadedBranch } from "../../session/loaded-branch.ts";
import {
  type AppendGuard,
  type AppendResult,
  BaseStore,
  type EntryReader,
  type Refusal,
  type Store,
} from "../../session/store.ts";
import type { FormatLimits } from "../../settings.ts";
import { type Files, ignoreDiskErrors, preparedSummaryPath, readSmallFile } from "../files.ts";
import type { Lease, ProcessTable } from "../lease.ts";
import { type Durability, encodeBatch, type LogFile, toRefusal } from "./append.ts";
import { FileEntries } from "./file-entries.ts";
import { overwriteFileAtomically } from "./rewrite.ts";
import { type FileChange, FileWatcher, makeAppendable, readContentsFully } from "./watched-file.ts";

/** Options for a store. The defaults use the real file system, clock and processes. */
export interface StoreOptions {
  readonly files?: Files;
  readonly runtime?: Pick<Runtime, "now" | "sessionId" | "nonce" | "checksum">;
  readonly processes?: ProcessTable;
  readonly limits?: FormatLimits;
  readonly durability?: Durability;
}

/** Store options with all defaults. */
export type AllStoreOptions = Required<StoreOptions>;

/** A store in a JSONL file. */
export class JsonlStore extends BaseStore {
  readonly path: string;
  readonly #options: AllStoreOptions;
  /** Null for a follower, which only reads. */
  readonly #lease: Lease | null;
  readonly #file: FileWatcher;

  /** Use `openStore` or `createStore` instead. */
  constructor(log: LogFile, lease: Lease | null, options: AllStoreOptions) {
    super();
    this.path = log.path;
    this.#options = options;
    this.#lease = lease;
    this.#file = new FileWatcher(log, lease === null, options);
  }

  get header(): Header {
    return this.#file.contents.header;
  }

  /** The damage found so far. `check` reads every line. */
  get damage(): readonly Damage[] {
    return this.#file.contents.damage();
  }

  /** Whether this process can append. */
  get isWriter(): boolean {
    return !this.#file.isClosed && !this.#file.log.isBroken && this.#isLeased();
  }

  override async leaf(): Promise<string | null> {
    this.#file.checkForChanges();
    return this.#file.contents.entries.leaf;
  }

  override async loadBranch(leaf: string | null): Promise<LoadedBranch> {
    const { entries } = this.#file.contents;
    const leafBranch =
      entries instanceof FileEntries && !entries.isIndexed && leaf === entries.leaf
        ? entries.tryLoadLeafBranch()
        : null;
    return leafBranch ?? super.loadBranch(leaf);
  }

  async append(batch: readonly Entry[], guard: AppendGuard): Promise<AppendResult> {
    try {
      if (!this.#file.isIndexed) await this.#file.waitForIndex();
      const change = this.#file.checkForChanges();
      if (!this.#file.isIndexed) await this.#file.waitForIndex();
      return this.#appendNow(batch, guard, change);
    } catch (error) {
      return this.#refuse(this.#file.isClosed ? "closed" : toRefusal(error));
    }
  }

  /** Syncs all appended lines; in `fast` mode, call it at the end of a turn. Returns false if the disk failed. */
  async sync(): Promise<boolean> {
    return this.#file.log.sync();
  }

  /** Returns the damage in the part of the file that opening reads: all of a short one, or what the context needs of a long one. */
  async damageOnOpen(): Promise<readonly Damage[]> {
    if (this.#file.log.size <= SMALL_FILE_BYTES) await this.#file.waitForIndex();
    else await this.loadBranch(await this.leaf());
    return this.damage;
  }

  /** Reads every line of the file and returns all damage. */
  async check(): Promise<readonly Damage[]> {
    return readContentsFully(this.#file.log, this.#options).damage();
  }

  /** Builds the index in advance and lets other tasks run in between. */
  async prepareIndex(): Promise<void> {
    try {
      await this.#file.waitForIndex();
      this.#file.saveIndex(this.#isLeased);
    } catch (error) {
      // A closed store needs no index.
      if (!this.#file.isClosed) throw error;
    }
  }

  /** Yields entries that any process appends from now on, in file order. Ends when aborted or when the file is removed. */
  async *follow(options: FollowOptions): AsyncGenerator<readonly Entry[]> {
    let entryCount = (await this.#file.waitForIndex()).count;
    yield* pollItems(options, async () => {
      if (this.#file.isClosed || this.#file.checkForChanges() === "file-removed") return null;
      const entries = await this.#file.waitForIndex();
      const newEntries = entries.entriesFrom(entryCount, Infinity);
      entryCount = entries.count;
      return newEntries;
    });
  }

  /** PREP3: in a file beside the session. A file that cannot be written or read counts as missing. */
  readonly preparedSummary: NonNullable<Store["preparedSummary"]> = {
    read: async () => ignoreDiskErrors(() => readSmallFile(preparedSummaryPath(this.path), this.#options.files)),
    write: async (text) => {
      const { files } = this.#options;
      if (this.isWriter)
        ignoreDiskErrors(() => overwriteFileAtomically(preparedSummaryPath(this.path), Buffer.from(text), files));
    },
    remove: async () => {
      const { files } = this.#options;
      const path = preparedSummaryPath(this.path);
      if (this.isWriter) ignoreDiskErrors(() => files.stat(path) && files.remove(path));
    },
  };

  /** Syncs the file, saves the index and releases the lease. A second call does nothing. Returns false if the disk failed. */
  async close(): Promise<boolean> {
    if (this.#file.isClosed) return true;
    const isSynced = this.#file.log.sync();
    this.#file.saveIndex(this.#isLeased);
    this.#file.close();
    // A lease that cannot be released ends with this process.
    ignoreDiskErrors(() => this.#lease?.release());
    return isSynced;
  }

  protected reader(): Promise<EntryReader> {
    return this.#file.waitForIndex();
  }

  /** Synchronous, so that nothing happens between the check of the file and the write. */
  #appendNow(batch: readonly Entry[], guard: AppendGuard, change: FileChange): AppendResult {
    const why = this.#appendRefusal(change);
    if (why) return this.#refuse(why);
    const { entries, repair } = this.#file.contents;
    // A new incomplete line may be a write in progress, so it is not cut off while the file grows.
    if (change === "grown" && repair?.type === "torn-tail") return { type: "leaf-moved", leaf: entries.leaf };
    const facts = readAppendFacts(entries, listAppendLookups(batch, guard));
    const decision = decideAppend(batch, guard, facts, this.#options.limits);
    if (decision.type !== "write") return decision;
    const result = this.#tryToWrite(batch, decision.texts, guard);
    if (result === "written") return { type: "appended", leaf: entries.leaf };
    return result === "leaf-moved" ? { type: "leaf-moved", leaf: entries.leaf } : this.#refuse(result);
  }

  #appendRefusal(change: FileChange): Refusal | null {
    const { repair } = this.#file.contents;
    if (!this.#lease) return "read-only";
    // Removing the session can remove the lease too, so the removal is reported first.
    if (change === "file-removed") return change;
    if (!this.#isLeased()) return "lease-lost";
    if (repair?.type === "fully-read" && isNewerFormat(repair.file)) return "newer-version";
    return change === "none" || change === "grown" ? null : change;
  }

  #refuse(why: Refusal): AppendResult {
    return { type: "refused", why, leaf: this.#file.contents.entries.leaf };
  }

  #tryToWrite(batch: readonly Entry[], texts: readonly string[], guard: AppendGuard): WriteOutcome {
    try {
      return this.#write(batch, texts, guard);
    } catch (error) {
      const why = toRefusal(error);
      if (why === "disk-error") this.#file.log.markBroken();
      return why;
    }
  }

  #write(batch: readonly Entry[], texts: readonly string[], guard: AppendGuard): WriteOutcome {
    const { files, runtime } = this.#options;
    const target = makeAppendable(this.#file, files, runtime.checksum);
    if (target === null) return "leaf-moved";
    this.#file.replaceContents(target);
    const { log, contents } = target;
    // A file of pi has no marks to detect missing lines, so every append is synced.
    const durability = contents.isPithFormat ? this.#durabilityOf(guard) : "durable";
    if (durability === "fast" && !log.startUnsyncedRun()) return "disk-error";
    const { bytes, lineRanges } = encodeBatch(texts, {
      isPithFormat: contents.isPithFormat,
      checksum: runtime.checksum,
      parentOffset: this.#parentOffset(batch[0]),
      // LOG13: a synced line also has the mark if lines before it are not synced yet.
      unsyncedStart: durability === "fast" || log.unsyncedLines > 0 ? log.unsyncedStart : undefined,
      needsLeadingNewline: !log.isLastLineEnded(),
    });
    const writeResult = log.append(bytes, { lines: texts.length, durability });
    if (writeResult.type === "refused") return writeResult.why;
    batch.forEach((entry, index) => {
      const { offset = 0, length = 0 } = lineRanges[index] ?? {};
      contents.entries.addEntry(entry, texts[index] ?? "", { offset: writeResult.offset + offset, length });
    });
    this.#file.saveIndex(this.#isLeased, SAVE_INDEX_BYTES);
    return "written";
  }

  #durabilityOf({ isReplaceable }: AppendGuard): Durability {
    return isReplaceable ? "fast" : this.#options.durability;
  }

  // MOVE2: if the parent is not the line before, the line has the offset of the parent.
  #parentOffset(first: Entry | undefined): number | undefined {
    const { entries } = this.#file.contents;
    const parentId = first?.parentId ?? null;
    if (parentId === null || parentId === entries.leaf || !(entries instanceof FileEntries)) return undefined;
    return entries.lineOffset(parentId);
  }

  readonly #isLeased = (): boolean => this.#lease?.isHeld() ?? false;
}

type WriteOutcome = "written" | "leaf-moved" | Refusal;

/** A file up to this size is read in a few milliseconds. */
const SMALL_FILE_BYTES = 1024 * 1024;

/** After a crash, the next process indexes at most this many bytes again. */
const SAVE_INDEX_BYTES = 8 * 1024 * 1024;

/** Options for `follow`. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  /** The time between two polls that find nothing. */
  readonly intervalMs?: number;
}

/** Yields new items until the signal aborts or `readNewItems` returns null. */
async function* pollItems<Item>(
  { signal, intervalMs = 100 }: FollowOptions,
  readNewItems: () => Promise<readonly Item[] | null>,
): AsyncGenerator<readonly Item[]> {
  while (!signal.aborted) {
    const items = await readNewItems();
    if (items === null) return;
    if (items.length > 0) yield items;
    else await waitOrAbort(intervalMs, signal);
  }
}

function waitOrAbort(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish);
  });
}
