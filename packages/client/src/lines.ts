/** Splits bytes into lines at LF only (U+2028 is part of a line). A line that is too long is reported and not kept in memory. */

/** A line without its line end, or the size of a line that was too long. */
export type Line =
  | { readonly type: "line"; readonly bytes: Buffer }
  /** The bytes of the line were dropped; `bytes` is their number. */
  | { readonly type: "too-long"; readonly bytes: number };

/** Splits a stream of bytes into lines. */
export interface LineSplitter {
  /** Takes the next bytes and returns the lines that they complete. */
  push(chunk: Uint8Array): readonly Line[];
  /** Returns the last line if it has no line end. */
  end(): readonly Line[];
}

/** The longest line that the program reads, without its line end. */
export const MAX_LINE_BYTES: number = 32 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;

/** Creates a splitter; lines of more than `maxBytes` are dropped. */
export function createLineSplitter(maxBytes: number = MAX_LINE_BYTES): LineSplitter {
  let parts: Buffer[] = [];
  let length = 0;
  const add = (bytes: Buffer): void => {
    length += bytes.length;
    if (length > maxBytes) parts = [];
    else parts.push(bytes);
  };
  const finishLine = (): Line => {
    const line: Line =
      length > maxBytes
        ? { type: "too-long", bytes: length }
        : { type: "line", bytes: withoutCarriageReturn(Buffer.concat(parts)) };
    parts = [];
    length = 0;
    return line;
  };
  return {
    push: (chunk) => {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const lines: Line[] = [];
      let lineStart = 0;
      for (let lineEnd = bytes.indexOf(LF); lineEnd >= 0; lineEnd = bytes.indexOf(LF, lineStart)) {
        add(bytes.subarray(lineStart, lineEnd));
        lines.push(finishLine());
        lineStart = lineEnd + 1;
      }
      if (lineStart < bytes.length) add(bytes.subarray(lineStart));
      return lines;
    },
    end: () => (length === 0 ? [] : [finishLine()]),
  };
}

function withoutCarriageReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes;
}
