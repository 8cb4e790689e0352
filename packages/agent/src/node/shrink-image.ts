/**
 * Makes a large image small enough for a provider, in a worker thread with a time limit. The library (Photon, compiled to WebAssembly) is
 * loaded with the first large image.
 */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ShrinkImage, ShrinkImageResult } from "../ports.ts";

const TIME_LIMIT_MS = 20_000;
/** A pixel takes four bytes, and the library holds the image twice. */
const MAX_PIXELS = 64_000_000;

/** Shrinks an image; never throws. */
export const shrinkImage: ShrinkImage = async (bytes, { maxBytes, signal }) => {
  const size = readImageSize(bytes);
  if (size === null) return failed("its size cannot be read");
  if (size.width * size.height > MAX_PIXELS)
    return failed(`it has ${size.width}×${size.height} pixels, and the limit is ${MAX_PIXELS / 1_000_000} million`);
  const library = findLibrary();
  const workerData = { library, bytes, maxBytes, isPhoto: bytes[0] === 0xff, ...size };
  const { Worker } = await import("node:worker_threads");
  if (signal?.aborted) return failed("stopped");
  const worker = new Worker(WORKER_CODE, { eval: true, workerData, stdout: true, stderr: true });
  const result = Promise.withResolvers<ShrinkImageResult>();
  const timer = setTimeout(() => result.resolve(failed("it takes too long")), TIME_LIMIT_MS);
  const stop = (): void => result.resolve(failed("stopped"));
  signal?.addEventListener("abort", stop);
  worker.once("message", result.resolve);
  worker.once("error", (error) => result.resolve(failed(error instanceof Error ? error.message : String(error))));
  worker.once("exit", () => result.resolve(failed("the image library ended early")));
  try {
    return await result.promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    await worker.terminate();
  }
};

function failed(why: string): ShrinkImageResult {
  return { type: "failed", why };
}

/** In the published program, the library lies beside the program files. */
function findLibrary(): string {
  const bundled = join(import.meta.dirname, LIBRARY_FILE);
  return existsSync(bundled) ? bundled : createRequire(import.meta.url).resolve("@silvia-odwyer/photon-node");
}

const LIBRARY_FILE = "photon_rs.cjs";

/** Smaller than most models look at an image, and then ever smaller until it fits. */
const WORKER_CODE = `
const { parentPort, workerData } = require("node:worker_threads");
const { library, bytes, maxBytes, isPhoto, width, height } = workerData;
const { PhotonImage, SamplingFilter, resize } = require(library);
const original = PhotonImage.new_from_byteslice(bytes);
for (const edge of [2000, 1568, 1024, 512]) {
  const scale = Math.min(1, edge / Math.max(width, height));
  const [newWidth, newHeight] = [width, height].map((side) => Math.max(1, Math.round(side * scale)));
  const image = resize(original, newWidth, newHeight, SamplingFilter.Triangle);
  // A drawing stays sharp as PNG; a photo is far smaller as JPEG.
  const drafts = isPhoto ? [] : [[image.get_bytes(), "image/png"]];
  const fitting = drafts.find(([draft]) => draft.length <= maxBytes) ?? [image.get_bytes_jpeg(85), "image/jpeg"];
  image.free();
  if (fitting[0].length > maxBytes) continue;
  parentPort.postMessage({
    type: "shrunk", bytes: fitting[0], mimeType: fitting[1],
    width: newWidth, height: newHeight, originalWidth: width, originalHeight: height,
  });
  break;
}
`;

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Reads the size from the header of a PNG, JPEG, GIF or WebP; null if it is not there. */
export function readImageSize(bytes: Uint8Array): ImageSize | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const head = view.subarray(0, 30).toString("latin1");
  if (view.length < 30) return null;
  if (head.startsWith("\x89PNG")) return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) };
  if (head.startsWith("GIF8")) return { width: view.readUInt16LE(6), height: view.readUInt16LE(8) };
  if (head.startsWith("RIFF")) return readWebpSize(view, head.slice(12, 16));
  return head.startsWith("\xff\xd8") ? readJpegSize(view) : null;
}

function readWebpSize(view: Buffer, chunk: string): ImageSize | null {
  switch (chunk) {
    case "VP8 ":
      return { width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = view.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: view.readUIntLE(24, 3) + 1, height: view.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}

/** Follows the segments up to the one that starts a frame. */
function readJpegSize(view: Buffer): ImageSize | null {
  for (let offset = 2; offset + 9 < view.length; ) {
    const marker = view[offset + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (view[offset] !== 0xff) return null;
    if (isFrame) return { width: view.readUInt16BE(offset + 7), height: view.readUInt16BE(offset + 5) };
    offset += 2 + (marker === 0xff ? -1 : view.readUInt16BE(offset + 2));
  }
  return null;
}
