/** Collects the output of a command: an excerpt for the model, and the whole output as a blob if the excerpt omits some of it. */

import type { BlobStore, BlobWriteResult, BlobWriter } from "../../ports.ts";
import type { OutputLimit } from "../tool-io.ts";
import { type ExcerptText, TerminalBuffer } from "./terminal-output.ts";

export interface CommandOutputOptions {
  readonly limit: OutputLimit;
  /** Without a blob store the whole output is not stored. */
  readonly blobs?: BlobStore | undefined;
}

/** Buffers the raw output in memory, and writes it to a blob once it exceeds the limit. */
class Spill {
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

  /** Null without a blob store. */
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
  /** The size of this snapshot, without earlier ones. */
  readonly bytes: number;
  /** Null if the excerpt is complete, or without a blob store. */
  readonly blob: BlobWriteResult | null;
}

/** Collects the output of a command: bounded text for the model, and the whole output as a blob if it is longer. */
export class CommandOutput {
  readonly #options: CommandOutputOptions;
  readonly #terminal: TerminalBuffer;
  #spill: Spill;

  constructor(options: CommandOutputOptions) {
    this.#options = options;
    this.#terminal = new TerminalBuffer(options.limit);
    this.#spill = new Spill(options);
  }

  /** All bytes received, readable or not. */
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

  /** The output since the last call. */
  async take(): Promise<OutputSnapshot> {
    const excerpt = this.#terminal.take();
    const spill = this.#spill;
    this.#spill = new Spill(this.#options);
    if (!excerpt.isTruncated) spill.discard();
    return { ...excerpt, bytes: spill.bytes, blob: excerpt.isTruncated ? await spill.save() : null };
  }

  /** Drops the output that was not taken. */
  discard(): void {
    this.#spill.discard();
  }
}
