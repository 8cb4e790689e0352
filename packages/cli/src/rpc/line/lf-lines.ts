/** Bytes to lines that end with LF and nothing else: U+2028 and its like are letters here. A line that is too long is passed over, and said to be. */

export type Piece =
  | { readonly type: "line"; readonly bytes: Buffer }
  /** Of so many bytes, all of which are gone. */
  | { readonly type: "too-long"; readonly bytes: number };

export interface LfLines {
  /** What these bytes complete. */
  read(chunk: Uint8Array): readonly Piece[];
  /** What has come of a last line that has no end. */
  rest(): readonly Piece[];
}

/** Of one line, its end not counted. */
export const LONGEST_LINE: number = 32 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;

export function lfLines(longest: number = LONGEST_LINE): LfLines {
  let parts: Buffer[] = [];
  let length = 0;
  const take = (bytes: Buffer): void => {
    length += bytes.length;
    if (length > longest) parts = [];
    else parts.push(bytes);
  };
  const ended = (): Piece => {
    const piece: Piece =
      length > longest ? { type: "too-long", bytes: length } : { type: "line", bytes: withoutCr(Buffer.concat(parts)) };
    parts = [];
    length = 0;
    return piece;
  };
  return {
    read: (chunk) => {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const pieces: Piece[] = [];
      let from = 0;
      for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, from)) {
        take(bytes.subarray(from, at));
        pieces.push(ended());
        from = at + 1;
      }
      if (from < bytes.length) take(bytes.subarray(from));
      return pieces;
    },
    rest: () => (length === 0 ? [] : [ended()]),
  };
}

function withoutCr(bytes: Buffer): Buffer {
  return bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes;
}
