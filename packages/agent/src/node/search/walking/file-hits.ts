/** The hits of one file, with the lines around them, told line by line. */

import { cutAround } from "../../../tools/searching/cut-around.ts";
import type { GrepHit, GrepWish } from "../../../workspace.ts";
import type { Line } from "./line-reader.ts";

export class FileHits {
  readonly found: GrepHit[] = [];
  readonly #path: string;
  readonly #around: number;
  readonly #redaction: GrepWish["redaction"];
  #before: GrepHit[] = [];
  #lastHit = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(path: string, { around = 0, redaction }: Pick<GrepWish, "around" | "redaction">) {
    this.#path = path;
    this.#around = around;
    this.#redaction = redaction;
  }

  get count(): number {
    return this.#count;
  }

  /** `place` is where the line has a hit, or -1. A long line comes in parts, and counts once. */
  see({ number, text, goesOn }: Line, place: number): void {
    if (number === this.#lastHit) return;
    const isAround = place < 0;
    const shown = cutAround(text, place, { goesOn, redaction: this.#redaction });
    const seen = { path: this.#path, line: number, text: shown, isAround };
    if (!isAround) this.#take(seen);
    else if (number <= this.#lastHit + this.#around) this.#add(this.found, seen);
    else this.#wait(seen);
  }

  #take(hit: GrepHit): void {
    // An earlier part of the same line was taken for a line around the hit before.
    if (this.found.at(-1)?.line === hit.line) this.found.pop();
    this.found.push(...this.#before.filter(({ line }) => line >= hit.line - this.#around && line < hit.line), hit);
    this.#before = [];
    this.#lastHit = hit.line;
    this.#count += 1;
  }

  #wait(line: GrepHit): void {
    if (this.#around === 0) return;
    this.#add(this.#before, line);
    if ((this.#before[0]?.line ?? 0) < line.line - this.#around) this.#before.shift();
  }

  /** Of a line in parts the first is shown. */
  #add(lines: GrepHit[], line: GrepHit): void {
    if (lines.at(-1)?.line !== line.line) lines.push(line);
  }
}
