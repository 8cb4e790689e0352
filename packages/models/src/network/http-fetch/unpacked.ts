/** What came packed although nobody asked for it, unpacked as it comes. */

import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";

export function unpacked(answer: IncomingMessage): Readable {
  const names = (answer.headers["content-encoding"] ?? "").toLowerCase().split(",");
  const packings = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
  // Of an unknown packing nothing can be undone, whatever lies around it.
  if (!packings.every((name) => UNPACKERS.has(name))) return answer;
  return packings.reduceRight<Readable>(through, answer);
}

function through(packed: Readable, name: string): Readable {
  const unpacker = UNPACKERS.get(name)?.();
  // How it ends is told by the last stream to whoever reads it.
  return unpacker ? pipeline(packed, unpacker, () => {}) : packed;
}

const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", gunzip],
  ["x-gzip", gunzip],
  ["deflate", (): Transform => zlib().createInflate(atOnce())],
  ["br", brotli],
]);

function gunzip(): Transform {
  return zlib().createGunzip(atOnce());
}

function brotli(): Transform {
  const { constants, createBrotliDecompress } = zlib();
  const flush = constants.BROTLI_OPERATION_FLUSH;
  return createBrotliDecompress({ flush, finishFlush: flush });
}

/** Each piece when it is there; whether the last one was is known by the line. */
function atOnce(): { readonly flush: number; readonly finishFlush: number } {
  const { Z_SYNC_FLUSH: flush } = zlib().constants;
  return { flush, finishFlush: flush };
}

function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}
