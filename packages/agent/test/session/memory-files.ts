/** Files in memory that a test can change without the session. */

import type { FileWriteResult, WorkspaceFiles } from "../../src/ports.ts";

export interface MemoryFiles extends WorkspaceFiles {
  /** What every file has now, as text. */
  texts(): Readonly<Record<string, string>>;
  put(path: string, text: string | null): void;
  /** Refuses to change this one from now on. */
  refuse(path: string): void;
}

export function memoryFiles(): MemoryFiles {
  const there = new Map<string, Uint8Array>();
  const refused = new Set<string>();
  const change = (path: string, bytes: Uint8Array | null): FileWriteResult => {
    if (refused.has(path)) return { type: "refused", message: `${path} cannot be written` };
    if (bytes) there.set(path, bytes.slice());
    else there.delete(path);
    return { type: "written" };
  };
  return {
    resolve: (path) => path,
    read: async (path) => {
      const bytes = there.get(path);
      if (path.endsWith("/")) return { type: "folder", message: `${path} is a folder` };
      return bytes ? { type: "read", bytes } : { type: "missing", message: `${path} does not exist` };
    },
    write: async (path, bytes) => change(path, bytes),
    remove: async (path) => change(path, null),
    texts: () => Object.fromEntries([...there].map(([path, bytes]) => [path, new TextDecoder().decode(bytes)])),
    put: (path, text) => void change(path, text === null ? null : new TextEncoder().encode(text)),
    refuse: (path) => void refused.add(path),
  };
}
