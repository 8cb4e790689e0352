/** The text of a body, whatever it was packed with: never more of it than anybody takes. */

import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

/** Why a request cannot be read, and with which status that is answered. */
export interface Unreadable {
  readonly status: 400 | 413 | 415;
  readonly why: string;
}

export interface Packed {
  /** How many bytes were sent, of which those at hand may be a part. */
  readonly of: number;
  readonly encoding: string | undefined;
}

export function unpacked(bytes: Buffer, { of, encoding = "identity" }: Packed): string | Unreadable {
  if (of > bytes.length || of > MOST_BYTES) return tooLarge;
  const unpack = ways.get(encoding.trim().toLowerCase());
  if (!unpack) return { status: 415, why: `Unsupported content-encoding: ${encoding}` };
  try {
    return unpack(bytes).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return tooLarge;
    return { status: 400, why: `The request body cannot be unpacked: it is not ${encoding}` };
  }
}

const MOST_BYTES = 64 * 1024 * 1024;
const limit = { maxOutputLength: MOST_BYTES };

const ways: ReadonlyMap<string, (bytes: Buffer) => Buffer> = new Map([
  ["identity", (bytes) => bytes],
  ["gzip", (bytes) => gunzipSync(bytes, limit)],
  ["deflate", (bytes) => inflateSync(bytes, limit)],
  ["br", (bytes) => brotliDecompressSync(bytes, limit)],
  ["zstd", (bytes) => zstdDecompressSync(bytes, limit)],
]);

const tooLarge: Unreadable = {
  status: 413,
  why: `Request body too large: the maximum size is ${MOST_BYTES} bytes, unpacked`,
};
