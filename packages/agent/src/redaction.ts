/** Redacts secrets in shell output, search hits, blobs and reply deltas, and restores them in file paths. */

import type { Redaction } from "@pith/context";
import type { Delta } from "./events.ts";
import type {
  BlobDraft,
  Blobs,
  Restored,
  Secrets,
  TextStream,
  WorkspaceFiles,
  WorkspaceSearch,
  WorkspaceShell,
} from "./ports.ts";

export interface ByteStream {
  /** What can be passed on now. */
  write(chunk: Uint8Array): Uint8Array;
  /** The rest. */
  end(): Uint8Array;
}

/** Bytes are read as Latin-1, so that no character is cut in two and binary data stays as it is. */
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

/** Redacts the deltas of a reply. A secret may come in many pieces, so text that may begin one waits for the next piece. */
export class Deltas {
  readonly #secrets: Pick<Secrets, "stream"> | undefined;
  /** What comes now: words, or calls side by side, each by its index. */
  readonly #open = new Map<number, { readonly like: Delta; readonly stream: TextStream }>();

  constructor(secrets: Pick<Secrets, "stream"> | undefined) {
    this.#secrets = secrets;
  }

  told(delta: Delta): readonly Delta[] {
    if (!this.#secrets) return [delta];
    const before = [...this.#open.values()].every(({ like }) => like.type === delta.type) ? [] : this.end();
    const index = delta.type === "tool-call-delta" ? delta.index : 0;
    const { like, stream } = this.#open.get(index) ?? { like: delta, stream: this.#secrets.stream() };
    // Whose arguments these are may have been said with a piece that waited.
    const now: Delta = { ...like, ...delta };
    this.#open.set(index, { like: now, stream });
    return [...before, ...withText(now, stream.write(textOf(delta)))];
  }

  /** What was held back. */
  end(): readonly Delta[] {
    const open = [...this.#open.values()];
    this.#open.clear();
    return open.flatMap(({ like, stream }) => withText(like, stream.end()));
  }
}

function textOf(delta: Delta): string {
  return delta.type === "tool-call-delta" ? delta.json : delta.text;
}

function withText(delta: Delta, text: string): readonly Delta[] {
  if (text === "") return [];
  return [delta.type === "tool-call-delta" ? { ...delta, json: text } : { ...delta, text }];
}

export function redactedBlobs(blobs: Blobs, secrets: Pick<Secrets, "stream">): Blobs {
  return {
    keep: async (bytes) => {
      const stream = byteStream(secrets);
      return await blobs.keep(Buffer.concat([stream.write(bytes), stream.end()]));
    },
    find: (digits) => blobs.find(digits),
    begin: () => redactedDraft(blobs.begin(), secrets),
    read: (hash, range) => blobs.read(hash, range),
  };
}

function redactedDraft(draft: BlobDraft, secrets: Pick<Secrets, "stream">): BlobDraft {
  const stream = byteStream(secrets);
  return {
    write: (chunk) => draft.write(stream.write(chunk)),
    keep: async () => {
      draft.write(stream.end());
      return await draft.keep();
    },
    drop: () => draft.drop(),
  };
}

/** A line is redacted before it is cut, because half a secret looks like none. */
export function redactedSearch(search: WorkspaceSearch, secrets: Redaction): WorkspaceSearch {
  return {
    list: (path, act) => search.list(path, act),
    find: (wish, act) => search.find(wish, act),
    grep: async (wish, act) => secrets.redact(await search.grep({ ...wish, redaction: secrets }, act)),
  };
}

/** Output is redacted as it comes, before any of it is shown, cut or kept. */
export function redactedShell(shell: WorkspaceShell, secrets: Pick<Secrets, "stream">): WorkspaceShell {
  return {
    run: async (command, { output, ...act }) => {
      const stream = byteStream(secrets);
      const pass = (bytes: Uint8Array): void => {
        if (bytes.length > 0) output(bytes);
      };
      try {
        return await shell.run(command, { ...act, output: (chunk) => pass(stream.write(chunk)) });
      } finally {
        pass(stream.end());
      }
    },
  };
}

/** Where the way back is known at once, or not at all. */
export interface Restoring {
  restore<Value>(value: Value): Restored<Value>;
}

/** A placeholder in a path stands for its secret; a path with an unknown placeholder is refused. */
export function restoredFiles(files: WorkspaceFiles, secrets: Restoring): WorkspaceFiles {
  const trulyAt = (path: string): string | null => {
    const restored = secrets.restore(path);
    return restored.type === "restored" ? restored.value : null;
  };
  return {
    resolve: (path) => files.resolve(trulyAt(path) ?? path),
    read: async (path, act) => onlyKnown(path, trulyAt(path), (at) => files.read(at, act)),
    write: async (path, bytes, act) => onlyKnown(path, trulyAt(path), (at) => files.write(at, bytes, act)),
    remove: async (path, act) => onlyKnown(path, trulyAt(path), (at) => files.remove(at, act)),
  };
}

type Refused = { readonly type: "refused"; readonly message: string };

async function onlyKnown<Outcome>(
  path: string,
  at: string | null,
  act: (at: string) => Promise<Outcome>,
): Promise<Outcome | Refused> {
  return at === null
    ? { type: "refused", message: `${path} has a secret in its name that is not known any more` }
    : act(at);
}
