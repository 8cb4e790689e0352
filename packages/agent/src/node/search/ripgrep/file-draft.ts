/** The hits of one file while ripgrep tells them. */

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { sep } from "node:path";
import { cutAround } from "../../../tools/searching/cut-line.ts";
import type { GrepHit } from "../../../workspace.ts";
import { decoded } from "../engine.ts";
import type { RipgrepLine } from "./ripgrep-records.ts";

export class FileDraft {
  readonly hits: GrepHit[] = [];
  readonly #path: string;
  readonly #file: Buffer;
  #count = 0;

  constructor(folder: string, path: Buffer) {
    this.#path = decoded(path);
    this.#file = Buffer.concat([Buffer.from(folder + sep), path]);
  }

  /** Of hits, not of lines around them. */
  get count(): number {
    return this.#count;
  }

  async add(line: RipgrepLine): Promise<void> {
    if (!line.isAround) this.#count += 1;
    const text = line.bytes === null ? await longText(this.#file, line) : shortText(line.bytes, line.hit);
    this.hits.push({ path: this.#path, line: line.number, text, isAround: line.isAround });
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
async function longText(file: Buffer, { offset, hit }: RipgrepLine): Promise<string> {
  const before = Math.min(hit, BEFORE);
  try {
    const opened = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { buffer, bytesRead } = await opened.read(Buffer.alloc(before + AFTER), {
        position: offset + hit - before,
      });
      return shortText(buffer.subarray(0, bytesRead), before);
    } finally {
      await opened.close();
    }
  } catch {
    // It is gone since; that it had the hit is still worth telling.
    return "[a very long line]";
  }
}
