/** Redacts secrets in shell output, search hits, blobs and reply deltas, and restores them in file paths. */

import type { Redaction } from "@pith/context";
import type { MessageDelta } from "./events.ts";
import type {
  BlobStore,
  BlobWriter,
  RedactionStream,
  RestoreSecretsResult,
  Secrets,
  WorkspaceFiles,
  WorkspaceSearch,
  WorkspaceShell,
} from "./ports.ts";

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

/** Redacts the deltas of a reply. A secret may be split over deltas, so text that may start one is held back. */
export class DeltaRedactor {
  readonly #secrets: Pick<Secrets, "stream"> | undefined;
  /** The open streams: one for text, or one per tool call, by its index. */
  readonly #openStreams = new Map<number, { readonly like: MessageDelta; readonly stream: RedactionStream }>();

  constructor(secrets: Pick<Secrets, "stream"> | undefined) {
    this.#secrets = secrets;
  }

  write(delta: MessageDelta): readonly MessageDelta[] {
    if (!this.#secrets) return [delta];
    const flushed = [...this.#openStreams.values()].every(({ like }) => like.type === delta.type) ? [] : this.end();
    const index = delta.type === "tool-call-delta" ? delta.index : 0;
    const { like, stream } = this.#openStreams.get(index) ?? { like: delta, stream: this.#secrets.stream() };
    // The id and name of a tool call may be in an earlier delta that was held back.
    const current: MessageDelta = { ...like, ...delta };
    this.#openStreams.set(index, { like: current, stream });
    return [...flushed, ...withText(current, stream.write(deltaText(delta)))];
  }

  /** Returns the text that was held back. */
  end(): readonly MessageDelta[] {
    const streams = [...this.#openStreams.values()];
    this.#openStreams.clear();
    return streams.flatMap(({ like, stream }) => withText(like, stream.end()));
  }
}

function deltaText(delta: MessageDelta): string {
  return delta.type === "tool-call-delta" ? delta.json : delta.text;
}

function withText(delta: MessageDelta, text: string): readonly MessageDelta[] {
  if (text === "") return [];
  return [delta.type === "tool-call-delta" ? { ...delta, json: text } : { ...delta, text }];
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

/** Like `restore` of `Secrets`, but synchronous. */
export interface SecretRestorer {
  restore<Value>(value: Value): RestoreSecretsResult<Value>;
}

/** What the model can do about a placeholder whose secret is unknown. */
export const UNKNOWN_SECRET_ADVICE =
  "read the file that contains it again, or ask the user for it, then repeat the call";

/** Replaces placeholders in paths by their secrets. A path with an unknown placeholder is refused. */
export function restoreFilePaths(files: WorkspaceFiles, secrets: SecretRestorer): WorkspaceFiles {
  const restorePath = (path: string): string | null => {
    const restored = secrets.restore(path);
    return restored.type === "restored" ? restored.value : null;
  };
  return {
    resolve: (path) => files.resolve(restorePath(path) ?? path),
    read: async (path, options) =>
      withKnownPath(path, restorePath(path), (restoredPath) => files.read(restoredPath, options)),
    write: async (path, bytes, options) =>
      withKnownPath(path, restorePath(path), (restoredPath) => files.write(restoredPath, bytes, options)),
    remove: async (path, options) =>
      withKnownPath(path, restorePath(path), (restoredPath) => files.remove(restoredPath, options)),
  };
}

type PathRefusal = { readonly type: "refused"; readonly message: string };

async function withKnownPath<Outcome>(
  path: string,
  restoredPath: string | null,
  operation: (restoredPath: string) => Promise<Outcome>,
): Promise<Outcome | PathRefusal> {
  return restoredPath === null
    ? {
        type: "refused",
        message: `${path} has a secret in its name that is no longer known; list the folder again for a current name`,
      }
    : operation(restoredPath);
}
