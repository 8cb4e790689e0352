/** Tracks what a session file holds while others write to it. Opening changes nothing; the first append repairs the file. */

import type { Header } from "../../entry.ts";
import type { Damage } from "../../format/damage.ts";
import { reservedNumber } from "../../format/entry-number.ts";
import { migrated, type SessionFile } from "../../format/session-file.ts";
import type { Checksum, Ports } from "../../runtime.ts";
import { HeldLines } from "../../session/memory-store.ts";
import type { Refusal } from "../../session/store.ts";
import type { FormatLimits } from "../../settings.ts";
import { type Files, orNull } from "../files.ts";
import { headerFromPlace } from "../session-place.ts";
import { LogFile } from "./append.ts";
import { FileLines } from "./file-entries.ts";
import { Indexing } from "./index-file.ts";
import { wholeFile } from "./read-lines.ts";
import { replaceWhole, setAside } from "./rewrite.ts";
import { numbered, type SoundFile, soundFile } from "./valid-file.ts";

export interface Found {
  /** Read when asked for, if the file is sound; all in memory, if it had to be read with care. */
  readonly lines: FileLines | HeldLines;
  readonly header: Header;
  /** Whether its lines carry a seal. */
  readonly ours: boolean;
  /** Asked for by few: to say in which line something is wrong, all before it must be counted. */
  readonly damage: () => readonly Damage[];
  /** Null where anything can be appended as it is. */
  readonly unready: Unready | null;
}

export type Unready =
  /** What lies behind `end` was torn. */
  { readonly type: "torn"; readonly end: number } | { readonly type: "whole"; readonly file: SessionFile };

export interface LookParts {
  readonly files: Files;
  readonly ports: Pick<Ports, "checksum">;
  readonly limits: FormatLimits;
}

export function foundIn(log: LogFile, parts: LookParts): Found {
  const sound = soundFile(log.file, parts.ports.checksum, parts.limits);
  if (!sound) return foundWhole(log, parts);
  const { header, rules } = sound;
  const lines = new FileLines(sound);
  return {
    lines,
    header,
    ours: rules.ours,
    ...soundDamage(lines, sound),
    unready: tornBehind(sound, log),
  };
}

/** What was torn off at the end, and the lines that have changed since they were indexed. */
function soundDamage(lines: FileLines, sound: SoundFile): Pick<Found, "damage"> {
  const torn = once(() => numbered(sound, sound.damage));
  return { damage: () => (lines.damage.length === 0 ? torn() : [...numbered(sound, lines.damage), ...torn()]) };
}

/** Every line looked at: for a file that is not sound, or turned out not to be. */
export function foundWhole(log: LogFile, { files, ports, limits }: LookParts): Found {
  const file = wholeFile(log.file, { checksum: ports.checksum, limits });
  const { header, ours, damage, lines } = file;
  return {
    lines: new HeldLines(lines, reservedNumber(header)),
    header: header ?? headerFromPlace(log.path, { files, ours }),
    ours,
    damage: () => damage,
    unready: { type: "whole", file },
  };
}

/** The same session after another hand has added to it. */
export function foundGrown(before: Found, log: LogFile, parts: LookParts): Found {
  const { lines } = before;
  const sound = lines instanceof FileLines ? soundFile(log.file, parts.ports.checksum, parts.limits) : null;
  if (!sound || !(lines instanceof FileLines)) return foundWhole(log, parts);
  lines.grownTo(sound);
  return { ...before, ...soundDamage(lines, sound), unready: tornBehind(sound, log) };
}

function tornBehind({ end }: SoundFile, { size }: LogFile): Unready | null {
  return end < size ? { type: "torn", end } : null;
}

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** What a look at the file finds: nothing new, lines of another hand, or why nothing can be appended. */
export type News = "none" | "grown" | Refusal;

export class WatchedFile {
  readonly #parts: LookParts;
  readonly #isFollower: boolean;
  readonly #indexing: Indexing;
  #log: LogFile;
  #found: Found;
  #completing: Promise<void> | null = null;
  #isClosed = false;

  constructor(log: LogFile, isFollower: boolean, parts: LookParts) {
    this.#parts = parts;
    this.#isFollower = isFollower;
    this.#log = log;
    this.#found = foundIn(log, parts);
    this.#indexing = new Indexing(log.path, parts.files, parts.ports.checksum);
  }

  get log(): LogFile {
    return this.#log;
  }

  get found(): Found {
    return this.#found;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isIndexed(): boolean {
    return !(this.#found.lines instanceof FileLines) || this.#found.lines.isIndexed;
  }

  /** Takes in what another hand has added; whatever else happened is for whoever wants to append. */
  look(): News {
    this.#mustBeOpen();
    const news = this.#log.news();
    if (news === "grown") this.#takeIn(() => foundGrown(this.#found, this.#log, this.#parts));
    // A follower goes along with its writer: one that cuts off a torn end, or puts a migrated file in the old one's place.
    if (news === "file-shortened" && this.#isFollower) this.#takeIn(() => foundIn(this.#log, this.#parts));
    else if (news === "file-replaced" && this.#isFollower) return this.#openAgain();
    else return news;
    return "grown";
  }

  /** The lines, once every question about them can be answered. Others work in between. */
  async indexed(): Promise<FileLines | HeldLines> {
    while (!this.isIndexed) {
      this.#mustBeOpen();
      this.#completing ??= this.#complete().finally(() => {
        this.#completing = null;
      });
      await this.#completing;
    }
    this.#mustBeOpen();
    return this.#found.lines;
  }

  /** After the first append has put right what was found. */
  adopt({ log, found }: Appendable): void {
    this.#log = log;
    this.#found = found;
  }

  /** A copy of the index, if it has grown by so many bytes. `mayKeep` is asked last: it is a look at the disk. */
  keepIndex(mayKeep: () => boolean, every?: number): void {
    const { lines } = this.#found;
    if (!(lines instanceof FileLines) || !this.#indexing.isWorthKeeping(lines, every)) return;
    // Whatever the disk has against it: an index can be made again, and what was appended is appended.
    orNull(() => {
      if (mayKeep()) this.#indexing.keep(lines, this.#log.file);
    });
  }

  close(): void {
    this.#isClosed = true;
    // Whoever asks later what was wrong still gets an answer.
    orNull(() => this.#found.damage());
    // All that could be lost was waited for before.
    orNull(() => this.#log.close());
  }

  async #complete(): Promise<void> {
    const { lines } = this.#found;
    if (!(lines instanceof FileLines)) return;
    // A file that was let go of meanwhile is read no further; whoever still asks is answered from the new one.
    const isOutdated = (): boolean => this.#isClosed || this.#found.lines !== lines;
    try {
      const sound = await this.#indexing.complete(lines, this.#log.file);
      if (!sound && !isOutdated()) this.#found = foundWhole(this.#log, this.#parts);
    } catch (error) {
      if (!isOutdated()) throw error;
    }
  }

  #takeIn(find: () => Found): void {
    this.#log.acknowledge();
    this.#found = find();
  }

  #openAgain(): News {
    const { files } = this.#parts;
    // A link or a folder is no successor.
    if (files.stat(this.#log.path)?.kind !== "file") return "file-replaced";
    const log = new LogFile(this.#log.path, files.open(this.#log.path, "read"), files);
    this.#log.close();
    this.#log = log;
    this.#takeIn(() => foundIn(log, this.#parts));
    return "grown";
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new Error(`${this.#log.path} was closed; open it again`);
  }
}

export interface Appendable {
  readonly log: LogFile;
  readonly found: Found;
}

/**
 * Called by the first append: opening a file only finds what is wrong and leaves it unchanged. LOG5, LOG14. Null if another hand added to
 * the file meanwhile: nothing of theirs is cut off.
 */
export function madeAppendable({ log, found }: Appendable, files: Files, checksum: Checksum): Appendable | null {
  const { unready } = found;
  if (!unready) return { log, found };
  if (unready.type === "whole" && unready.file.outdated)
    return migratedFile({ log, found }, unready.file, { files, checksum });
  const end = unready.type === "torn" ? unready.end : pastLineEnd(log, unready.file.end);
  return isCut(log, end, files) ? { log, found: { ...found, unready: null } } : null;
}

function migratedFile(
  { log, found }: Appendable,
  file: SessionFile,
  { files, checksum }: { readonly files: Files; readonly checksum: Checksum },
): Appendable {
  const { header, bytes } = migrated(file, found.header, checksum);
  replaceWhole(log.path, bytes, files);
  const fresh = new LogFile(log.path, files.open(log.path, "append"), files);
  log.close();
  return { log: fresh, found: { ...found, header, ours: true, unready: null } };
}

function isCut(log: LogFile, end: number, files: Files): boolean {
  if (end >= log.size) return true;
  setAside(`${log.path}.damaged`, bytesFrom(log, end), files);
  if (log.file.stat().size !== log.size) return false;
  log.shorten(end);
  return true;
}

function pastLineEnd(log: LogFile, end: number): number {
  return log.endsInLineEnd(end + 1) ? end + 1 : end;
}

function* bytesFrom(log: LogFile, from: number): Generator<Uint8Array> {
  for (let at = from; at < log.size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(STEP, log.size - at));
    const count = log.file.read(chunk, at);
    if (count === 0) return;
    yield chunk.subarray(0, count);
    at += count;
  }
}

const STEP = 1024 * 1024;
