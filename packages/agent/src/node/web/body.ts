/** The body of an answer, unpacked while it comes, so that a small answer cannot become a large one. */

import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

export interface Body {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

export async function bodyOf(response: IncomingMessage, mostBytes: number): Promise<Body> {
  try {
    return await upTo(unpacked(response), mostBytes);
  } finally {
    response.destroy();
  }
}

function unpacked(response: IncomingMessage): Readable {
  const packing = response.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (packing === "identity" || packing === "") return response;
  const unpack = unpackers.get(packing);
  if (!unpack) throw new Error(`it is packed in a way we did not ask for (${packing})`);
  // What goes wrong on the way reaches the reader as an error of the last stream.
  return pipeline(response, unpack(), () => {});
}

const unpackers: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

async function upTo(source: Readable, mostBytes: number): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > mostBytes) break;
  }
  const bytes = Buffer.concat(chunks);
  return { bytes: bytes.subarray(0, mostBytes), isWhole: size <= mostBytes };
}
