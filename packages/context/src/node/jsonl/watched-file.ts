/** Tracks what a session file holds while others write to it. Opening changes nothing; the first append repairs the file. */

import type { Header } from "../../entry.ts";
import type { Damage } from "../../format/damage.ts";
import { readReservedNumber } from "../../format/entry-number.ts";
import { migrateSession, type SessionFile } from "../../format/session-file.ts";
import type { Checksum, Runtime } from "../../runtime.ts";
import { InMemoryEntries } from "../../session/memory-store.ts";
import type { Refusal } from "../../session/store.ts";
import type { FormatLimits } from "../../settings.ts";
import { type Files, ignoreDiskErrors } from "../files.ts";
import { headerFromPath } from "../session-file-name.ts";
import { LogFile } from "./append.ts";
import { FileEntries } from "./file-entries.ts";
import { IndexFile } from "./index-file.ts";
import { decodeWholeFile } from "./read-lines.ts";
import { replaceFileAtomically, saveDamagedBytes } from "./rewrite.ts";
import { readValidFile, type ValidFile, withLineNumbers } from "./valid-file.ts";

export interface FileContents {
  /** Read when asked for, if the file is sound; all in memory, if it had to be read with care. */
  readonly entries: FileEntries | InMemoryEntries;
  readonly header: Header;
  /** Whether its lines carry a seal. */
  readonly isPithFormat: boolean;
  /** Asked for by few: to say in which line something is wrong, all before it must be counted. */
  readonly damage: () => readonly Damage[];
  /** Null where anything can be appended as it is. */
  readonly repair: FileRepair | null;
}

export type FileRepair =
  /** What lies behind `end` was torn. */
  { readonly type: "torn-tail"; readonly end: number } | { readonly type: "fully-read"; readonly file: SessionFile };

export interface ReadContentsOptions {
  readonly files: Files;
  readonly runtime: Pick<Runtime, "checksum">;
  readonly limits: FormatLimits;
}

export function readContents(log: LogFile, options: ReadContentsOptions): FileContents {
  const validFile = readValidFile(log.file, options.runtime.checksum, options.limits);
  if (!validFile) return readContentsFully(log, options);
  const { header, rules } = validFile;
  const entries = new FileEntries(validFile);
  return {
    entries,
    header,
    isPithFormat: rules.isPithFormat,
    ...validFileDamage(entries, validFile),
    repair: tornTailRepair(validFile, log),
  };
}

/** What was torn off at the end, and the lines that have changed since they were indexed. */
function validFileDamage(entries: FileEntries, validFile: ValidFile): Pick<FileContents, "damage"> {
  const tailDamage = once(() => withLineNumbers(validFile, validFile.damage));
  return {
    damage: () =>
      entries.damage.length === 0 ? tailDamage() : [...withLineNumbers(validFile, entries.damage), ...tailDamage()],
  };
}

/** Every line looked at: for a file that is not sound, or turned out not to be. */
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

/** The same session after another hand has added to it. */
export function updateContents(before: FileContents, log: LogFile, options: ReadContentsOptions): FileContents {
  const { entries } = before;
  const validFile =
    entries instanceof FileEntries ? readValidFile(log.file, options.runtime.checksum, options.limits) : null;
  if (!validFile || !(entries instanceof FileEntries)) return readContentsFully(log, options);
  entries.updateFile(validFile);
  return { ...before, ...validFileDamage(entries, validFile), repair: tornTailRepair(validFile, log) };
}

function tornTailRepair({ end }: ValidFile, { size }: LogFile): FileRepair | null {
  return end < size ? { type: "torn-tail", end } : null;
}

function once<Made>(compute: () => Made): () => Made {
  let value: Made | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}

/** What a look at the file finds: nothing new, lines of another hand, or why nothing can be appended. */
export type FileChange = "none" | "grown" | Refusal;

export class WatchedFile {
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

  get isIndexed(): boolean {
    return !(this.#contents.entries instanceof FileEntries) || this.#contents.entries.isIndexed;
  }

  /** Takes in what another hand has added; whatever else happened is for whoever wants to append. */
  checkForChanges(): FileChange {
    this.#assertOpen();
    const change = this.#log.detectChange();
    if (change === "grown") this.#reload(() => updateContents(this.#contents, this.#log, this.#options));
    // A follower goes along with its writer: one that cuts off a torn end, or puts a migrated file in the old one's place.
    if (change === "file-shortened" && this.#isFollower) this.#reload(() => readContents(this.#log, this.#options));
    else if (change === "file-replaced" && this.#isFollower) return this.#reopen();
    else return change;
    return "grown";
  }

  /** The lines, once every question about them can be answered. Others work in between. */
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

  /** After the first append has put right what was found. */
  replaceContents({ log, contents }: AppendTarget): void {
    this.#log = log;
    this.#contents = contents;
  }

  /** A copy of the index, if it has grown by so many bytes. `mayKeep` is asked last: it is a look at the disk. */
  saveIndex(maySave: () => boolean, minBytes?: number): void {
    const { entries } = this.#contents;
    if (!(entries instanceof FileEntries) || !this.#indexFile.shouldSave(entries, minBytes)) return;
    // Whatever the disk has against it: an index can be made again, and what was appended is appended.
    ignoreDiskErrors(() => {
      if (maySave()) this.#indexFile.save(entries, this.#log.file);
    });
  }

  close(): void {
    this.#isClosed = true;
    // Whoever asks later what was wrong still gets an answer.
    ignoreDiskErrors(() => this.#contents.damage());
    // All that could be lost was waited for before.
    ignoreDiskErrors(() => this.#log.close());
  }

  async #completeIndex(): Promise<void> {
    const { entries } = this.#contents;
    if (!(entries instanceof FileEntries)) return;
    // A file that was let go of meanwhile is read no further; whoever still asks is answered from the new one.
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
    // A link or a folder is no successor.
    if (files.stat(this.#log.path)?.kind !== "file") return "file-replaced";
    const log = new LogFile(this.#log.path, files.open(this.#log.path, "read"), files);
    this.#log.close();
    this.#log = log;
    this.#reload(() => readContents(log, this.#options));
    return "grown";
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Error(`${this.#log.path} was closed; open it again`);
  }
}

export interface AppendTarget {
  readonly log: LogFile;
  readonly contents: FileContents;
}

/**
 * Called by the first append: opening a file only finds what is wrong and leaves it unchanged. LOG5, LOG14. Null if another hand added to
 * the file meanwhile: nothing of theirs is cut off.
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
