/** The vault as an agent uses it: what a placeholder stands for is learnt again from the files that the session knows, where it was forgotten. */

import type { Restored, Secrets, WorkspaceFiles } from "@pith/agent";
import type { Session } from "@pith/context";
import type { Vault } from "@pith/context/secrets";
import { filesOnceSeen } from "./files-once-seen.ts";

export interface RelearningParts {
  readonly session: Session;
  readonly files: Pick<WorkspaceFiles, "read" | "resolve">;
  /** Whether a tool could read what lies there: a session may name any place. */
  readonly mayRead: (path: string) => Promise<boolean>;
}

export function relearning(vault: Vault, parts: RelearningParts): Secrets {
  return {
    redacted: (value) => vault.redacted(value),
    stream: () => vault.stream(),
    found: () => vault.found(),
    restored: async (value) => {
      const restored = vault.restored(value);
      if (restored.type === "restored") return restored;
      return (await learnt(value, vault, parts)) ?? vault.restored(value, { own: await fileOf(value, parts) });
    },
  };
}

/** Null where no file that the session has seen tells it. */
async function learnt<Value>(value: Value, vault: Vault, parts: RelearningParts): Promise<Restored<Value> | null> {
  let room = MOST_BYTES;
  for (const path of filesOnceSeen(parts.session.window.entries, value)) {
    const text = await textAt(path, parts);
    room -= text.length;
    if (room < 0) break;
    vault.learn(text);
    const restored = vault.restored(value);
    if (restored.type === "restored") return restored;
  }
  return null;
}

/** The file that a call is about may have placeholders for a text of its own: then they are no secrets. */
async function fileOf(value: unknown, parts: RelearningParts): Promise<string> {
  const { path } = Object(value) as { readonly path?: unknown };
  return typeof path === "string" ? await textAt(path, parts) : "";
}

/** What is no file any more, is too much, or is closed to tools has nothing to tell. */
async function textAt(path: string, { files, mayRead }: RelearningParts): Promise<string> {
  const at = files.resolve(path);
  if (!(await mayRead(at))) return "";
  const read = await files.read(at, { mostBytes: MOST_OF_ONE });
  return read.type === "read" ? new TextDecoder().decode(read.bytes) : "";
}

const MOST_OF_ONE = 1024 * 1024;
const MOST_BYTES = 16 * 1024 * 1024;
