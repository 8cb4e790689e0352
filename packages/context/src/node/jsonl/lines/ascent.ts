/** From a line of the file up to its root, parent by parent, reading backwards. No index is needed as long as every line is sound. */

import type { Entry } from "../../../entry.ts";
import { entryAlone } from "../../../session/codec/line/entry-of.ts";
import { readLine } from "../../../session/codec/line/read-line.ts";
import { Backwards } from "./backwards.ts";
import { LONGEST_HEAD, peek } from "./peek.ts";
import type { SoundFile } from "./sound-file.ts";

/** Yields the entries; ends early with `astray` set where a line is damaged or a parent is not above its child. */
export class Ascent {
  astray = false;
  readonly #file: SoundFile;
  #lines: Backwards;

  /** `end` is where the first line ends. */
  constructor(file: SoundFile, end: number) {
    this.#file = file;
    this.#lines = this.#from(end);
  }

  *entries(): Generator<Entry> {
    let wanted: string | null = null;
    // Mostly the line before is the parent. Only where it was not, the next ones are looked at before they are read.
    let strays = false;
    for (let line = this.#lines.next(); line; line = this.#lines.next()) {
      if (strays && isAnother(line.bytes, wanted)) continue;
      const reading = readLine(line.bytes, this.#file.rules);
      const entry = reading.type === "whole" && !reading.blemish ? entryAlone(reading.value) : null;
      if (reading.type === "damaged" || !entry) break;
      strays = wanted !== null && entry.id !== wanted;
      if (strays) continue;
      yield entry;
      if (entry.parentId === null) return;
      wanted = entry.parentId;
      if (reading.marks.up !== undefined) this.#jump(reading.marks.up, wanted, line.offset);
    }
    this.astray = true;
  }

  // A hint is only believed if the parent is there; otherwise every line above is looked at.
  #jump(offset: number, id: string, below: number): void {
    if (offset < this.#file.start || offset >= below) return;
    const head = Buffer.alloc(Math.min(LONGEST_HEAD, below - offset));
    this.#file.file.read(head, offset);
    if (peek(head)?.id !== id) return;
    const end = lineEnd(this.#file, offset, below);
    if (end !== null) this.#lines = this.#from(end);
  }

  #from(end: number): Backwards {
    const { file, start, limits } = this.#file;
    return new Backwards(file, { start, end, limits });
  }
}

function isAnother(line: Buffer, wanted: string | null): boolean {
  const head = peek(line);
  return head !== null && head.id !== wanted;
}

function lineEnd({ file }: SoundFile, offset: number, below: number): number | null {
  for (let at = offset; at < below; at += STEP) {
    const chunk = Buffer.allocUnsafe(Math.min(STEP, below - at));
    const found = chunk.subarray(0, file.read(chunk, at)).indexOf(0x0a);
    if (found !== -1) return at + found;
  }
  return null;
}

const STEP = 64 * 1024;
