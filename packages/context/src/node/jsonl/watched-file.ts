/** Tracks the contents of a session file while other processes write to it. Opening changes nothing; the first append repairs the file. */

import { memoize } from "../../cache.ts";
import type { Header } from "../../entry.ts";
import type { Damage } from "../../format/damage.ts";
import { readReservedNumber } from "../../format/entry-line.ts";
import { migrateSession, type SessionFile } from "../../format/session-file.ts";
import type { Checksum, Runtime } from "../../runtime.ts";
import { InMemoryEntries } from "../../session/memory-store.ts";
import type { Refusal } from "../../session/store.ts";
import type { FormatLimits } from "../../settings.ts";
import { type Files, ignoreDiskErrors } from "../files.ts";
import { LogFile } from "./append.ts";
import { FileEntries } from "./file-entries.ts";
import { IndexFile } from "./index-file.ts";
import { headerFromPath, readValidFile, type ValidFile, withLineNumbers } from "./read-header-and-tail.ts";
import { decodeWholeFile } from "./read-lines.ts";
import { replaceFileAtomically, saveDamagedBytes } from "./rewrite.ts";

/** The change of a file since the last check: none, appended lines, or a reason to refuse an append. */
export type FileChange = "none" | "grown" | Refusal;

/** A session file that other processes may change while it is open. */
export class FileWatcher {
  readonly #options: ReadContentsOptions;
  readonly #isFollower: boolean;
  readonly #indexFile: IndexFile;
  #log: LogFile;
  #contents: FileContents;
  #indexPromise: Promise<void> | null = null;
  #isClosed = false;

  constructor(log: LogFile, isFollower: boolean, options: ReadContentsOptions) {
    this.#options = options;
    this.#isFollower = isFollower;
    this.#log = log;
    this.#contents = readContents(log, options);
    this.#indexFile = new IndexFile(log.path, options.files, options.runtime.checksum);
  }

  get log(): LogFile {
    return this.#log;
  }

  get contents(): FileContents {
    return this.#contents;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether every entry can be read without waiting for the index. */
  get isIndexed(): boolean {
    return !(this.#contents.entries instanceof FileEntries) || this.#contents.entries.isIndexed;
  }

  /** Reads what other processes have appended. Returns other changes to the caller. */
  checkForChanges(): FileChange {
    this.#assertOpen();
    const change = this.#log.detectChange();
    if (change === "grown") this.#reload(() => updateContents(this.#contents, this.#log, this.#options));
    // A follower accepts that its writer cuts off a torn end or replaces the file by a migrated one.
    if (change === "file-shortened" && this.#isFollower) this.#reload(() => readContents(this.#log, this.#options));
    else if (change === "file-replaced" && this.#isFollower) return this.#reopen();
    else return change;
    return "grown";
  }

  /** Returns the entries when the index is complete. Other tasks run in between. */
  async waitForIndex(): Promise<FileEntries | InMemoryEntries> {
    while (!this.isIndexed) {
      this.#assertOpen();
      this.#indexPromise ??= this.#completeIndex().finally(() => {
        this.#indexPromise = null;
      });
      await this.#indexPromise;
    }
    this.#assertOpen();
    return this.#contents.entries;
  }

  /** Sets the file and its contents after a repair. */
  replaceContents({ log, contents }: AppendTarget): void {
    this.#log = log;
    this.#contents = contents;
  }

  /** Saves the index if it has grown by `minBytes`. `maySave` reads the disk, so it is called last. */
  saveIndex(maySave: () => boolean, minBytes?: number): void {
    const { entries } = this.#contents;
    if (!(entries instanceof FileEntries) || !this.#indexFile.shouldSave(entries, minBytes)) return;
    // The index can be rebuilt, so a disk error must not fail the append.
    ignoreDiskErrors(() => {
      if (maySave()) this.#indexFile.save(entries, this.#log.file);
    });
  }

  close(): void {
    this.#isClosed = true;
    // Computes the damage while the file is open, so that it can be read after closing.
    ignoreDiskErrors(() => this.#contents.damage());
    // The caller has synced the file, so an error here loses nothing.
    ignoreDiskErrors(() => this.#log.close());
  }

  async #completeIndex(): Promise<void> {
    const { entries } = this.#contents;
    if (!(entries instanceof FileEntries)) return;
    // If the file was closed or replaced meanwhile, the result is not used.
    const isOutdated = (): boolean => this.#isClosed || this.#contents.entries !== entries;
    try {
      const isValid = await this.#indexFile.complete(entries, this.#log.file);
      if (!isValid && !isOutdated()) this.#contents = readContentsFully(this.#log, this.#options);
    } catch (error) {
      if (!isOutdated()) throw error;
    }
  }

  #reload(read: () => FileContents): void {
    this.#log.acceptGrowth();
    this.#contents = read();
  }

  #reopen(): FileChange {
    const { files } = this.#options;
    // A link or a folder cannot replace the session file.
    if (files.stat(this.#log.path)?.kind !== "file") return "file-replaced";
    const log = new LogFile(this.#log.path, files.open(this.#log.path, "read"), files);
    this.#log.close();
    this.#log = log;
    this.#reload(() => readContents(log, this.#options));
    return "grown";
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Error(`${this.#log.path} is closed; open it again`);
  }
}

/** The contents of a session file. */
export interface FileContents {
  /** Read on demand if the file is valid; all in memory if the whole file had to be decoded. */
  readonly entries: FileEntries | InMemoryEntries;
  readonly header: Header;
  /** Whether the lines have trailers. */
  readonly isPithFormat: boolean;
  /** Returns the damage. A function, because finding the line numbers counts all lines before them. */
  readonly damage: () => readonly Damage[];
  /** What must be repaired before an append; null if nothing. */
  readonly repair: FileRepair | null;
}

/** The repair that the next append makes. */
export type FileRepair =
  /** The bytes after `end` are torn. */
  { readonly type: "torn-tail"; readonly end: number } | { readonly type: "fully-read"; readonly file: SessionFile };

/** What reading a file needs. */
export interface ReadContentsOptions {
  readonly files: Files;
  readonly runtime: Pick<Runtime, "checksum">;
  readonly limits: FormatLimits;
}

/** Reads a session file: its end if it is valid, all of it otherwise. */
function readContents(log: LogFile, options: ReadContentsOptions): FileContents {
  const validFile = readValidFile(log.file, options.runtime.checksum, options.limits);
  if (!validFile) return readContentsFully(log, options);
  const { header, rules } = validFile;
  const entries = new FileEntries(validFile);
  return {
    entries,
    header,
    isPithFormat: rules.isPithFormat,
    ...validFileDamage(entries, validFile),
    repair: createTailRepair(validFile, log),
  };
}

/** Collects the damage of the torn end, and of lines that were damaged after they were indexed. */
function validFileDamage(entries: FileEntries, validFile: ValidFile): Pick<FileContents, "damage"> {
  const tailDamage = memoize(() => withLineNumbers(validFile, validFile.damage));
  return {
    damage: () =>
      entries.damage.length === 0 ? tailDamage() : [...withLineNumbers(validFile, entries.damage), ...tailDamage()],
  };
}

function createTailRepair({ end }: ValidFile, { size }: LogFile): FileRepair | null {
  return end < size ? { type: "torn-tail", end } : null;
}

/** Decodes the whole file, if it is not valid. */
export function readContentsFully(log: LogFile, { files, runtime, limits }: ReadContentsOptions): FileContents {
  const file = decodeWholeFile(log.file, { checksum: runtime.checksum, limits });
  const { header, isPithFormat, damage, lines } = file;
  return {
    entries: new InMemoryEntries(lines, readReservedNumber(header)),
    header: header ?? headerFromPath(log.path, { files, ours: isPithFormat }),
    isPithFormat,
    damage: () => damage,
    repair: { type: "fully-read", file },
  };
}

/** Updates the contents after another process has appended. */
function updateContents(before: FileContents, log: LogFile, options: ReadContentsOptions): FileContents {
  const { entries } = before;
  const validFile =
    entries instanceof FileEntries ? readValidFile(log.file, options.runtime.checksum, options.limits) : null;
  if (!validFile || !(entries instanceof FileEntries)) return readContentsFully(log, options);
  entries.updateFile(validFile);
  return { ...before, ...validFileDamage(entries, validFile), repair: createTailRepair(validFile, log) };
}

/** A file that is ready for an append. */
export interface AppendTarget {
  readonly log: LogFile;
  readonly contents: FileContents;
}

/**
 * Repairs a file before an append: migrates an old version, or cuts off a torn end (LOG5, LOG14). Returns null if another process has
 * appended meanwhile, so that its bytes are not cut off.
 */
export function makeAppendable({ log, contents }: AppendTarget, files: Files, checksum: Checksum): AppendTarget | null {
  const { repair } = contents;
  if (!repair) return { log, contents };
  if (repair.type === "fully-read" && repair.file.needsRewrite)
    return migrateFile({ log, contents }, repair.file, { files, checksum });
  const end = repair.type === "torn-tail" ? repair.end : skipLineEnd(log, repair.file.end);
  return cutTornTail(log, end, files) ? { log, contents: { ...contents, repair: null } } : null;
}

function migrateFile(
  { log, contents }: AppendTarget,
  file: SessionFile,
  { files, checksum }: { readonly files: Files; readonly checksum: Checksum },
): AppendTarget {
  const { header, bytes } = migrateSession(file, contents.header, checksum);
  replaceFileAtomically(log.path, bytes, files);
  const newLog = new LogFile(log.path, files.open(log.path, "append"), files);
  log.close();
  return { log: newLog, contents: { ...contents, header, isPithFormat: true, repair: null } };
}

function cutTornTail(log: LogFile, end: number, files: Files): boolean {
  if (end >= log.size) return true;
  saveDamagedBytes(`${log.path}.damaged`, readTailBytes(log, end), files);
  if (log.file.stat().size !== log.size) return false;
  log.truncate(end);
  return true;
}

function skipLineEnd(log: LogFile, end: number): number {
  return log.followsLineEnd(end + 1) ? end + 1 : end;
}

function* readTailBytes(log: LogFile, start: number): Generator<Uint8Array> {
  for (let offset = start; offset < log.size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(TAIL_CHUNK_BYTES, log.size - offset));
    const count = log.file.read(chunk, offset);
    if (count === 0) return;
    yield chunk.subarray(0, count);
    offset += count;
  }
}

const TAIL_CHUNK_BYTES = 1024 * 1024;
