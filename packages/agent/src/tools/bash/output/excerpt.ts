/** The beginning and the end of an output, however long it is: what does not fit is counted and let go. */

import type { OutputLimit } from "../../bounds.ts";
import { countLines, firstLines, lastLines, readableText, withoutBrokenEnd, withoutBrokenStart } from "./lines.ts";
import { Ring } from "./ring.ts";

export interface Shown {
  readonly text: string;
  readonly isTruncated: boolean;
}

/** Counted by the one who reads every byte anyway. */
export interface LinesOfRun {
  /** How many end in it. */
  readonly lines: number;
  /** Where in it the last one starts; negative: none does. */
  readonly lineStart: number;
}

const HEAD_BYTES = 1 / 25;
const HEAD_LINES = 1 / 50;

export class Excerpt {
  readonly #limit: OutputLimit;
  readonly #tail: Ring;
  #head: Uint8Array = new Uint8Array(0);
  #lines = 0;
  #lineStart = 0;

  /** Of the end; of the beginning it is a small part of that. */
  constructor(limit: OutputLimit) {
    this.#limit = limit;
    this.#tail = new Ring(limit.bytes);
  }

  write(run: Uint8Array, { lines, lineStart }: LinesOfRun): void {
    const start = this.#tail.length;
    this.#writeHead(run, start);
    this.#tail.write(run);
    this.#lines += lines;
    if (lineStart >= 0) this.#lineStart = start + lineStart;
  }

  /** What comes next stands in the place of the line that is being written. */
  restartLine(): void {
    this.#tail.rewind(this.#lineStart);
  }

  /** At most so many bytes of the end, for somebody who watches. */
  newest(bytes: number): string {
    const start = this.#tail.length - bytes;
    const newest = this.#tail.from(start);
    return readableText(start > 0 ? withoutBrokenStart(newest) : newest, { isGoingOn: true });
  }

  shown(): Shown {
    const kept = this.#tail.from(0);
    const tail = lastLines(this.#tail.oldest > 0 ? withoutBrokenStart(kept) : kept, this.#limit.lines);
    const start = this.#tail.length - tail.length;
    const head = this.#headBefore(start);
    if (head.length === start) return { text: readableText(joined(head, tail)), isTruncated: false };
    const lines = this.#lines - countLines(head) - countLines(tail);
    const gap = `[… ${start - head.length} bytes, ${lines} lines left out …]`;
    const beginning = readableText(head, { isGoingOn: true }).replace(/\n$/, "");
    return { text: `${beginning}\n${gap}\n${readableText(tail)}`, isTruncated: true };
  }

  #writeHead(run: Uint8Array, start: number): void {
    if (this.#head.length === 0) this.#head = new Uint8Array(Math.ceil(this.#limit.bytes * HEAD_BYTES));
    if (start < this.#head.length) this.#head.set(run.subarray(0, this.#head.length - start), start);
  }

  /** All that stands before the offset, where it is no more than a beginning may be. */
  #headBefore(offset: number): Uint8Array {
    const lines = Math.ceil(this.#limit.lines * HEAD_LINES);
    const head = this.#head.subarray(0, offset);
    const isWhole = head.length === offset;
    return firstLines(isWhole ? head : withoutBrokenEnd(head), lines);
  }
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const all = new Uint8Array(head.length + tail.length);
  all.set(head, 0);
  all.set(tail, head.length);
  return all;
}
