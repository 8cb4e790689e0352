/** Collects the output of one command: an excerpt for the model, and the whole output as a blob when the excerpt is not all of it. */

import type { BlobDraft, BlobKept, Blobs } from "../../ports.ts";
import type { OutputLimit } from "../output.ts";
import type { Shown } from "./output-buffer.ts";
import { Screen } from "./terminal-output.ts";

export interface SpillParts {
  readonly limit: OutputLimit;
  /** Without them nothing is kept. */
  readonly blobs?: Blobs | undefined;
}

/** The raw output: held in memory while it is short, written to a blob once it exceeds the limit. */
export class Spill {
  readonly #blobs: Blobs | undefined;
  readonly #most: number;
  #held: Uint8Array[] = [];
  #draft: BlobDraft | null = null;
  #bytes = 0;

  constructor({ blobs, limit }: SpillParts) {
    this.#blobs = blobs;
    this.#most = limit.bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (!this.#blobs) return;
    if (this.#draft) this.#draft.write(chunk);
    else if (this.#bytes <= this.#most) this.#held.push(chunk.slice());
    else this.#begin(this.#blobs, chunk);
  }

  /** Null where nobody keeps anything. */
  async keep(): Promise<BlobKept | null> {
    if (this.#draft) return this.#draft.keep();
    return (await this.#blobs?.keep(Buffer.concat(this.#held))) ?? null;
  }

  drop(): void {
    this.#draft?.drop();
  }

  #begin(blobs: Blobs, chunk: Uint8Array): void {
    this.#draft = blobs.begin();
    for (const held of this.#held) this.#draft.write(held);
    this.#draft.write(chunk);
    this.#held = [];
  }
}

export interface Taken extends Shown {
  /** Of what is shown and kept; not of what was taken before. */
  readonly bytes: number;
  /** Null where all of it is shown, or nobody keeps anything. */
  readonly kept: BlobKept | null;
}

export class Said {
  readonly #parts: SpillParts;
  readonly #screen: Screen;
  #spill: Spill;

  constructor(parts: SpillParts) {
    this.#parts = parts;
    this.#screen = new Screen(parts.limit);
    this.#spill = new Spill(parts);
  }

  /** All that came, readable or not. */
  get bytes(): number {
    return this.#screen.bytes;
  }

  write(chunk: Uint8Array): void {
    this.#screen.write(chunk);
    this.#spill.write(chunk);
  }

  newest(bytes: number): string {
    return this.#screen.newest(bytes);
  }

  /** What came since it was last taken. */
  async take(): Promise<Taken> {
    const shown = this.#screen.take();
    const spill = this.#spill;
    this.#spill = new Spill(this.#parts);
    if (!shown.isTruncated) spill.drop();
    return { ...shown, bytes: spill.bytes, kept: shown.isTruncated ? await spill.keep() : null };
  }

  /** Nobody will take the rest. */
  drop(): void {
    this.#spill.drop();
  }
}
