/** A batch as the bytes that are appended, and where in the file each of its lines will stand. */

import type { Checksum } from "../../ports.ts";
import { type Marks, sealed } from "../../session/codec/line/seal.ts";

export interface BatchParts {
  /** Whether the file's lines carry a seal. */
  readonly ours: boolean;
  readonly checksum: Checksum;
  /** Where the first parent stands, if it is not the line before. */
  readonly up: number | undefined;
  /** Lines before it that the disk may not have yet; undefined where every line waits for the disk. */
  readonly run: number | undefined;
  /** The last line of the file has no line end yet. */
  readonly afterUnended: boolean;
}

export interface EncodedBatch {
  readonly bytes: Uint8Array;
  /** Counted from where the bytes are written. */
  readonly places: readonly { readonly offset: number; readonly length: number }[];
}

export function encodedBatch(texts: readonly string[], parts: BatchParts): EncodedBatch {
  const lines = texts.map((text, at) =>
    parts.ours ? sealed(text, marksOf(at, texts.length, parts), parts.checksum) : text,
  );
  const bytes = Buffer.from(`${parts.afterUnended ? "\n" : ""}${lines.join("\n")}\n`);
  let offset = parts.afterUnended ? 1 : 0;
  const places = lines.map((line) => {
    const place = { offset, length: Buffer.byteLength(line) };
    offset += place.length + 1;
    return place;
  });
  return { bytes, places };
}

function marksOf(at: number, size: number, { up, run }: BatchParts): Marks {
  return {
    ...(at === 0 && up !== undefined && { up }),
    ...(run !== undefined && { run: run + at }),
    ...(size > 1 && { batch: [at + 1, size] as const }),
  };
}
