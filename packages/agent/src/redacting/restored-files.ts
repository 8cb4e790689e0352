/** Files by the names that a log has for them: a placeholder in a path is what it stands for, and one that nobody knows leads nowhere. */

import type { Restored } from "../secrets.ts";
import type { WorkspaceFiles } from "../workspace.ts";

/** Where the way back is known at once, or not at all. */
export interface Restoring {
  restored<Value>(value: Value): Restored<Value>;
}

export function restoredFiles(files: WorkspaceFiles, secrets: Restoring): WorkspaceFiles {
  const trulyAt = (path: string): string | null => {
    const restored = secrets.restored(path);
    return restored.type === "restored" ? restored.value : null;
  };
  return {
    resolve: (path) => files.resolve(trulyAt(path) ?? path),
    read: async (path, act) => onlyKnown(path, trulyAt(path), (at) => files.read(at, act)),
    write: async (path, bytes, act) => onlyKnown(path, trulyAt(path), (at) => files.write(at, bytes, act)),
    remove: async (path) => onlyKnown(path, trulyAt(path), (at) => files.remove(at)),
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
