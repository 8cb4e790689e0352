/** Collects the output of one command: an excerpt for the model, and the whole output as a blob when the excerpt is not all of it. */

import type { BlobStore, BlobWriteResult, BlobWriter } from "../../ports.ts";
import type { OutputLimit } from "../output.ts";
import type { ExcerptText } from "./output-buffer.ts";
import { TerminalBuffer } from "./terminal-output.ts";

export interface CommandOutputOptions {
  readonly limit: OutputLimit;
  /** Without them nothing is kept. */
  readonly blobs?: BlobStore | undefined;
}

/** The raw output: held in memory while it is short, written to a blob once it exceeds the limit. */
export class Spill {
  readonly #blobs: BlobStore | undefined;
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #draft: BlobWriter | null = null;
  #bytes = 0;

  constructor({ blobs, limit }: CommandOutputOptions) {
    this.#blobs = blobs;
    this.#maxBytes = limit.bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (!this.#blobs) return;
    if (this.#draft) this.#draft.write(chunk);
    else if (this.#bytes <= this.#maxBytes) this.#chunks.push(chunk.slice());
    else this.#startBlob(this.#blobs, chunk);
  }

  /** Null where nobody keeps anything. */
  async save(): Promise<BlobWriteResult | null> {
    if (this.#draft) return this.#draft.keep();
    return (await this.#blobs?.keep(Buffer.concat(this.#chunks))) ?? null;
  }

  discard(): void {
    this.#draft?.drop();
  }

  #startBlob(blobs: BlobStore, chunk: Uint8Array): void {
    this.#draft = blobs.createWriter();
    for (const buffered of this.#chunks) this.#draft.write(buffered);
    this.#draft.write(chunk);
    this.#chunks = [];
  }
}

export interface OutputSnapshot extends ExcerptText {
  /** Of what is shown and kept; not of what was taken before. */
  readonly bytes: number;
  /** Null where all of it is shown, or nobody keeps anything. */
  readonly blob: BlobWriteResult | null;
}

export class CommandOutput {
  readonly #options: CommandOutputOptions;
  readonly #terminal: TerminalBuffer;
  #spill: Spill;

  constructor(options: CommandOutputOptions) {
    this.#options = options;
    this.#terminal = new TerminalBuffer(options.limit);
    this.#spill = new Spill(options);
  }

  /** All that came, readable or not. */
  get bytes(): number {
    return this.#terminal.bytes;
  }

  write(chunk: Uint8Array): void {
    this.#terminal.write(chunk);
    this.#spill.write(chunk);
  }

  tail(bytes: number): string {
    return this.#terminal.tail(bytes);
  }

  /** What came since it was last taken. */
  async take(): Promise<OutputSnapshot> {
    const excerpt = this.#terminal.take();
    const spill = this.#spill;
    this.#spill = new Spill(this.#options);
    if (!excerpt.isTruncated) spill.discard();
    return { ...excerpt, bytes: spill.bytes, blob: excerpt.isTruncated ? await spill.save() : null };
  }

  /** Nobody will take the rest. */
  discard(): void {
    this.#spill.discard();
  }
}
