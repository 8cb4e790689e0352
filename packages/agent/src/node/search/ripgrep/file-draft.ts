/** The hits of one file while ripgrep tells them. */

import { cutAround } from "../../../tools/searching/cut-around.ts";
import type { GrepHit } from "../../../workspace.ts";
import type { RipgrepLine } from "./ripgrep-records.ts";
import type { Source } from "./source.ts";

export class FileDraft {
  readonly hits: GrepHit[] = [];
  readonly #path: string;
  readonly #source: Source;
  #count = 0;

  constructor(path: string, source: Source) {
    this.#path = path;
    this.#source = source;
  }

  /** Of hits, not of lines around them. */
  get count(): number {
    return this.#count;
  }

  /** What does not stand in the file was read from another, which somebody had put in its place. */
  async add(line: RipgrepLine): Promise<void> {
    const text = line.bytes === null ? await longText(this.#source, line) : shortText(line.bytes, line.hit);
    if (line.bytes !== null && !(await this.#source.has(line.bytes, line.offset))) return;
    if (!line.isAround) this.#count += 1;
    this.hits.push({ path: this.#path, line: line.number, text, isAround: line.isAround });
  }

  async close(): Promise<void> {
    await this.#source.close();
  }
}

function shortText(bytes: Buffer, hit: number): string {
  const text = bytes.toString().replace(/\r?\n$/, "");
  return cutAround(text, bytes.toString("utf8", 0, hit).length);
}

/** More than is shown, before the hit and after it. */
const BEFORE = 1_024;
const AFTER = 3_072;

/** What ripgrep told of it was too much to be kept, but it stands in the file. */
async function longText(source: Source, { offset, hit }: RipgrepLine): Promise<string> {
  const before = Math.min(hit, BEFORE);
  const bytes = await source.bytes(offset + hit - before, before + AFTER);
  return bytes.length === 0 ? "[a very long line]" : shortText(bytes, before);
}
