/** Redacts secrets in the deltas of a reply, and restores them in file paths. */

import type { MessageDelta } from "./events.ts";
import type { RedactionStream, RestoreSecretsResult, Secrets, WorkspaceFiles } from "./ports.ts";

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
    return [...flushed, ...withText(current, stream.write(delta.type === "tool-call-delta" ? delta.json : delta.text))];
  }

  /** Returns the text that was held back. */
  end(): readonly MessageDelta[] {
    const streams = [...this.#openStreams.values()];
    this.#openStreams.clear();
    return streams.flatMap(({ like, stream }) => withText(like, stream.end()));
  }
}

function withText(delta: MessageDelta, text: string): readonly MessageDelta[] {
  if (text === "") return [];
  return [delta.type === "tool-call-delta" ? { ...delta, json: text } : { ...delta, text }];
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
