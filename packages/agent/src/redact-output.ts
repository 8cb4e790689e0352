/** Redacts secrets in the output of commands, in search hits and in blobs, before they are shown, cut or stored. */

import type { Redaction } from "@pith/context";
import type { BlobStore, BlobWriter, Secrets, WorkspaceSearch, WorkspaceShell } from "./ports.ts";

/** Redacts output before it is shown, cut or stored. */
export function redactShell(shell: WorkspaceShell, secrets: Pick<Secrets, "stream">): WorkspaceShell {
  return {
    run: async (command, { onOutput, ...options }) => {
      const stream = createByteStream(secrets);
      const forward = (bytes: Uint8Array): void => {
        if (bytes.length > 0) onOutput(bytes);
      };
      try {
        return await shell.run(command, { ...options, onOutput: (chunk) => forward(stream.write(chunk)) });
      } finally {
        forward(stream.end());
      }
    },
  };
}

/** Wraps a blob store so that secrets are redacted before they are stored. */
export function redactBlobs(blobs: BlobStore, secrets: Pick<Secrets, "stream">): BlobStore {
  return {
    keep: async (bytes) => {
      const stream = createByteStream(secrets);
      return await blobs.keep(Buffer.concat([stream.write(bytes), stream.end()]));
    },
    findByPrefix: (digits) => blobs.findByPrefix(digits),
    createWriter: () => redactBlobWriter(blobs.createWriter(), secrets),
    read: (hash, range) => blobs.read(hash, range),
  };
}

function redactBlobWriter(writer: BlobWriter, secrets: Pick<Secrets, "stream">): BlobWriter {
  const stream = createByteStream(secrets);
  return {
    write: (chunk) => writer.write(stream.write(chunk)),
    keep: async () => {
      writer.write(stream.end());
      return await writer.keep();
    },
    drop: () => writer.drop(),
  };
}

/** Redacts each line before it is cut, because a part of a secret is not recognized. */
export function redactSearch(search: WorkspaceSearch, secrets: Redaction): WorkspaceSearch {
  return {
    list: (path, options) => search.list(path, options),
    find: (query, options) => search.find(query, options),
    grep: async (query, options) => secrets.redact(await search.grep({ ...query, redaction: secrets }, options)),
  };
}

export interface ByteStream {
  /** Returns the bytes that can be passed on now. */
  write(chunk: Uint8Array): Uint8Array;
  /** Returns the rest. */
  end(): Uint8Array;
}

/** Bytes are read as Latin-1, so that no character is cut in two and binary data stays as it is. */
function createByteStream(secrets: Pick<Secrets, "stream">): ByteStream {
  const stream = secrets.stream();
  return {
    write: (chunk) =>
      toBytes(stream.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString("latin1"))),
    end: () => toBytes(stream.end()),
  };
}

function toBytes(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
