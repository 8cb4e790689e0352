/** A picture that says what it was made of: the digest of its page stands in a text chunk of the PNG. */

import { crc32 } from "node:zlib";

const KEYWORD = "pith:made-of";

/** Behind the header, where readers that do not know it pass over it. */
export function marked(png: Buffer, digest: string): Buffer {
  const end = HEADER_END;
  return Buffer.concat([png.subarray(0, end), chunk("tEXt", Buffer.from(`${KEYWORD}\0${digest}`)), png.subarray(end)]);
}

/** Null where it says nothing. */
export function markOf(png: Buffer): string | null {
  for (let at = SIGNATURE; at + 8 <= png.length; at += png.readUInt32BE(at) + 12) {
    const text = png.toString("latin1", at + 8, at + 8 + png.readUInt32BE(at));
    if (png.toString("latin1", at + 4, at + 8) === "tEXt" && text.startsWith(`${KEYWORD}\0`))
      return text.slice(KEYWORD.length + 1);
  }
  return null;
}

const SIGNATURE = 8;
const HEADER_END = SIGNATURE + 25;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
