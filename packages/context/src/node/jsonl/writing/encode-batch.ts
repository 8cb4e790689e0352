/** A batch as the bytes that are appended, and where in the file each of its lines will stand. */

import type { Checksum } from "../../../ports.ts";
import { type Marks, markedBody, sealEnd } from "../../../session/codec/line/seal.ts";

export interface BatchParts {
  /** Whether the file's lines carry a seal. */
  readonly ours: boolean;
  readonly checksum: Checksum;
  /** Where the first parent stands, if it is not the line before. */
  readonly up: number | undefined;
  /** Where the lines begin that the disk may not have yet; undefined where every line waits for the disk. */
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
  const lines = texts.map((text, at) => encodedLine(text, marksOf(at, texts.length, parts), parts));
  const before = parts.afterUnended ? [LINE_END] : [];
  let offset = before.length;
  const places = lines.map(({ length }) => {
    const place = { offset, length: length - 1 };
    offset += length;
    return place;
  });
  const [only = EMPTY] = lines;
  return { bytes: lines.length === 1 && !parts.afterUnended ? only : Buffer.concat([...before, ...lines]), places };
}

// Made into bytes once: the checksum sums up the same bytes that are written.
function encodedLine(text: string, marks: Marks, { ours, checksum }: BatchParts): Buffer {
  if (!ours) return Buffer.from(`${text}\n`);
  const body = markedBody(text, marks);
  const line = Buffer.allocUnsafe(Buffer.byteLength(body) + SEAL_END);
  const length = line.write(body);
  line.write(`${sealEnd(checksum(line.subarray(0, length)))}\n`, length, "latin1");
  return line;
}

function marksOf(at: number, size: number, { up, run }: BatchParts): Marks {
  return {
    ...(at === 0 && up !== undefined && { up }),
    ...(run !== undefined && { run }),
    ...(size > 1 && { batch: [at + 1, size] as const }),
  };
}

const EMPTY = Buffer.alloc(0);
const LINE_END = Buffer.from("\n");
/** `,"crc":"` and eight digits, `"}`, line end. */
const SEAL_END = 19;
