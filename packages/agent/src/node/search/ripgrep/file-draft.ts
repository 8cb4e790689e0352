/** The hits of one file while ripgrep tells them. */

import { cutAround } from "../../../tools/searching/cut-around.ts";
import type { GrepHit, GrepWish } from "../../../workspace.ts";
import type { RipgrepLine } from "./ripgrep-records.ts";
import type { Source } from "./source.ts";

export class FileDraft {
  readonly hits: GrepHit[] = [];
  readonly #path: string;
  readonly #source: Source;
  readonly #redaction: GrepWish["redaction"];
  #count = 0;

  constructor(path: string, source: Source, { redaction }: Pick<GrepWish, "redaction">) {
    this.#path = path;
    this.#source = source;
    this.#redaction = redaction;
  }

  /** Of hits, not of lines around them. */
  get count(): number {
    return this.#count;
  }

  /** What does not stand in the file was read from another, which somebody had put in its place. */
  async add(line: RipgrepLine): Promise<void> {
    const { bytes, hit } = await this.#partOf(line);
    if (line.bytes !== null && !(await this.#source.has(line.bytes, line.offset))) return;
    if (!line.isAround) this.#count += 1;
    const text = bytes.length === 0 ? "[a very long line]" : this.#shown(bytes, hit);
    this.hits.push({ path: this.#path, line: line.number, text, isAround: line.isAround });
  }

  async close(): Promise<void> {
    await this.#source.close();
  }

  /** What ripgrep told of it may have been too much to be kept, but it stands in the file. */
  async #partOf({ bytes, hit, offset }: RipgrepLine): Promise<{ readonly bytes: Buffer; readonly hit: number }> {
    if (bytes !== null) return { bytes, hit };
    const before = Math.min(hit, BEFORE);
    return { bytes: await this.#source.bytes(offset + hit - before, before + AFTER), hit: before };
  }

  #shown(bytes: Buffer, hit: number): string {
    const text = bytes.toString().replace(/\r?\n$/, "");
    return cutAround(text, bytes.toString("utf8", 0, hit).length, { redaction: this.#redaction });
  }
}

/** More than is shown, before the hit and after it. */
const BEFORE = 1_024;
const AFTER = 3_072;
