/** Reads the stored output of a tool call, whose result shows only its beginning and end, so that all of it can be searched. */

import { isObject, type JsonObject } from "../json.ts";
import { blobHashes, readBlobSync } from "../node/blobs.ts";
import { type Files, ignoreDiskErrors } from "../node/files.ts";
import { isBlobHash } from "../session/blobs.ts";

/** Reads the output that a tool result refers to; null if there is none, or if it is not text. */
export type ReadStoredOutput = (result: JsonObject) => StoredOutput | null;

export interface StoredOutput {
  readonly hash: string;
  /** The whole text, or the beginning and the end of a very long one. */
  readonly text: string;
  readonly isWhole: boolean;
}

/** Reads the blobs of one session file. */
export function createOutputReader(sessionPath: string, files: Files): ReadStoredOutput {
  const outputs = new Map<string, StoredOutput | null>();
  return (result) => {
    const digits = findBlobDigits(result);
    if (digits === null) return null;
    // A blob never changes.
    const known = outputs.get(digits);
    if (known !== undefined) return known;
    const output = ignoreDiskErrors(() => readOutput(digits, sessionPath, files));
    // Only the last one is kept, because results that show the same output follow each other.
    outputs.clear();
    outputs.set(digits, output);
    return output;
  };
}

/** The hash or the beginning of it. `bash` records the hash; a result that was too long names it in its text. */
function findBlobDigits({ content, details }: JsonObject): string | null {
  const { blob } = Object(details) as { readonly blob?: unknown };
  if (isBlobHash(blob)) return blob;
  for (const block of Array.isArray(content) ? content : []) {
    const [, digits] = (isObject(block) && typeof block.text === "string" && STORED_NOTE.exec(block.text)) || [];
    if (digits !== undefined) return digits;
  }
  return null;
}

const STORED_NOTE = /\[[^[\]\n]*\bread blob:([0-9a-f]{8,64})\b[^[\]\n]*\]/;

function readOutput(digits: string, sessionPath: string, files: Files): StoredOutput | null {
  const hash = isBlobHash(digits) ? digits : blobHashes(sessionPath, files).find((each) => each.startsWith(digits));
  if (hash === undefined) return null;
  const read = (start: number, end: number): { readonly bytes: Uint8Array; readonly size: number } | null => {
    const result = readBlobSync(sessionPath, hash, { files, range: { start, end } });
    return result.type === "read" ? result : null;
  };
  const head = read(0, 2 * MAX_PART_BYTES);
  if (!head || head.bytes.subarray(0, SAMPLE_BYTES).includes(0)) return null;
  if (head.size <= 2 * MAX_PART_BYTES) return { hash, text: decode(head.bytes), isWhole: true };
  const tail = read(head.size - MAX_PART_BYTES, head.size);
  const texts = [head.bytes.subarray(0, MAX_PART_BYTES), tail?.bytes ?? new Uint8Array()].map(decode);
  return { hash, text: texts.join("\n"), isWhole: false };
}

/** More than is searched, so that no secret is cut before it is redacted. */
const MAX_PART_BYTES = 160 * 1024;
/** Binary output has a zero byte near its start. */
const SAMPLE_BYTES = 8 * 1024;

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
