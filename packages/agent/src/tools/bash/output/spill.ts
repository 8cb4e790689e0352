/** An output as it came, byte for byte: held while it is short, handed on to be kept as soon as it is not. */

import type { BlobDraft, BlobKept, Blobs } from "../../../blobs.ts";
import type { OutputLimit } from "../../bounds.ts";

export interface SpillParts {
  readonly limit: OutputLimit;
  /** Without them nothing is kept. */
  readonly blobs?: Blobs | undefined;
}

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
