/** Bytes of a file as lines, piece by piece: a line that is too long comes in parts, so that none takes more memory than another. */

import { TextDecoder } from "node:util";
import { wideEncoding } from "../../../bytes/text-of.ts";

export interface Line {
  readonly number: number;
  readonly text: string;
  /** This is a part, and not the last. */
  readonly goesOn: boolean;
}

/** Short, because an expression may take the square of its length. */
const LONGEST_PART = 16 * 1024;
/** Parts overlap, so that a hit on their edge is seen. */
const OVERLAP = 512;

export class LineReader {
  #decoder: TextDecoder | null = null;
  #rest = "";
  #number = 1;

  /** Null: this is no text. */
  lines(bytes: Uint8Array): readonly Line[] | null {
    this.#decoder ??= new TextDecoder(wideEncoding(bytes) ?? "utf-8");
    if (this.#decoder.encoding === "utf-8" && bytes.includes(0)) return null;
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    const rest = this.#parts(lines.pop() ?? "");
    const whole = lines.flatMap((line) => this.#line(line));
    this.#rest = rest.at(-1) ?? "";
    return [...whole, ...rest.slice(0, -1).map((text) => ({ number: this.#number, text, goesOn: true }))];
  }

  /** What is left after the last piece. */
  end(): readonly Line[] {
    const rest = this.#rest + (this.#decoder?.decode() ?? "");
    return rest === "" ? [] : this.#line(rest);
  }

  #line(line: string): readonly Line[] {
    const number = this.#number;
    this.#number += 1;
    const parts = this.#parts(line.replace(/\r$/, ""));
    return parts.map((text, at) => ({ number, text, goesOn: at < parts.length - 1 }));
  }

  #parts(line: string): readonly string[] {
    const parts: string[] = [];
    let start = 0;
    for (; line.length - start > LONGEST_PART; start += LONGEST_PART - OVERLAP)
      parts.push(line.slice(start, start + LONGEST_PART));
    return [...parts, line.slice(start)];
  }
}
