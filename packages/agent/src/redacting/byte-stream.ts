/** Bytes that pass redaction as they come. Every byte is taken for a letter, so that no character is cut in two and what is no text stays what it is. */

import type { Secrets } from "../secrets.ts";

export interface ByteStream {
  /** What can be passed on now. */
  write(chunk: Uint8Array): Uint8Array;
  /** The rest. */
  end(): Uint8Array;
}

export function byteStream(secrets: Pick<Secrets, "stream">): ByteStream {
  const stream = secrets.stream();
  return {
    write: (chunk) =>
      bytesOf(stream.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString("latin1"))),
    end: () => bytesOf(stream.end()),
  };
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
