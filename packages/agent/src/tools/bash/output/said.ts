/** What a command says: as much of it as a model can take, and where that is not all, the whole of it kept beside the session. */

import type { BlobKept } from "../../../blobs.ts";
import type { Shown } from "./excerpt.ts";
import { Screen } from "./screen.ts";
import { Spill, type SpillParts } from "./spill.ts";

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
