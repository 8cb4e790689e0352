/** Stores the blobs of a session in PostgreSQL. */

import { createHash } from "node:crypto";
import type { BlobStore, BlobWriteResult, BlobWriter, FindBlobsResult, ReadBlobResult } from "@pith/agent";
import { type Database, UnavailableError } from "./connect.ts";
import type { SessionRef } from "./postgres-store.ts";

/** Options of `PostgresBlobs`. */
export interface PostgresBlobsOptions {
  /** The maximum size of one blob; only the beginning of a longer one is kept. Default: 16 MB. */
  readonly quota?: number;
}

/** The blobs of one session. Their hashes are looked up only in that session. */
export class PostgresBlobs implements BlobStore {
  readonly #database: Database;
  readonly #session: SessionRef;
  readonly #quota: number;

  constructor(database: Database, session: SessionRef, { quota = DEFAULT_QUOTA }: PostgresBlobsOptions = {}) {
    this.#database = database;
    this.#session = session;
    this.#quota = quota;
  }

  keep(bytes: Uint8Array): Promise<BlobWriteResult> {
    return this.#keep(Buffer.from(bytes.subarray(0, this.#quota)), bytes.length <= this.#quota);
  }

  createWriter(): BlobWriter {
    return createWriter(this.#quota, (bytes, isWhole) => this.#keep(bytes, isWhole));
  }

  async read(hash: string, { start, end }: { readonly start: number; readonly end: number }): Promise<ReadBlobResult> {
    if (!BLOB_HASH.test(hash))
      return { type: "none", why: "a blob hash has 64 hexadecimal digits; copy the whole handle" };
    const first = Math.max(0, start);
    return catchUnavailable(async () => {
      const [row] = await this.#readRows<{ readonly bytes: Buffer; readonly size: number }>("read_blob", [
        hash,
        Math.min(first, MAX_OFFSET),
        Math.min(Math.max(0, end - first), MAX_OFFSET),
      ]);
      if (!row) return { type: "none", why: `this session has no blob ${hash}` };
      return { type: "read", bytes: new Uint8Array(row.bytes), size: row.size };
    });
  }

  async findByPrefix(digits: string): Promise<FindBlobsResult> {
    if (!HASH_START.test(digits)) return { type: "found", blobs: [] };
    return catchUnavailable(async () => {
      const blobs = await this.#readRows<{ readonly hash: string; readonly bytes: number }>("find_blobs", [digits]);
      return { type: "found", blobs };
    });
  }

  async #keep(bytes: Buffer, isWhole: boolean): Promise<BlobWriteResult> {
    const hash = createHash("sha256").update(bytes).digest("hex");
    return catchUnavailable(async () => {
      const { tenant, key } = this.#session;
      if (!(await this.#database.call<boolean>("keep_blob", [tenant, key, hash, bytes])))
        return { type: "unavailable", why: "there is no such session; it may have been erased" };
      return { type: "kept", hash, bytes: bytes.length, isWhole };
    });
  }

  #readRows<Row extends object>(name: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.#database.readRows<Row>(name, [this.#session.tenant, this.#session.key, ...values]);
  }
}

const BLOB_HASH = /^[0-9a-f]{64}$/;
const HASH_START = /^[0-9a-f]*$/;
const DEFAULT_QUOTA = 16 * 1024 * 1024;
const MAX_OFFSET = 2 ** 30;

async function catchUnavailable<Result>(
  run: () => Promise<Result>,
): Promise<Result | { readonly type: "unavailable"; readonly why: string }> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    return { type: "unavailable", why: error.message };
  }
}

type Keep = (bytes: Buffer, isWhole: boolean) => Promise<BlobWriteResult>;

function createWriter(quota: number, keep: Keep): BlobWriter {
  let chunks: Buffer[] | null = [];
  let remaining = quota;
  let isWhole = true;
  return {
    write(chunk) {
      const part = Buffer.from(chunk.subarray(0, remaining));
      remaining -= part.length;
      isWhole &&= part.length === chunk.length;
      chunks?.push(part);
    },
    async keep() {
      if (!chunks) throw new Error("the blob was already kept or dropped");
      const bytes = Buffer.concat(chunks);
      chunks = null;
      return keep(bytes, isWhole);
    },
    drop() {
      chunks = null;
    },
  };
}
