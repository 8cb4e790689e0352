/** The lines of a file from its end, each read once: what is asked for first is what was written last. */

import type { FormatLimits } from "../../../limits.ts";
import { isBlank } from "../../../session/codec/split-lines.ts";
import type { OpenFile } from "../../files/files.ts";

export interface FoundLine {
  /** Where it begins, in bytes from the start of the file. */
  readonly offset: number;
  /** Good until the next line is asked for. */
  readonly bytes: Buffer;
  /** Whether a line end follows. */
  readonly ended: boolean;
}

export interface Stretch {
  /** Nothing before this byte is read. */
  readonly start: number;
  readonly end: number;
  readonly limits: FormatLimits;
}

/** From the line that ends at `end` up to `start`; blank lines are passed over. Ends early, with `failed`, at a line beyond the limit, and where the file is shorter than it was said to be. */
export class Backwards {
  failed = false;
  readonly #file: OpenFile;
  readonly #stretch: Stretch;
  /** Bytes of the file from `#at` on; those from `#end` on were given out. */
  #held: Buffer = EMPTY;
  #at: number;
  #end = 0;
  /** Line ends lie before this one, if there are any. */
  #searchable = 0;
  #ended = false;
  #step = FIRST_STEP;

  constructor(file: OpenFile, stretch: Stretch) {
    this.#file = file;
    this.#stretch = stretch;
    this.#at = stretch.end;
  }

  next(): FoundLine | null {
    for (;;) {
      const start = this.#searchable === 0 ? -1 : this.#held.lastIndexOf(LINE_END, this.#searchable - 1);
      if (start === -1 && this.#at > this.#stretch.start) {
        if (!this.#readMore()) return null;
        continue;
      }
      if (start === -1 && this.#end === 0) return null;
      const line = {
        offset: this.#at + start + 1,
        bytes: this.#held.subarray(start + 1, this.#end),
        ended: this.#ended,
      };
      this.#ended = true;
      this.#end = Math.max(start, 0);
      this.#searchable = this.#end;
      if (!isBlank(line.bytes)) return line;
    }
  }

  // Steps grow, so that a long window costs few reads and a short one few bytes. The same memory serves again where it is enough.
  #readMore(): boolean {
    if (this.#end > this.#stretch.limits.lineBytes) {
      this.failed = true;
      return false;
    }
    const count = Math.min(this.#step, this.#at - this.#stretch.start);
    const enough = this.#held.length >= count + this.#end;
    const held = enough ? this.#held : Buffer.allocUnsafe(count + this.#end + SPARE);
    this.#held.copy(held, count, 0, this.#end);
    if (this.#file.read(held.subarray(0, count), this.#at - count) < count) {
      this.failed = true;
      return false;
    }
    this.#held = held;
    this.#at -= count;
    this.#end += count;
    // What was held already has no line end.
    this.#searchable = count;
    this.#step = Math.min(this.#step * 2, LONGEST_STEP);
    return true;
  }
}

const EMPTY = Buffer.alloc(0);
const LINE_END = 0x0a;
/** Room for the beginning of a line that the next step completes. */
const SPARE = 64 * 1024;
const FIRST_STEP = 128 * 1024;
const LONGEST_STEP = 1024 * 1024;
