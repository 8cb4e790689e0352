/** A session's file as it is now: what was found in it, kept up to date with whatever others do to it. Nothing here writes. */

import type { FormatLimits } from "../../limits.ts";
import type { Ports } from "../../ports.ts";
import type { HeldLines } from "../../session/held-lines.ts";
import type { Refusal } from "../../session/store.ts";
import type { Files } from "../files/files.ts";
import { orNull } from "../files/unavailable.ts";
import { type Found, foundGrown, foundIn, foundWhole } from "./found.ts";
import { Indexing } from "./indexing/indexing.ts";
import { FileLines } from "./lines/file-lines.ts";
import { LogFile } from "./writing/log-file.ts";
import type { Appendable } from "./writing/make-appendable.ts";

export interface WatchParts {
  readonly files: Files;
  readonly ports: Pick<Ports, "now" | "sessionId" | "checksum">;
  readonly limits: FormatLimits;
}

/** What a look at the file finds: nothing new, lines of another hand, or why nothing can be appended. */
export type News = "none" | "grown" | Refusal;

export class WatchedFile {
  readonly #parts: WatchParts;
  readonly #isFollower: boolean;
  readonly #indexing: Indexing;
  #log: LogFile;
  #found: Found;
  #completing: Promise<void> | null = null;
  #isClosed = false;

  constructor(log: LogFile, isFollower: boolean, parts: WatchParts) {
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
