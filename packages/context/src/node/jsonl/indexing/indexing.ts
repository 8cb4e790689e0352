/** Completes the index of a session a piece at a time, and keeps a copy of it beside the file. */

import type { Checksum } from "../../../ports.ts";
import type { Files, OpenFile } from "../../files/files.ts";
import type { FileLines } from "../lines/file-lines.ts";
import { indexPath } from "../side-folder.ts";
import { keepIndex, keptIndex } from "./index-file.ts";

export class Indexing {
  readonly #path: string;
  readonly #files: Files;
  readonly #checksum: Checksum;
  #keptUpTo = 0;

  constructor(path: string, files: Files, checksum: Checksum) {
    this.#path = indexPath(path);
    this.#files = files;
    this.#checksum = checksum;
  }

  /** Lets others work in between; returns whether every line is sound. */
  async complete(lines: FileLines, file: OpenFile): Promise<boolean> {
    if (lines.index.covers === lines.start) this.#useKept(lines, file);
    const building = lines.complete();
    for (let step = building.next(); ; step = building.next()) {
      if (step.done) return step.value;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Whether so many bytes have been added since the last copy. */
  isWorthKeeping(lines: FileLines, every: number = WORTH_KEEPING): boolean {
    return lines.isIndexed && lines.index.covers - this.#keptUpTo >= every;
  }

  keep(lines: FileLines, file: OpenFile): void {
    keepIndex(this.#path, lines.index, this.#parts(lines, file));
    this.#keptUpTo = lines.index.covers;
  }

  #useKept(lines: FileLines, file: OpenFile): void {
    const kept = keptIndex(this.#path, this.#parts(lines, file));
    // One that reaches past the last whole line knows lines that do not count any more.
    if (!kept || kept.covers > lines.end) return;
    lines.useIndex(kept);
    this.#keptUpTo = kept.covers;
  }

  #parts({ start }: FileLines, file: OpenFile) {
    return { files: this.#files, checksum: this.#checksum, file, start };
  }
}

// A short file is indexed faster than an index is read.
const WORTH_KEEPING = 1024 * 1024;
